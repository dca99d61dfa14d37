import { indexedDb, memory, openSession } from 'compaction-governor';
import { talk } from './talk.js';

talk({ indexedDb, memory, openSession }).catch(String).then((told) => { document.title = told; });
