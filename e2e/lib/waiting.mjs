// How tests wait: for an event, for the end of a process, and for a time that is long enough for the machine.
import assert from "node:assert/strict";
import { once } from "node:events";
import { setTimeout as pause } from "node:timers/promises";

// PATIENCE is the time after which a test counts as hung, in milliseconds. A machine that is twenty
// times slower than a developer's needs a tenth of it.
export const PATIENCE = 30 * 60_000;

// until calls look until it resolves with something true, and resolves with that.
export async function until(look) {
  const end = Date.now() + PATIENCE;
  for (let looks = 0; ; looks++) {
    const found = await look();
    if (found) return found;
    assert.ok(Date.now() < end, `not in ${PATIENCE / 60_000} minutes: ${look}`);
    await pause(Math.min(looks, 20));
  }
}

// ended resolves once a child process has exited and everything that it printed has been read: the
// event "exit" comes before the last lines. printed has both outputs in the order of their arrival.
export async function ended(child) {
  const said = { stdout: "", stderr: "", printed: "" };
  for (const name of ["stdout", "stderr"]) {
    child[name]?.setEncoding("utf8").on("data", (text) => {
      said[name] += text;
      said.printed += text;
    });
  }
  const [code, signal] = await once(child, "close");
  return { code, signal, ...said };
}

// TooSlow says that a timeout ran out before the test had done its part.
export class TooSlow extends Error {}

// longEnough calls attempt with a time in milliseconds. Whenever attempt throws TooSlow, it calls
// attempt again with ten times as much. So a test of a timeout passes on a machine of any speed.
// It resolves with the result of attempt.
export async function longEnough(time, attempt) {
  for (;;) {
    try {
      return await attempt(time);
    } catch (error) {
      if (!(error instanceof TooSlow) || time * 10 > PATIENCE) throw error;
      time *= 10;
    }
  }
}
