// The golden corpus as exchanges of wasmtest/corpus: upstream and client must get the same bytes as
// from the native translator. The runtimes differ only in an answer's time. On the local host
// wasmtest/cli/corpus_test.go runs all exchanges, also those with options.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { describe } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { ask } from "../lib/client.mjs";
import { fixture, test } from "../lib/fixture.mjs";
import { TARGET } from "../lib/target.mjs";
import { EVERY } from "../lib/turns.mjs";

const root = fileURLToPath(new URL("../..", import.meta.url));
const skip = TARGET !== "workerd" && "wasmtest/cli/corpus_test.go runs it there";
const corpus = skip ? [] : await exchanges();

const bytes = (base64) => Buffer.from(base64 ?? "", "base64");
const began = Math.floor(Date.now() / 1000);

// timeless returns a body with the corpus's time instead of times of the run.
const timeless = (text) =>
  text.replace(/(?<!\d)\d{10}(?!\d)/g, (n) => (began <= n && n <= Date.now() / 1000 ? "1700000000" : n));

// isDefault reports whether a worker without options can serve an exchange. A local server's URL
// replaces the exchange's upstream URL; neither server is known to the translator.
const isDefault = ({ settings: { UPSTREAM_PROTOCOL, UPSTREAM_URL, ...rest } }) =>
  UPSTREAM_URL === "https://upstream.example" && Object.keys(rest).length === 0;

async function exchanges() {
  const { stdout } = await promisify(execFile)("go", ["run", "./wasmtest/corpus/exchanges"], {
    cwd: root,
    maxBuffer: 1 << 30,
  });
  return stdout.trimEnd().split("\n").map(JSON.parse);
}

async function run(f, { scenario, path, streamed, request, answer, want }) {
  const name = `${scenario}, ${streamed ? "streamed" : "plain"}`;
  const asked = [];
  f.up.serve((x) => {
    asked.push(x.body.toString());
    return x.answer(answer.status, bytes(answer.body), {
      "content-type": answer.sse ? "text/event-stream" : "application/json",
    });
  });
  const got = await ask(f.url, { path, body: bytes(request) });
  assert.deepEqual(asked, want.url ? [bytes(want.request).toString()] : [], name);
  assert.equal(got.status, want.status, name);
  assert.equal(got.headers["x-edgelingua-lost"] ?? "", want.lost, name);
  assert.equal(timeless(got.text), bytes(want.body).toString(), name);
}

for (const upstream of EVERY) {
  describe(`corpus to ${upstream}`, { skip }, () => {
    const f = fixture({ UPSTREAM_PROTOCOL: upstream });
    for (const client of EVERY) {
      const chosen = corpus.filter((x) => x.client === client && x.upstream === upstream && isDefault(x));
      test(`${client} to ${upstream}, ${chosen.length} exchanges`, async () => {
        assert.ok(chosen.length > 50);
        for (const x of chosen) await run(f, x);
      });
    }
  });
}
