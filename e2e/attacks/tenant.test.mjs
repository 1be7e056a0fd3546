// What a tenant could try against the others, or against the limits of its own endpoint.
import assert from "node:assert/strict";
import { after, before, beforeEach, describe } from "node:test";
import { answer } from "../lib/chat.mjs";
import { open, params, textOf } from "../lib/client.mjs";
import { enroll } from "../lib/endpoints.mjs";
import { defaults, test } from "../lib/fixture.mjs";
import { dial, unfinished } from "../lib/sockets.mjs";
import { TARGET, start } from "../lib/target.mjs";
import { upstream } from "../lib/upstream.mjs";

describe("Places", { skip: TARGET !== "wazero" && "Cloudflare shares out its machines itself" }, () => {
  const PLACES = 8; // of one endpoint; all of them together have a quarter more
  const ADMIN_KEY = "admin-key-of-the-tests";
  const keys = {};
  let slow, quick, target;
  before(async () => {
    [slow, quick] = [await upstream(), await upstream()];
    const config = { ...defaults(quick.url), ALLOW_HTTP_UPSTREAM: "true", ADMIN_KEY };
    target = await start(config, { faults: true, state: true, flags: ["--max-concurrent", String(PLACES)] });
    const through = (up, protocol) => ({ upstreams: [{ name: "up", protocol, url: protocol === "chat" ? up.url : up.url.replace("/v1", "") }] });
    keys.anna = await enroll(target.url, "anna", through(slow, "anthropic"));
    keys.ben = await enroll(target.url, "ben", through(quick, "chat"));
    quick.serve((x) => answer(x));
  });
  beforeEach(() => slow.renew());
  after(async () => {
    await target?.close();
    await slow?.close();
    await quick?.close();
  });

  const ask = async (path, headers, body = params()) => {
    const reply = await open(target.url, { path, headers, body }).reply;
    return { status: reply.status, text: await textOf(reply.body) };
  };
  const opened = async (n) => {
    while ((await (await fetch(`${target.url}/healthz`)).json()).open_requests !== n);
  };

  const whole = (method, path, body = "") => (key) => `${method} /u/anna${path} HTTP/1.1\r\nhost: test\r\nx-api-key: ${key}\r\ncontent-length: ${body.length}\r\n\r\n${body}`;
  const ways = {
    "counts of tokens on a slow upstream": whole("POST", "/v1/messages/count_tokens", JSON.stringify(params())),
    "lists of models of a slow upstream": whole("GET", "/v1/models"),
    "one model of a slow upstream": whole("GET", "/v1/models/m"),
    "answers of a slow upstream": whole("POST", "/v1/messages", JSON.stringify(params())),
    "bodies that it holds back": (key) => unfinished("/u/anna/v1/messages", { "x-api-key": key }),
    "bodies that it holds back, by the key in the path": (key) => unfinished(`/k/${key}/v1/messages`),
    "bodies that it holds back from the owner's API": (key) => unfinished("/u/anna/api/rotate", { "x-api-key": key }),
  };
  for (const [name, text] of Object.entries(ways)) {
    test(`${name} leave room for others`, async () => {
      const [held, others] = [[], []];
      for (let i = 0; i < PLACES; i++) held.push(await dial(target.url, text(keys.anna)));
      await opened(PLACES);
      const refused = await ask("/u/anna/v1/messages", { "x-api-key": keys.anna });
      assert.equal(refused.status, 529, refused.text);
      assert.match(JSON.parse(refused.text).error.message, /as many requests open as it takes/);
      assert.equal((await ask("/u/ben/v1/messages", { "x-api-key": keys.ben })).status, 200);
      assert.equal((await ask("/v1/messages")).status, 200, "the deployment's own endpoint");

      // All places are taken, and one is given back: the endpoint with many does not get it, who has none does.
      for (let i = 0; i < 2; i++) others.push(await dial(target.url, unfinished("/u/ben/v1/messages", { "x-api-key": keys.ben })));
      await opened(PLACES + 2);
      held.pop().close();
      await opened(PLACES + 1);
      const share = await ask("/u/anna/v1/messages", { "x-api-key": keys.anna });
      assert.equal(share.status, 529, share.text);
      assert.match(JSON.parse(share.text).error.message, /share/);
      assert.equal((await ask("/v1/messages")).status, 200);
      const made = await open(target.url, { path: "/admin/api/endpoints", method: "GET", headers: { "x-api-key": ADMIN_KEY } }).reply;
      assert.equal(made.status, 200, await textOf(made.body));
      for (const conn of [...held, ...others]) conn.close();
      await opened(0);
    });
  }

  test("a target that is no path names nobody's place", async () => {
    const targets = ["x::80/u/anna/v1/messages", "x:/u/anna", "*", "http:u/anna/v1/messages"].map((to) => unfinished(to, { "x-api-key": keys.anna }));
    for (const text of targets) {
      const conn = await dial(target.url, text);
      assert.ok([400, 404, 405].includes((await conn.answer()).status), text);
      conn.close();
    }
    await opened(0);
  });
});
