// See support/kills.mjs.
import { storageEngines } from './support/browsers.mjs';
import { killing } from './support/kills.mjs';

killing(storageEngines[1]);
