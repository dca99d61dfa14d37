import * as governor from 'compaction-governor';
import { talk } from '../talk.js';

export const dynamic = 'force-dynamic';

export default async function Page() {
  return <p id="told">{await talk(governor)}</p>;
}
