// An endpoint that shortens the tool descriptions of clients, between all protocols.
import assert from "node:assert/strict";
import { after, before, beforeEach, describe } from "node:test";
import { ask } from "../lib/client.mjs";
import { enroll } from "../lib/endpoints.mjs";
import { test } from "../lib/fixture.mjs";
import { start } from "../lib/target.mjs";
import { PATHS, PROTOCOLS, upstreams } from "../lib/turns.mjs";
import { upstream } from "../lib/upstream.mjs";

const options = { tool_descriptions: { first_sentence: true, max: 30, tools: { "mcp__*": "keep" } } };
const ADMIN_KEY = "admin-key-of-the-tests";
const said = { text: "Hi", calls: [], usage: { input: 11, cached: 0, output: 7 } };

// The descriptions of a request's tools, by name, and their shortened forms.
const whole = {
  get: 'Gets a "value". By its name.',
  put: "Puts a value that is given behind its name 😀",
  mcp__a__b: "Stays. As it is, and it is long.",
};
const left = { get: 'Gets a "value".', put: "Puts a value that is given", mcp__a__b: whole.mcp__a__b };
const schemaOf = (text) => ({
  type: "object",
  properties: { description: { type: "string", description: text, enum: ["One. Two."] } },
});

const named = (client, name) => {
  const [description, schema] = [whole[name], schemaOf(whole[name])];
  if (client === "chat") return { type: "function", function: { name, description, parameters: schema } };
  return client === "anthropic"
    ? { name, description, input_schema: schema }
    : { type: "function", name, description, parameters: schema, strict: false };
};
const bodyOf = (client) => ({
  model: "m",
  ...(client === "responses" ? { input: "hi" } : { messages: [{ role: "user", content: "hi" }] }),
  tools: Object.keys(whole).map((name) => named(client, name)),
});

// toldOf returns the description and the schema of each tool in an upstream's request.
const toldOf = ({ tools }) =>
  Object.fromEntries(
    tools.map((t) => [
      (t.function ?? t).name,
      [(t.function ?? t).description, (t.function ?? t).parameters ?? t.input_schema],
    ]),
  );
const told = Object.fromEntries(Object.entries(left).map(([name, text]) => [name, [text, schemaOf(text)]]));
const cut =
  Object.keys(whole).reduce(
    (sum, name) => sum + 2 * (JSON.stringify(whole[name]).length - JSON.stringify(left[name]).length),
    0,
  ) +
  2 * 2; // 😀 has 2 units, and 4 bytes

describe("short descriptions of tools", () => {
  const f = {};
  const keys = {};
  let target;
  before(async () => {
    f.up = await upstream();
    target = await start({ ADMIN_KEY, ALLOW_HTTP_UPSTREAM: "true" }, { faults: true, state: true });
    for (const protocol of PROTOCOLS) {
      const url = protocol === "anthropic" ? f.up.url.replace(/\/v1$/, "") : f.up.url;
      keys[protocol] = await enroll(target.url, protocol, {
        options,
        upstreams: [{ name: "up", protocol, url }],
      });
    }
  });
  beforeEach(() => f.up.renew());
  after(async () => {
    await target?.close();
    await f.up?.close();
  });

  // lineOf resolves with the log line of a path.
  async function lineOf(path) {
    for (;;) {
      const line = await target.lines.next();
      if (line.path === path) return line;
    }
  }

  for (const protocol of PROTOCOLS) {
    const send = (path, body) =>
      ask(target.url, { path: `/u/${protocol}${path}`, headers: { "x-api-key": keys[protocol] }, body });

    for (const client of PROTOCOLS) {
      for (const stream of [false, true]) {
        test(`${client} to ${protocol}, ${stream ? "streamed" : "plain"}`, async () => {
          f.up.serve((x) => upstreams[protocol].play(x, said));
          const more = client === "anthropic" ? { max_tokens: 9 } : {};
          const { status, text, headers } = await send(PATHS[client], { ...bodyOf(client), ...more, stream });
          assert.equal(status, 200, text);
          assert.deepEqual(toldOf(f.up.requests[0].json), told);
          assert.doesNotMatch(headers["x-edgelingua-lost"] ?? "", /tools/);
          const line = await lineOf(`/u/${protocol}${PATHS[client]}`);
          assert.deepEqual([line.tool_descriptions_cut, line.endpoint], [cut, protocol]);
        });
      }
    }

    test(`the count of tokens is that of what is left, before an upstream that speaks ${protocol}`, async () => {
      const [path, body] = ["/v1/messages/count_tokens", bodyOf("anthropic")];
      const { status, text } = await send(path, body);
      const short = {
        ...body,
        tools: Object.keys(whole).map((name) => ({
          name,
          description: left[name],
          input_schema: schemaOf(left[name]),
        })),
      };
      assert.deepEqual([status, text], [200, (await send(path, short)).text]);
      assert.equal(f.up.requests.length, 0);
      assert.equal((await lineOf(`/u/${protocol}${path}`)).tool_descriptions_cut, undefined);
    });
  }

  test("a request without tools, and one whose tools say little", async () => {
    for (const tools of [
      undefined,
      [{ name: "get", description: "Gets.", input_schema: { type: "object" } }],
    ]) {
      f.up.serve((x) => upstreams.chat.play(x, said));
      await ask(target.url, {
        path: "/u/chat/v1/messages",
        headers: { "x-api-key": keys.chat },
        body: { ...bodyOf("anthropic"), max_tokens: 9, tools },
      });
      assert.equal("tool_descriptions_cut" in (await lineOf("/u/chat/v1/messages")), false);
    }
  });

  test("a value that is none is refused in its place", async () => {
    const wrong = {
      name: "bad",
      options: { tool_descriptions: { tools: { get: { max: 0 } } } },
      upstreams: [{ name: "up", protocol: "chat", url: f.up.url }],
    };
    const { status, text } = await ask(target.url, {
      path: "/admin/api/endpoints",
      headers: { "x-api-key": ADMIN_KEY },
      body: wrong,
    });
    assert.equal(status, 400, text);
    assert.match(
      text,
      /options\.tool_descriptions\.tools\.get\.max must be a whole number of characters from 1 to 1000000/,
    );
  });
});
