// How long a stream's chunks wait in the worker for more chunks, with the test's own clock.
import assert from "node:assert/strict";
import { describe } from "node:test";
import { setImmediate } from "node:timers/promises";
import { Batches } from "../../worker/workerd/batch.mjs";
import { test } from "../lib/fixture.mjs";

// Clock is a clock that advances only when no other work is left.
class Clock {
  time = 0;
  #timers = [];

  now = () => this.time;
  after = (ms, then) => {
    const timer = { at: this.time + ms, then };
    this.#timers.push(timer);
    return timer;
  };
  drop = (timer) => void (this.#timers = this.#timers.filter((other) => other !== timer));

  // run advances the time until promise is settled, and returns promise.
  async run(promise) {
    let over = false;
    promise.then(
      () => (over = true),
      () => (over = true),
    );
    for (;;) {
      await setImmediate(); // all due work is done
      if (over) return promise;
      const next = this.#timers.toSorted((a, b) => a.at - b.at)[0];
      assert.ok(next, "everything waits, and nothing will come");
      this.drop(next);
      this.time = next.at;
      next.then();
    }
  }
}

const chunk = (i, size = 8) =>
  new Uint8Array(Math.max(size, 4)).fill(0).map((_, n) => (n < 4 ? i >> (8 * n) : 0));

// streamOf returns a reader of chunks that arrive after gaps, in ms, and the time of each arrival.
// An Error among the gaps breaks the stream off.
function streamOf(clock, gaps, size) {
  const came = [];
  let next = 0;
  const step = (controller) => {
    const gap = gaps[next];
    if (next === gaps.length) return controller.close();
    if (gap instanceof Error) return controller.error(gap);
    clock.after(gap, () => {
      came.push(clock.time);
      controller.enqueue(chunk(next++, size));
      step(controller);
    });
  };
  return { came, reader: new ReadableStream({ start: step }, { highWaterMark: Infinity }).getReader() };
}

// play reads a stream to its end, and returns each chunk's waiting time, the number of reads, and
// the error, if the stream broke off.
async function play(gaps, window, { size, hurry } = {}) {
  const clock = new Clock();
  const { came, reader } = streamOf(clock, gaps, size);
  const batches = new Batches(reader, window, clock);
  const [waited, seen] = [[], []];
  let reads = 0;
  try {
    for (;;) {
      const { done, value } = await clock.run(batches.read());
      if (done) return { waited, reads };
      reads++;
      for (let at = 0; at < value.length; at += Math.max(size ?? 8, 4)) {
        seen.push(new DataView(value.buffer, value.byteOffset + at).getUint32(0, true));
        waited.push(clock.time - came[waited.length]);
      }
      assert.deepEqual(
        seen,
        seen.map((_, i) => i),
      );
      if (seen.length === hurry) batches.hurry();
    }
  } catch (error) {
    return { waited, reads, error };
  }
}

const every = (n, gap) => Array(n).fill(gap);

describe("batches", () => {
  test("a fast stream is read once in each window, and no chunk waits for longer than that and 1 ms", async () => {
    for (const window of [20, 50, 100]) {
      const { waited, reads } = await play(every(500, 10), window);
      assert.equal(waited.length, 500);
      assert.ok(reads <= 3 + 5000 / window, `${reads} reads in windows of ${window} ms`);
      assert.ok(Math.max(...waited) <= window + 1, `${Math.max(...waited)} ms`);
      assert.deepEqual(waited.slice(0, 2), [0, 0], "the first ones go at once");
    }
  });

  test("a slow stream does not wait", async () => {
    for (const window of [20, 50, 1000]) {
      const { waited, reads } = await play(every(100, 50), window);
      assert.equal(reads, 100);
      assert.deepEqual(waited, every(100, 0));
    }
  });

  test("whatever the rhythm, no chunk waits for twice the window", async () => {
    let seed = 1;
    const random = (n) => (seed = (seed * 48271) % 2147483647) % n; // the same numbers in each run
    for (const window of [5, 50, 100]) {
      for (let run = 0; run < 20; run++) {
        const gaps = Array.from({ length: 300 }, () => random(1 << random(9)));
        const { waited } = await play(gaps, window);
        assert.equal(waited.length, 300);
        assert.ok(Math.max(...waited) <= 2 * window, `${Math.max(...waited)} ms in windows of ${window} ms`);
      }
    }
  });

  test("what falls silent in a window, comes at once, or is large, waits no longer", async () => {
    const { waited } = await play([...every(50, 5), 10_000, 0, 0, 3, 60_000], 50);
    assert.equal(waited.length, 55);
    assert.ok(Math.max(...waited) <= 51);
    const flood = await play(every(3000, 0), 50, { size: 1024 });
    assert.equal(flood.waited.length, 3000);
    assert.ok(Math.max(...flood.waited) <= 51, "one window passes, and not one for each 64 KB");
    const large = await play(every(20, 1), 50, { size: 100 << 10 });
    assert.equal(large.waited.length, 20);
    assert.ok(Math.max(...large.waited) <= 51);
  });

  test("nothing waits once the answer is complete", async () => {
    const { waited } = await play(every(100, 5), 50, { hurry: 2 });
    assert.deepEqual(waited.slice(2), every(98, 0));
  });

  test("what came before the stream broke off is read, and then the error is", async () => {
    for (let n = 1; n < 30; n++) {
      const broken = new Error("broken");
      const { waited, error } = await play([...every(n, 10), broken], 50);
      assert.equal(error, broken);
      // A ReadableStream drops its queue when it breaks off, so chunks of the last window may be
      // missing.
      assert.ok(waited.length >= n - 5, `${waited.length} of ${n}`);
    }
  });
});
