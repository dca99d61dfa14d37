import * as governor from 'compaction-governor';
import { talk } from './talk.js';

talk(governor).catch(String).then((told) => { document.title = told; });
