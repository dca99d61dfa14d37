// Stores that fail. Each function runs in the page before its own scripts; some bite once `window.broken` is set.

/** What goes wrong, and how. */
export const faults = {
  'is over its quota': () => {
    const { put } = IDBObjectStore.prototype;
    IDBObjectStore.prototype.put = function (...given) {
      if (window.broken) throw new DOMException('The quota has been exceeded.', 'QuotaExceededError');
      return put.apply(this, given);
    };
  },
  'is denied': () => {
    Object.defineProperty(window, 'indexedDB', { get: () => { throw new DOMException('Access is denied.', 'SecurityError'); } });
  },
  'is absent': () => {
    Object.defineProperty(window, 'indexedDB', { value: undefined });
  },
  'never opens': () => {
    const { open } = IDBFactory.prototype;
    IDBFactory.prototype.open = function (name, version) {
      const request = open.call(this, `${name} that nobody hears of`, version);
      for (const event of ['success', 'error', 'blocked', 'upgradeneeded']) {
        request.addEventListener(event, (heard) => heard.stopImmediatePropagation());
        Object.defineProperty(request, `on${event}`, { set() {}, get: () => null });
      }
      return request;
    };
  },
  'is closed under it': () => {
    const { transaction } = IDBDatabase.prototype;
    IDBDatabase.prototype.transaction = function (...given) {
      if (window.broken) throw new DOMException('The database connection is closing.', 'InvalidStateError');
      return transaction.apply(this, given);
    };
    // Another realm would be a way out.
    const { createElement } = Document.prototype;
    Document.prototype.createElement = function (...given) {
      if (window.broken && given[0] === 'iframe') throw new DOMException('No frames here.', 'NotSupportedError');
      return createElement.apply(this, given);
    };
  },
};
