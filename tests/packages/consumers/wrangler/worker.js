import * as governor from 'compaction-governor';
import { talk } from './talk.js';

export default {
  async fetch() {
    return new Response(await talk(governor));
  },
};
