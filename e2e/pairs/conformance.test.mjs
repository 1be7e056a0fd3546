// The conformance suite (wasmtest/conform) at the built worker on the runtime in TARGET.
// wasmtest/cli/conform_test.go runs the suite on the native engine with all upstreams; here one upstream
// is enough, unless ./build.sh test --full sets FULL.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { describe } from "node:test";
import { promisify } from "node:util";
import { CLIENT_KEY } from "../lib/client.mjs";
import { defaults, test } from "../lib/fixture.mjs";
import { goProgram } from "../lib/programs.mjs";
import { NATIVE, start } from "../lib/target.mjs";
import { freePort } from "../lib/waiting.mjs";

// The protocols of edgelingua for the names of the suite, and the paths of their base URLs.
const upstreams = {
  messages: ["anthropic", ""],
  ...(process.env.FULL && {
    chat: ["chat", "/v1"],
    responses: ["responses", "/v1"],
    gemini: ["gemini", ""],
    interactions: ["interactions", ""],
  }),
};

// At an unknown address a server of Messages gets no breakpoints for clients whose API has none, and one of
// Responses gets no prompt_cache_key and no parallel_tool_calls.
const known = {
  messages: ["chat/cache/2.4", "responses/cache/2.4"],
  responses: ["messages/tools/7.5", "chat/cache/2.4", "chat/tools/7.5"],
};

describe("the conformance suite", { skip: NATIVE && "wasmtest/cli/conform_test.go runs it there" }, () => {
  for (const [name, [protocol, path]] of Object.entries(upstreams))
    test(`passes with an upstream of ${name}`, async (t) => {
      const address = `127.0.0.1:${await freePort()}`;
      const worker = await start({
        ...defaults(`http://${address}${path}`),
        UPSTREAM_PROTOCOL: protocol,
      });
      t.after(() => worker.close());
      const program = await goProgram("PROGRAM", "edgelingua", "./wasmtest");
      // check resolves with the failed cases of a run, and the numbers of results by state.
      const check = async (...only) => {
        const { stdout } = await promisify(execFile)(
          program,
          ["check", "--json", "--upstream", name, "--listen", address, ...only, worker.url],
          { env: { ...process.env, EDGELINGUA_KEY: CLIENT_KEY }, maxBuffer: 1 << 26 },
        ).catch((error) => error);
        const { reports, counts } = JSON.parse(stdout);
        assert.equal(reports[0].stopped, undefined);
        return { failed: reports[0].results.filter(({ state }) => state === "failed"), counts };
      };
      let { failed, counts } = await check();
      // The suite waits 10 seconds for the end of a connection, beside all other cases. On a busy machine
      // that may be too short, so such a case gets a run of its own.
      const waits = failed.filter(({ id }) => id.includes("/connection/")).map(({ id }) => id);
      if (waits.length > 0) {
        const { failed: still } = await check("--only", waits.join(","));
        failed = failed.filter(({ id }) => !waits.includes(id) || still.some((other) => other.id === id));
      }
      assert.deepEqual(
        failed.map(({ id }) => id),
        known[name] ?? [],
        JSON.stringify(failed, null, 1),
      );
      assert.ok(counts.passed > 600, JSON.stringify(counts));
    });
});
