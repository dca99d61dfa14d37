// What is started: this package and two others that bring a WebAssembly file, each up to its first answer.

export const PACKAGES = {
  'compaction-governor': {
    code: "import { memory, openSession } from 'compaction-governor'; export const first = () => openSession({ id: 'a', store: memory(), contextWindow: 8_192 }).explain().sentence;",
    browser: [],
  },
  '@automerge/automerge': {
    code: "import { change, from } from '@automerge/automerge'; export const first = () => change(from({ n: 0 }), (doc) => { doc.n = 1; }).n;",
    browser: ['import'],
  },
  '@cf-wasm/photon': {
    code: "import { PhotonImage } from '@cf-wasm/photon'; export const first = () => new PhotonImage(new Uint8Array(4), 1, 1).get_width();",
    // Its entry for Node carries the file inside; the one for pages is the one for Workers.
    browser: ['node', 'import'],
  },
};

/** The entry of one of them, as a module that exports `first`. */
export const entryOf = (name) => `${name.replaceAll(/\W/g, '-')}.mjs`;
