// A model and a starting line that several tabs share, behind two routes of a site.
import assert from 'node:assert/strict';

/** A model that counts its calls for all tabs, and answers when it is told to. */
export class Model {
  reset() {
    this.calls = 0;
    this.held = false;
    this.gates = [];
  }

  hold() {
    this.held = true;
  }

  async called() {
    const call = (this.calls += 1);
    if (this.held) await new Promise((open) => (this.gates[call] = open));
    return { choices: [{ message: { role: 'assistant', content: `Summary ${call}.` }, finish_reason: 'stop' }], usage: { prompt_tokens: 20_000, completion_tokens: 4 } };
  }

  answer(call) {
    this.gates[call]();
  }

  answerAll() {
    this.held = false;
    for (const open of this.gates) open?.();
  }

  async reaches(calls) {
    const until = Date.now() + 5_000;
    while (this.calls < calls) {
      assert.ok(Date.now() < until, `${this.calls} of ${calls} calls came`);
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
  }
}

/** Lets two go on together. */
export class Barrier {
  reached() {
    return new Promise((go) => {
      const other = this.waiting;
      this.waiting = other ? undefined : go;
      if (other) for (const one of [other, go]) one(true);
    });
  }
}
