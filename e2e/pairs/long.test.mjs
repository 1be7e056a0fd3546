// Long texts of a request. The module notes their positions, and the host puts them into the
// upstream's body: every character must arrive, between all protocols.
import assert from "node:assert/strict";
import { describe } from "node:test";
import { ask } from "../lib/client.mjs";
import { fixture, test } from "../lib/fixture.mjs";
import { PATHS, PROTOCOLS, smallest, upstreams } from "../lib/turns.mjs";

const said = { text: "Hi", calls: [], usage: { input: 11, cached: 0, output: 7 } };
const part = 'é "quoted" \\ back\n\t\u0001 😀 ';

// Lengths around the minimum for a reference, and far above; next to long texts and next to short
// texts.
const texts = [1022, 1023, 1024, 1025, 3, 100_000, 2048, 1, 70_000].map(
  (n) => part.repeat(Math.ceil(n / part.length)).slice(0, n - 1) + ".",
);
const turns = texts.map((content, i) => ({ role: i % 2 ? "assistant" : "user", content }));

function* strings(value) {
  if (typeof value === "string") yield value;
  else if (value) for (const member of Object.values(value)) yield* strings(member);
}

for (const protocol of PROTOCOLS) {
  describe(`long texts to ${protocol}`, () => {
    const f = fixture({ UPSTREAM_PROTOCOL: protocol });
    for (const client of PROTOCOLS.filter((client) => client !== protocol)) {
      for (const stream of [false, true]) {
        test(`from ${client}, ${stream ? "streamed" : "plain"}`, async () => {
          f.up.serve((x) => upstreams[protocol].play(x, said));
          const body = smallest[client]({ stream, [client === "responses" ? "input" : "messages"]: turns });
          const { status, text } = await ask(f.url, { path: PATHS[client], body });
          assert.equal(status, 200, text);
          const got = [...strings(f.up.requests[0].json)];
          for (const long of texts) assert.ok(got.includes(long), `a text of ${long.length} characters`);
        });
      }
    }
  });
}
