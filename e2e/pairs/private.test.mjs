// No upstream learns the client's identity: it gets no cookies, no address, and no header of
// proxies about either.
import assert from "node:assert/strict";
import { describe } from "node:test";
import { CLIENT_KEY, ask } from "../lib/client.mjs";
import { fixture, test } from "../lib/fixture.mjs";
import { PATHS, PROTOCOLS, smallest, upstreams } from "../lib/turns.mjs";

const names =
  `cookie forwarded via x-forwarded-for x-forwarded-host x-forwarded-proto x-real-ip true-client-ip
  x-client-ip cf-connecting-ip cf-connecting-ipv6 cf-pseudo-ipv4 cf-ipcountry cf-ray cf-visitor cf-worker
  cf-ew-via cf-access-jwt-assertion cf-access-client-id cf-access-client-secret
  cf-access-authenticated-user-email cdn-loop x-request-id proxy-authorization referer origin
  x-goog-api-key api-key openai-organization openai-project sec-ch-ua x-anything`.split(/\s+/);

for (const upstream of PROTOCOLS) {
  describe(`to ${upstream}`, () => {
    const f = fixture({ UPSTREAM_PROTOCOL: upstream });

    for (const client of PROTOCOLS) {
      test(`no header of ${client} that says who asks`, async () => {
        f.up.serve((x) =>
          x.method === "GET" || /tokens$/.test(x.path)
            ? x.answer(200, { data: [] })
            : upstreams[upstream].play(x, {
                text: "Hi",
                calls: [],
                usage: { input: 1, cached: 0, output: 1 },
              }),
        );
        const secret = Object.fromEntries(names.map((name) => [name, `who-asks-by-${name}`]));
        const headers = { ...secret, "x-api-key": CLIENT_KEY, authorization: `Bearer who-asks-as-well` };
        for (const [method, path, body] of [
          ["POST", PATHS[client], smallest[client]()],
          ["POST", PATHS[client], smallest[client]({ stream: true })],
          [
            "POST",
            client === "responses" ? "/v1/responses/input_tokens" : "/v1/messages/count_tokens",
            smallest[client](),
          ],
          ["GET", "/v1/models", undefined],
        ]) {
          const got = await ask(f.url, { method, path, headers, body });
          assert.equal(got.status, 200, got.text);
        }
        assert.ok(f.up.requests.length >= 3);
        for (const x of f.up.requests) {
          assert.ok(!JSON.stringify(x.headers).includes("who-asks"), JSON.stringify(x.headers));
          assert.ok(!JSON.stringify(x.headers).includes(CLIENT_KEY));
        }
      });
    }
  });
}
