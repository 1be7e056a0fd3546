// The memory of concurrently open streams: all streams of an isolate share 128 MB.
import assert from "node:assert/strict";
import { fork } from "node:child_process";
import { once } from "node:events";
import { after, before, describe } from "node:test";
import { fileURLToPath } from "node:url";
import { held, observable } from "../bench/memory.mjs";
import { startSubject } from "../bench/process.mjs";
import { defaults, test } from "../lib/fixture.mjs";
import { TARGET, build, modulesOf } from "../lib/target.mjs";

const [KB, MB] = [2 ** 10, 2 ** 20];

describe(
  "memory of an open stream",
  {
    skip: (TARGET !== "workerd" || process.platform !== "linux") && "the bounds are of Cloudflare's isolates",
  },
  () => {
    let upstream, at;
    before(async () => {
      upstream = fork(fileURLToPath(new URL("../bench/upstream.mjs", import.meta.url)), ["serve"]);
      const [[port]] = await once(upstream, "message");
      at = await startSubject({
        modules: observable(await modulesOf(build)),
        env: defaults(`http://127.0.0.1:${port}/v1`),
      });
    });
    after(async () => {
      await at?.close();
      upstream.kill();
    });

    for (const [asked, size, most] of [
      ["10 KB: 409 are in 128 MB", 10 * KB, (128 * MB) / 409],
      ["1 MB", MB, 3 * MB],
      ["16 MB", 15.9 * MB, 30 * MB],
    ]) {
      test(`of a Messages client whose request has ${asked}`, async () => {
        const { wasm } = await held(at, "anthropic", size, 1);
        assert.ok(
          wasm <= most,
          `${wasm} bytes of memory, ${most} at most: e2e/bench/MEASUREMENTS.md, "Memory"`,
        );
      });
    }
  },
);
