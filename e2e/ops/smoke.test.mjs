// The host's smoke command checks a deployed worker: here a worker on workerd. Its upstream is the
// demo in a second worker.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { fileURLToPath } from "node:url";
import { describe } from "node:test";
import { CLIENT_KEY, UPSTREAM_KEY } from "../lib/client.mjs";
import { test, worker } from "../lib/fixture.mjs";
import { TARGET, startDemo } from "../lib/target.mjs";
import { ended } from "../lib/waiting.mjs";

const root = fileURLToPath(new URL("../..", import.meta.url));

// smoke runs the command against a worker, and resolves with the exit code and the output.
const smoke = (url, key) =>
  ended(
    spawn("go", ["run", "./wasmtest", "smoke", "--url", url, "--yes", "--json"], {
      cwd: root,
      env: { ...process.env, EDGELINGUA_KEY: key },
      stdio: ["ignore", "pipe", "pipe"],
    }),
  );

describe("smoke", { skip: TARGET !== "workerd" && "the Go tests have it before the local host" }, () => {
  test("a deployed worker", async (t) => {
    const demo = await startDemo({ CLIENT_KEY: UPSTREAM_KEY });
    t.after(() => demo.close());
    const url = await worker(t, `${demo.url}/v1`, { UPSTREAM_PROTOCOL: "responses" });
    const { code, stdout, stderr } = await smoke(url, CLIENT_KEY);
    const { ok, checks, usage } = JSON.parse(stdout || "{}");
    assert.deepEqual(
      checks?.filter(({ ok }) => !ok),
      [],
      stderr,
    );
    assert.equal(code, 0);
    assert.ok(ok);
    assert.equal(checks.length, 44);
    assert.deepEqual(
      usage.map(({ path }) => path),
      ["/v1/messages", "/v1/chat/completions", "/v1/responses", "/v1beta/models/demo:generateContent"],
    );

    const refused = await smoke(url, "a-key-that-is-wrong");
    assert.equal(refused.stdout, "");
    assert.match(refused.stderr, /refuses the key/);
    assert.notEqual(refused.code, 0);
  });
});
