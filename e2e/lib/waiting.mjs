// How tests wait: for an event, for the end of a process, or with a timeout that is long enough for
// the machine.
import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:net";
import { setTimeout as pause } from "node:timers/promises";

// PATIENCE is the time in milliseconds after which a test counts as hung. A machine that is twenty
// times slower than a developer's needs a tenth of PATIENCE.
export const PATIENCE = 30 * 60_000;

// until calls look until look resolves with a truthy value, and resolves with the value.
export async function until(look) {
  const end = Date.now() + PATIENCE;
  for (let looks = 0; ; looks++) {
    const found = await look();
    if (found) return found;
    assert.ok(Date.now() < end, `not in ${PATIENCE / 60_000} minutes: ${look}`);
    await pause(Math.min(looks, 20));
  }
}

// ended resolves once a child process has exited and its complete output has been read: the event
// "exit" comes before the last lines. printed has both outputs in the order of arrival.
export async function ended(child) {
  const output = { stdout: "", stderr: "", printed: "" };
  for (const name of ["stdout", "stderr"]) {
    child[name]?.setEncoding("utf8").on("data", (text) => {
      output[name] += text;
      output.printed += text;
    });
  }
  const [code, signal] = await once(child, "close");
  return { code, signal, ...output };
}

// freePort resolves with a port that no program listens on. The port is below 32768: Linux takes the ports
// for connections, and for programs that ask for port 0, from 32768 on.
export async function freePort() {
  for (;;) {
    const port = 20_000 + Math.floor(Math.random() * 12_000);
    const server = createServer();
    const free = await new Promise((resolve, reject) =>
      server
        .on("error", (error) => (error.code === "EADDRINUSE" ? resolve(false) : reject(error)))
        .listen(port, "127.0.0.1", () => resolve(true)),
    );
    if (free) return new Promise((resolve) => server.close(() => resolve(port)));
  }
}

// TooSlow means: a timeout ran out before the test had done its part.
export class TooSlow extends Error {}

// longEnough calls attempt with a time in milliseconds, and resolves with attempt's result.
// Whenever attempt throws TooSlow, longEnough calls attempt again with ten times as much. A test of
// a timeout therefore passes on a machine of any speed.
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
