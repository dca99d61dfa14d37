import * as governor from 'compaction-governor';
import { talk } from './talk.js';

console.log(await talk(governor));
