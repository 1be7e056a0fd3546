// What somebody with a key of one endpoint could try.
import assert from "node:assert/strict";
import { describe } from "node:test";
import { gzipSync } from "node:zlib";
import { ask } from "../lib/client.mjs";
import { enroll } from "../lib/endpoints.mjs";
import { test } from "../lib/fixture.mjs";
import { TARGET, start } from "../lib/target.mjs";
import { PATHS, PROTOCOLS, smallest } from "../lib/turns.mjs";
import { upstream } from "../lib/upstream.mjs";
import { ADMIN_KEY, plain, suite, through } from "../lib/usage.mjs";

describe("Models", () => {
  const f = suite();
  const COUNTS = { anthropic: "/v1/messages/count_tokens", responses: "/v1/responses/input_tokens" };

  // bodyOf returns the smallest request of a client for the model "ok", with more behind its members, as text.
  const bodyOf = (client, more = "", model = '"ok"') => JSON.stringify(smallest[client]({ model: 0 })).replace('"model":0', `"model":${model}`).replace(/\}$/, `${more && ","}${more}}`);

  // What is put into a request, and the path that its refusal names.
  const members = [
    ['"Model":"forbidden"', "Model"],
    ['"MODEL":"forbidden"', "MODEL"],
    ['"model":"forbidden"', "model"],
    ['"mod\\u0065l":"forbidden"', "model"],
    ['"\\u004dodel":"forbidden"', "Model"],
    ['"mo_del":"forbidden"', "mo_del"],
    ['"models":["ok","forbidden"]', "models"],
    ['"mode\\u006cs":["forbidden"]', "models"],
    ['"Models":["forbidden"]', "Models"],
    ['"fallbacks":[{"model":"forbidden"}]', "fallbacks"],
    ['"fallbac\u212as":["forbidden"]', "fallbac\u212as"],
    ['"route":"fallback","x":"forbidden"', "route"],
    ['"preset":"forbidden"', "preset"],
    ['"providerOptions":{"gateway":{"models":["forbidden"]}}', "providerOptions"],
    ['"user_config":{"model_list":[{"model_name":"ok","litellm_params":{"model":"forbidden"}}]}', "user_config"],
    ['"tools":[{"type":"x"},{"type":"advisor_20260301","name":"advisor","model":"forbidden"}]', "tools[1].model"],
    ['"tools":[{"type":"openrouter:fusion","x":"forbidden"}]', "tools[0].type"],
    ['"tools":[{"type":"openrouter:image_generation","parameters":{"model":"forbidden"}}]', "tools[0].parameters"],
    ['"plugins":[{"id":"fusion","analysis_models":["forbidden"]}]', "plugins[0].id"],
    ['"Stream":true,"x":"forbidden"', "Stream"],
    ['"\u017ftream":true,"x":"forbidden"', "\u017ftream"],
    ['"\\u017ftream":true,"x":"forbidden"', "\u017ftream"],
    ['"stream":false,"stream":true,"x":"forbidden"', "stream"],
    ['"stream":true,"Stream_options":{"include_usage":false},"x":"forbidden"', "Stream_options"],
    ['"stream":true,"stream_options":{"include_usage":true,"Include_usage":false},"x":"forbidden"', "stream_options.Include_usage"],
  ];
  const attacks = (client) => [
    ...members.map(([more, path]) => ({ name: more, body: bodyOf(client, more), path })),
    { name: "another case, first", body: bodyOf(client).replace("{", '{"Model":"forbidden",'), path: "Model" },
    { name: "a list", body: bodyOf(client, "", '["ok","forbidden"]'), path: "model" },
    { name: "a list in a name", body: bodyOf(client, "", '"ok,forbidden"'), path: "model" },
    { name: "the query", body: bodyOf(client), query: "?beta=true&model=forbidden", path: "model" },
    { name: "the query, in another case", body: bodyOf(client), query: "?Model=forbidden", path: "Model" },
    { name: "the query, escaped", body: bodyOf(client), query: "?mod%65l=forbidden", path: "mod%65l" },
    ...["gzip", "GZIP", "zstd", "identity, gzip"].map((coding) => ({
      name: `a body of ${coding}`, body: gzipSync(bodyOf(client, "", '"forbidden"')), headers: { "content-encoding": coding }, status: 415, path: "content-encoding",
    })),
    { name: "UTF-16, which Python reads", body: Buffer.from(bodyOf(client, "", '"forbidden"'), "utf16le"), path: "not JSON" },
    { name: "two values", body: `${bodyOf(client)}${bodyOf(client, "", '"forbidden"')}`, path: "not JSON" },
  ];

  // readLikeGo returns the model that a server takes which Go's encoding/json reads for: the last member in any case.
  const readLikeGo = (text) => {
    let last;
    JSON.parse(text.replace(/"((?:[^"\\]|\\.)*)"\s*:/g, (all, key) => `"${JSON.parse(`"${key}"`).toLowerCase()}":`), function (key, value) {
      if (key === "model" && typeof value === "string") last = value;
      return value;
    });
    return last;
  };

  const send = ({ name, key }, path, { body, query = "", headers }) => ask(f.url, { path: `/u/${name}${path}${query}`, headers: { "x-api-key": key, ...headers }, body });
  const served = (protocol) => (x) => x.answer(200, /count_tokens|input_tokens/.test(x.path) ? { input_tokens: 1, object: "response.input_tokens" } : plain[protocol]());

  for (const client of PROTOCOLS) {
    for (const protocol of PROTOCOLS) {
      test(`${client} to ${protocol}: none but the allowed model reaches the upstream`, async () => {
        f.up.serve(served(protocol));
        const e = await f.endpoint({ upstreams: [through(protocol, f.up)], limits: { models: ["ok*"], concurrent_streams: 9 } });
        for (const path of [PATHS[client], client === protocol && COUNTS[client]].filter(Boolean)) {
          for (const attack of attacks(client)) {
            const { status, text } = await send(e, path, attack);
            for (const x of f.up.requests) assert.equal(readLikeGo(x.body.toString()), "ok", `${path}: ${attack.name}`);
            assert.equal(f.up.requests.length, 0, `${path}: ${attack.name}: ${status}`);
            assert.equal(status, attack.status ?? 400, `${path}: ${attack.name}: ${text}`);
            const { error, type } = JSON.parse(text);
            assert.equal(type, client === "anthropic" ? "error" : undefined);
            assert.equal(error.type, "invalid_request_error");
            const at = client === "anthropic" ? attack.path.replace(/\[(\d+)\]/, ".$1") : attack.path; // as Anthropic writes a path
            assert.ok(error.message.includes(at) || error.param === at, `${attack.name}: ${text}`);
          }
        }
      });
    }

    test(`${client}: what only counts takes other models, but no second one`, async () => {
      f.up.serve(served(client));
      for (const record of [{ usage: true }, { limits: { concurrent_streams: 9 } }]) {
        const e = await f.endpoint({ upstreams: [through(client, f.up)], ...record });
        f.up.requests.length = 0;
        assert.equal((await send(e, PATHS[client], { body: bodyOf(client, '"models":["a","b"],"route":"fallback"') })).status, 200);
        assert.equal(f.up.requests.length, 1);
        for (const more of ['"Model":"b"', '"Stream":true', '"stream":false,"stream":true']) assert.equal((await send(e, PATHS[client], { body: bodyOf(client, more) })).status, 400);
        assert.equal(f.up.requests.length, 1);
      }
    });

    test(`${client}: honest requests pass byte for byte`, async () => {
      f.up.serve(served(client));
      const e = await f.endpoint({ upstreams: [through(client, f.up)], limits: { models: ["ok*"] } });
      const schema = '{"type":"object","properties":{"model":{"type":"string"},"Model":{},"models":{"type":"array"}}}';
      for (const more of [
        "",
        ' "models" : [] , "fallbacks":null,"metadata":{"model":"a","Model":"b"}',
        `"tools":[{"type":"function","name":"f","parameters":${schema},"function":{"name":"model","parameters":${schema}}},{"name":"models","input_schema":${schema}}],"tool_choice":"auto"`,
        '"stream":false,"stream_options":null',
        '"x":[{"model":"a","model":"b"},"Model"]',
      ]) {
        const body = bodyOf(client, more);
        assert.equal((await send(e, PATHS[client], { body, query: "?beta=true&x=model" })).status, 200, more);
        assert.equal(f.up.requests.at(-1).body.toString(), body);
      }
    });

    test(`${client}: without limits all of it passes as it is`, async () => {
      f.up.serve(served(client));
      const e = await f.endpoint({ upstreams: [through(client, f.up)] });
      for (const attack of attacks(client)) {
        assert.equal((await send(e, PATHS[client], attack)).status, 200, attack.name);
        assert.deepEqual(f.up.requests.at(-1).body, Buffer.from(attack.body), attack.name);
      }
    });
  }
});

describe("ALLOW_HTTP_UPSTREAM", () => {
  const SEAL_KEY = Buffer.alloc(32, 7).toString("base64");

  test("only true lets an endpoint have a local upstream, and other words are an error", async (t) => {
    const up = await upstream();
    t.after(() => up.close());
    up.serve((x) => x.answer(200, plain.chat()));
    const record = { upstreams: [through("chat", up)] };
    for (const [word, refusal] of [["true", undefined], ["false", /must begin with https/], ...["False", "off", "0.0", ""].map((word) => [word, /ALLOW_HTTP_UPSTREAM must be true or false/])]) {
      up.renew();
      up.serve((x) => x.answer(200, plain.chat()));
      const config = { ADMIN_KEY, SEAL_KEY, ALLOW_HTTP_UPSTREAM: word };
      if (TARGET === "wazero" && /ALLOW/.test(refusal)) {
        await assert.rejects(start(config, { faults: true }), refusal, "the host does not start");
        continue;
      }
      const target = await start(config, { faults: true, state: true });
      try {
        const key = await enroll(target.url, "anna", record);
        const { status, text } = await ask(target.url, { path: `/u/anna${PATHS.chat}`, headers: { "x-api-key": key }, body: smallest.chat() });
        assert.equal(status, refusal ? 500 : 200, `${word}: ${text}`);
        if (refusal) assert.match(text, refusal);
        const admin = { authorization: `Bearer ${ADMIN_KEY}` };
        const made = await ask(target.url, { path: "/admin/api/endpoints", headers: admin, body: { name: "made", ...record } });
        assert.equal(made.status, !refusal ? 201 : word === "false" ? 400 : 500, made.text);
        if (refusal) assert.match(made.text, refusal);
        const tried = await ask(target.url, { path: "/admin/api/endpoints/anna/test", headers: admin, body: {} });
        if (refusal) assert.match(tried.text, refusal);
        assert.equal(up.requests.length, refusal ? 0 : 2);
      } finally {
        await target.close();
      }
    }
  });
});
