// How much of the module V8 compiles before the first answer of an isolate. The answer waits for
// V8.
import assert from "node:assert/strict";
import { after, before, describe } from "node:test";
import { compiledFor } from "../bench/compiled.mjs";
import { plain } from "../lib/chat.mjs";
import { ask, params } from "../lib/client.mjs";
import { defaults, test } from "../lib/fixture.mjs";
import { TARGET, build, modulesOf } from "../lib/target.mjs";
import { upstream } from "../lib/upstream.mjs";

// The most bytes of compiled functions. An answer that the worker has to wait for takes 435 functions, and
// one that is there at once 434.
const MOST = 220_000;

describe(
  "what V8 compiles",
  { skip: (TARGET !== "workerd" || process.platform !== "linux") && "V8 says it on Linux alone" },
  () => {
    let up;
    before(async () => (up = await upstream()));
    after(() => up?.close());

    test(`a plain answer takes ${MOST / 1000} KB of the module's functions at most`, async () => {
      up.serve((x) => x.answer(200, plain({ content: "Hello" })));
      const modules = await modulesOf(build);
      const { functions, bytes } = await compiledFor(
        { modules, env: defaults(up.url), kv: new URL(up.url).host },
        async (at) => {
          assert.equal((await ask(at.url, { body: params() })).status, 200);
        },
      );
      assert.ok(functions > 100, `${functions} functions`);
      assert.ok(
        bytes <= MOST,
        `${functions} functions of ${bytes} bytes: RATIONALE.md, "Why must some functions not be inlined?"`,
      );
    });
  },
);
