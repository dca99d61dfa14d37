// The built package, as these tests and the bare page use it.
export { decodeRecord } from 'compaction-governor';
