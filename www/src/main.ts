import { module } from 'compaction-governor';

const state = document.querySelector('#state');
if (state) state.textContent = `running, ${WebAssembly.Module.exports(module).length} exports`;
