// A stand-in for the governor's engine that writes down what it is told and answers what a test scripted. It has no policy.

/** @param {(about: { prompt: number, now: number }) => object} answer The decision, from the last reported prompt. */
export function stubEngine(answer = hold) {
  const calls = [];
  const passes = [];
  const told = [];
  let entries = 0;
  let prompt = 0;
  let revision = 0;
  const engine = {
    calls,
    push(...args) { calls.push(['push', ...args.slice(2)]); entries += 1; },
    truncate(length) { calls.push(['truncate', length]); entries = Math.min(entries, length); },
    entryCount: () => entries,
    explain: (now) => ({ ...answer({ prompt, now }), usedTokens: prompt }),
    viewRevision: () => revision,
    view: () => Uint32Array.of(0, 0, entries),
    summaryText: () => undefined,
    drainEvents: () => told.splice(0),
    open: async (now) => void calls.push(['open', now]),
    claim: async (kind) => { calls.push(['claim', kind]); return { refused: answer({ prompt, now: 0 }) }; },
    paid(tokens) { calls.push(['paid', tokens]); },
    commit: async () => ({ status: 'superseded' }),
    commitFallback: async () => ({ status: 'superseded' }),
    async reportUsage(promptTokens, viewRevision, sentAt, covered, now) {
      calls.push(['reportUsage', promptTokens, viewRevision, sentAt, covered, now]);
      prompt = promptTokens;
      const last = passes.at(-1);
      if (last?.pending) {
        last.pending = false;
        told.push({ type: 'verdict', compactionId: last.compactionId, promptTokens, verdict: promptTokens < last.before * 0.9 ? 'effective' : 'ineffective', estimated: false });
      }
      return {};
    },
    stepWithoutUsage: async (...args) => void calls.push(['stepWithoutUsage', ...args]),
    overflow: async () => ({ decision: answer({ prompt, now: 0 }), stale: false }),
    setModel: async (name) => void calls.push(['setModel', name]),
    settle: async () => void calls.push(['settle']),
    async adopt(covers, summaryTokens, manual, now) {
      calls.push(['adopt', covers, summaryTokens, now]);
      revision += 1;
      passes.push({ compactionId: `pass-${passes.length + 1}`, before: prompt, pending: true });
      return `pass-${passes.length}`;
    },
    repair: () => new Uint32Array(),
    collapse: (joined) => `merged ${joined.length}`,
    free: () => void calls.push(['free']),
  };
  return engine;
}

export function decision(over = {}) {
  return {
    action: 'hold', reason: 'below_threshold', usedTokens: 0, thresholdTokens: 160_000, targetTokens: 60_000, windowTokens: 200_000,
    floorTokens: 20_000, confidence: 'reported', sentence: 'Below the line where passes start.', ...over,
  };
}

function hold() {
  return decision();
}
