import * as governor from 'compaction-governor';
import { talk } from '../../talk.js';

export const runtime = 'edge';
export const dynamic = 'force-dynamic';

export async function GET() {
  return new Response(await talk(governor));
}
