// Vertex AI: a service account's key, exchanged for Google's token; Claude by rawPredict, and
// Gemini by Chat Completions. One double replaces Google's servers
// (docs.cloud.google.com/vertex-ai/generative-ai/docs/partner-models/claude/use-claude,
// .../docs/migrate/openai/overview).
import assert from "node:assert/strict";
import { createPublicKey, generateKeyPairSync, verify } from "node:crypto";
import { after, before, beforeEach, describe } from "node:test";
import { CLIENT_KEY } from "../lib/client.mjs";
import { test } from "../lib/fixture.mjs";
import { answer } from "../lib/spoken.mjs";
import { start } from "../lib/target.mjs";
import { upstream } from "../lib/upstream.mjs";
import { settingsOf } from "../../worker/workerd/lines.mjs";

const HOST = "us-east5-aiplatform.googleapis.com";
const FOLDER = "/v1/projects/my-project/locations/us-east5";
const URL_ = `https://${HOST}${FOLDER}`;
const ADMIN_KEY = "admin-key-of-the-tests-0123456789";
const SEAL_KEY = Buffer.alloc(32, 7).toString("base64");
const OPUS = "claude-opus-4-5@20251101";
const models = JSON.stringify({ "claude-*": OPUS, "gemini-*": "google/gemini-2.5-pro" });

const pair = () =>
  generateKeyPairSync("rsa", {
    modulusLength: 2048,
    privateKeyEncoding: { type: "pkcs8", format: "pem" },
    publicKeyEncoding: { type: "spki", format: "pem" },
  });
const keys = pair();
const account = (more) => ({
  type: "service_account",
  project_id: "my-project",
  private_key_id: "1",
  private_key: keys.privateKey,
  client_email: "e2e@my-project.iam.gserviceaccount.com",
  token_uri: "https://evil.example/token",
  ...more,
});
const messages = { model: "claude-opus", max_tokens: 64, messages: [{ role: "user", content: "q" }] };

test("the program gets no private key of the settings", () => {
  const settings = settingsOf({ UPSTREAM_KEY: JSON.stringify(account(), null, 2), CLIENT_KEY, SEAL_KEY });
  assert.ok(
    settings.includes(account().client_email) &&
      settings.includes('"private_key":"-"') &&
      !settings.includes("PRIVATE"),
    settings,
  );
  for (const key of ["", "sk-key", "{", '{"a":1}'])
    assert.equal(settingsOf({ UPSTREAM_KEY: key }), `UPSTREAM_KEY\0${key}\0`);
});

describe("Vertex AI", () => {
  let up, own, gemini, persons, fetching, tokens, grant, model;
  const vars = {
    UPSTREAM_PROTOCOL: "anthropic",
    UPSTREAM_URL: URL_,
    UPSTREAM_KEY: JSON.stringify(account(), null, 2),
    CLIENT_KEY,
    MODELS: models,
  };
  before(async () => {
    up = await upstream();
    [own, gemini, persons, fetching] = await Promise.all([
      start(vars, { connect: up }),
      start({ ...vars, UPSTREAM_PROTOCOL: "chat" }, { connect: up }),
      start(
        {
          ...vars,
          UPSTREAM_KEY: JSON.stringify(account({ client_email: "other@x.iam" })),
          ADMIN_KEY,
          SEAL_KEY,
        },
        { connect: up, state: true },
      ),
      start({ ...vars, OPTIONS: JSON.stringify({ web_fetch: {} }) }, { connect: up }),
    ]);
  });
  beforeEach(() => {
    up.renew();
    tokens = [];
    grant = (x) =>
      x.answer(200, { access_token: `ya29.token-${tokens.length}`, expires_in: 3599, token_type: "Bearer" });
    model = (x) => answer(x, /openapi/.test(x.path) ? "chat" : "anthropic", { text: "Hello." }, 1);
    up.serve((x) => {
      if (x.headers.host !== "oauth2.googleapis.com") return model(x);
      assert.equal(x.path, "/token");
      tokens.push(new URLSearchParams(x.body.toString()));
      return grant(x);
    });
  });
  after(() => Promise.all([own, gemini, persons, fetching, up].map((one) => one?.close())));

  const post = async (target, path, body, headers) => {
    const response = await fetch(target.url + path, {
      method: "POST",
      headers: { "content-type": "application/json", "x-api-key": CLIENT_KEY, ...headers },
      body: JSON.stringify(body),
    });
    return { status: response.status, text: await response.text() };
  };
  const asked = () => up.requests.filter(({ headers }) => headers.host === HOST);
  const admin = async (method, path, body) => {
    const response = await fetch(`${persons.url}/admin/api${path}`, {
      method,
      headers: { authorization: `Bearer ${ADMIN_KEY}`, "content-type": "application/json" },
      body: body && JSON.stringify(body),
    });
    return { status: response.status, json: await response.json().catch(() => null) };
  };

  for (const stream of [false, true]) {
    const how = stream ? "streamed" : "plain";

    test(`Claude for a client of Messages, whose bytes pass, ${how}`, async () => {
      const { status, text } = await post(
        own,
        "/v1/messages",
        { ...messages, stream, metadata: { user_id: "u" } },
        { "anthropic-beta": "context-1m-2025-08-07" },
      );
      assert.equal(status, 200, text);
      assert.match(text, /Hello\./);
      const [x] = asked();
      assert.equal(
        x.path,
        `${FOLDER}/publishers/anthropic/models/${OPUS}:${stream ? "streamRawPredict" : "rawPredict"}`,
      );
      assert.deepEqual(x.json, {
        anthropic_version: "vertex-2023-10-16",
        max_tokens: 64,
        messages: messages.messages,
        stream,
        metadata: { user_id: "u" },
      });
      assert.match(x.headers.authorization, /^Bearer ya29\.token-\d$/);
      assert.equal(x.headers["x-api-key"], undefined);
      assert.equal(x.headers["anthropic-beta"], "context-1m-2025-08-07");
    });

    test(`Claude for a client of Responses, ${how}`, async () => {
      const { status, text } = await post(
        own,
        "/v1/responses",
        { model: "claude-opus", input: "q", stream },
        { authorization: `Bearer ${CLIENT_KEY}` },
      );
      assert.equal(status, 200, text);
      assert.match(text, /Hello\./);
      const [x] = asked();
      assert.equal(
        x.path,
        `${FOLDER}/publishers/anthropic/models/${OPUS}:${stream ? "streamRawPredict" : "rawPredict"}`,
      );
      assert.equal(x.json.anthropic_version, "vertex-2023-10-16");
      assert.ok(!("model" in x.json), x.json);
      assert.equal(tokens.length, 0, "the token is kept");
    });

    test(`Gemini for a client of Messages, ${how}`, async () => {
      const { status, text } = await post(gemini, "/v1/messages", {
        ...messages,
        model: "gemini-pro",
        stream,
      });
      assert.equal(status, 200, text);
      assert.match(text, /Hello\./);
      const [x] = asked();
      assert.equal(x.path, `${FOLDER}/endpoints/openapi/chat/completions`);
      assert.equal(x.json.model, "google/gemini-2.5-pro");
      assert.match(x.headers.authorization, /^Bearer ya29\.token-\d$/);
    });
  }

  for (const stream of [false, true]) {
    test(`Claude in an answer of several rounds, ${stream ? "streamed" : "plain"}`, async () => {
      let n = 0;
      model = (x) =>
        x.headers.host === HOST
          ? answer(
              x,
              "anthropic",
              [{ calls: [["web_fetch", { url: "https://docs.example/p" }]] }, { text: "Done." }][n++],
              n,
            )
          : x.answer(200, "A page.", { "content-type": "text/plain" });
      const { status, text } = await post(fetching, "/v1/messages", {
        ...messages,
        stream,
        messages: [{ role: "user", content: "Read https://docs.example/p" }],
        tools: [{ type: "web_fetch_20250910", name: "web_fetch" }],
      });
      assert.equal(status, 200, text);
      assert.match(text, /Done\./);
      assert.equal(asked().length, 2, text);
      for (const { json, path } of asked()) {
        assert.match(path, /\/publishers\/anthropic\/models\//);
        assert.equal(json.anthropic_version, "vertex-2023-10-16");
        assert.ok(!("model" in json), json);
      }
    });
  }

  test("nothing of the client's query goes to Google, who would leave out of the answer what it names", async () => {
    for (const path of [
      "/v1/messages?beta=true",
      "/v1/messages?fields=content&access_token=x",
      "/v1/messages/count_tokens?beta=true",
    ]) {
      up.requests.length = 0;
      model = (x) =>
        /count-tokens/.test(x.path)
          ? x.answer(200, { input_tokens: 7 })
          : answer(x, "anthropic", { text: "Hello." }, 1);
      for (const target of path.includes("count") ? [own] : [own, fetching]) {
        const { status, text } = await post(target, path, messages);
        assert.equal(status, 200, text);
      }
      assert.ok(
        asked().length > 0 && asked().every((x) => x.path.endsWith(":rawPredict")),
        asked()
          .map(({ path }) => path)
          .join(),
      );
    }
  });

  test("tokens of a request are counted", async () => {
    model = (x) => x.answer(200, { input_tokens: 7 });
    const { text } = await post(own, "/v1/messages/count_tokens", {
      model: "claude-opus",
      messages: messages.messages,
    });
    assert.equal(text, '{"input_tokens":7}');
    const [x] = asked();
    assert.equal(x.path, `${FOLDER}/publishers/anthropic/models/count-tokens:rawPredict`);
    assert.deepEqual(x.json, {
      anthropic_version: "vertex-2023-10-16",
      model: OPUS,
      messages: messages.messages,
    });
  });

  test("a personal endpoint's key is sealed, and its token kept in its object", async () => {
    const make = (name, key) =>
      admin("POST", "/endpoints", {
        name,
        upstreams: [{ name: "v", protocol: "anthropic", url: URL_, key, models: JSON.parse(models) }],
      });
    const { status, json } = await make("anna", account());
    assert.equal(status, 201, JSON.stringify(json));
    const { key } = json;
    const shown = JSON.stringify((await admin("GET", "/endpoints/anna")).json);
    assert.ok(
      !shown.includes("PRIVATE") && !shown.includes("gserviceaccount") && shown.includes("sealed_keys"),
      shown,
    );
    for (let i = 0; i < 3; i++)
      assert.equal((await post(persons, "/u/anna/v1/messages", messages, { "x-api-key": key })).status, 200);
    assert.equal(tokens.length, 1, "one token for three requests");
    assert.deepEqual(
      asked().map(({ headers }) => headers.authorization),
      Array(3).fill("Bearer ya29.token-1"),
    );

    const [head, claims, signature] = tokens[0].get("assertion").split(".");
    const decode = (part) => JSON.parse(Buffer.from(part, "base64url"));
    assert.deepEqual(decode(head), { alg: "RS256", typ: "JWT" });
    const { iat, exp, ...rest } = decode(claims);
    assert.deepEqual(rest, {
      iss: account().client_email,
      scope: "https://www.googleapis.com/auth/cloud-platform",
      aud: "https://oauth2.googleapis.com/token",
    });
    assert.equal(exp - iat, 3600);
    assert.ok(
      verify(
        "RSA-SHA256",
        Buffer.from(`${head}.${claims}`),
        createPublicKey(keys.publicKey),
        Buffer.from(signature, "base64url"),
      ),
    );
    assert.equal(tokens[0].get("grant_type"), "urn:ietf:params:oauth:grant-type:jwt-bearer");

    // Each key has its own token, and each endpoint too, even with the same key.
    assert.equal(
      (
        await admin("PATCH", "/endpoints/anna", {
          upstreams: [
            {
              name: "v",
              protocol: "anthropic",
              url: URL_,
              key: JSON.stringify(account({ private_key_id: "2" })),
              models: JSON.parse(models),
            },
          ],
        })
      ).status,
      200,
    );
    await post(persons, "/u/anna/v1/messages", messages, { "x-api-key": key });
    assert.equal(tokens.length, 2);
    const ben = (await make("ben", account())).json.key;
    await post(persons, "/u/ben/v1/messages", messages, { "x-api-key": ben });
    assert.equal(tokens.length, 3);
    // An expired token is replaced.
    grant = (x) => x.answer(200, { access_token: "short", expires_in: 30 });
    const eve = (await make("eve", account())).json.key;
    for (let i = 0; i < 2; i++) await post(persons, "/u/eve/v1/messages", messages, { "x-api-key": eve });
    assert.equal(tokens.length, 5);
    for (const line of [...persons.lines.all, ...persons.log.map((line) => JSON.stringify(line))])
      assert.ok(!/PRIVATE KEY|ya29|gserviceaccount/.test(line), line);
  });

  test("the next upstream is asked where Google gives no token", async () => {
    grant = (x) => x.answer(503, "down");
    const { json } = await admin("POST", "/endpoints", {
      name: "two",
      usage: true,
      upstreams: [
        { name: "v", protocol: "anthropic", url: URL_, key: account(), models: JSON.parse(models) },
        { name: "other", protocol: "anthropic", url: "https://model.example", key: "sk-other" },
      ],
    });
    for (const stream of [false, true]) {
      const { status, text } = await post(
        persons,
        "/u/two/v1/messages",
        { ...messages, stream },
        { "x-api-key": json.key },
      );
      assert.equal(status, 200, text);
      assert.match(text, /Hello\./);
    }
    assert.ok(tokens.length > 0);
    assert.equal(asked().length, 0);
  });

  test("what is no service account's key is refused where it is set", async () => {
    for (const [key, want] of [
      ["AIza-an-api-key", /upstreams\[0\]\.key must be the JSON of a service account's key/],
      ["{", /must be the JSON of a service account's key/],
      [
        { type: "authorized_user", client_id: "c", refresh_token: "r" },
        /is a credential of the type authorized_user, which is not taken/,
      ],
      [
        { type: "external_account", credential_source: { url: "http://169.254.169.254/" } },
        /is a credential of the type external_account, which is not taken/,
      ],
      [account({ private_key: undefined }), /with type, client_email and private_key/],
      [account({ private_key: "k".repeat(17 << 10) }), /longer than any service account's key/],
    ]) {
      const { status, json } = await admin("POST", "/endpoints", {
        name: "wrong",
        upstreams: [{ name: "v", protocol: "anthropic", url: URL_, key }],
      });
      assert.equal(status, 400, JSON.stringify(json));
      assert.match(json.error.message, want);
      assert.ok(!json.error.message.includes("kkkk"), json.error.message);
    }
    for (const [more, want] of [
      [{ protocol: "responses" }, /set that of Anthropic for Claude, or of Google for Gemini/],
      [{ url: `https://${HOST}/v1` }, /must name the project and the location/],
      [{ gateway: { account: "0".repeat(32), id: "g" } }, /leave the gateway out/],
    ]) {
      const { json } = await admin("POST", "/endpoints", {
        name: "wrong",
        upstreams: [{ name: "v", protocol: "anthropic", url: URL_, key: account(), ...more }],
      });
      assert.match(json.error.message, want);
    }
  });

  test("errors say what to change", async () => {
    const error = (code, status, message) => [{ error: { code, message, status } }];
    const denied =
      "Permission 'aiplatform.endpoints.predict' denied on resource '//aiplatform.googleapis.com/projects/my-project' (or it may not exist).";
    for (const [target, path, body] of [
      [own, "/v1/messages", messages],
      [own, "/v1/chat/completions", { model: "claude-opus", messages: messages.messages }],
      [gemini, "/v1/chat/completions", { model: "gemini-pro", messages: messages.messages }],
    ]) {
      for (const form of [(e) => e, (e) => e[0]]) {
        model = (x) => x.answer(403, form(error(403, "PERMISSION_DENIED", denied)));
        let { status, text } = await post(target, path, body);
        assert.equal(status, 403, text);
        assert.match(text, /Give the service account the role Vertex AI User \(roles\/aiplatform\.user\)/);
        assert.ok(text.includes("aiplatform.endpoints.predict"), text);
        model = (x) =>
          x.answer(
            404,
            form(
              error(
                404,
                "NOT_FOUND",
                "Publisher Model `projects/p/locations/l/publishers/anthropic/models/x` was not found or your project does not have access to it.",
              ),
            ),
          );
        ({ status, text } = await post(target, path, body));
        assert.equal(status, 404, text);
        assert.match(text, /Enable the model in the project's Model Garden/);
        model = (x) =>
          x.answer(
            429,
            form(
              error(
                429,
                "RESOURCE_EXHAUSTED",
                "Quota exceeded for aiplatform.googleapis.com/online_prediction_requests_per_base_model.",
              ),
            ),
          );
        ({ status, text } = await post(target, path, body));
        assert.equal(status, 429, text);
        assert.match(text, /Quota exceeded/);
      }
    }
  });

  test("a token that Google does not give", async () => {
    let n = 0;
    const ask = async () => {
      const { json } = await admin("POST", "/endpoints", {
        name: `t${n}`,
        upstreams: [
          {
            name: "v",
            protocol: "anthropic",
            url: URL_,
            key: account({ private_key_id: String(n) }),
            models: JSON.parse(models),
          },
        ],
      });
      const { status, text } = await post(persons, `/u/t${n++}/v1/messages`, messages, {
        "x-api-key": json.key,
      });
      assert.equal(status, 500, text);
      assert.equal(asked().length, 0);
      return JSON.parse(text).error.message;
    };
    grant = (x) => x.answer(400, { error: "invalid_grant", error_description: "Invalid JWT Signature." });
    assert.match(
      await ask(),
      /the upstream v: Google does not take the service account's key \(400, invalid_grant\)\. It was deleted or disabled, or the clock/,
    );
    grant = (x) => x.answer(503, "down");
    assert.match(await ask(), /Google gives no token now \(503\)\. Try again\./);
    grant = (x) => x.cut();
    assert.match(await ask(), /Google's server of tokens can't be reached/);
    grant = (x) => x.answer(302, "", { location: "https://evil.example/" });
    assert.match(await ask(), /does not take the service account's key \(302\)/);
    grant = (x) => x.answer(200, { access_token: "two\r\nlines", expires_in: 3599 });
    assert.match(await ask(), /does not take the service account's key \(200\)/);
    const { json } = await admin("POST", "/endpoints", {
      name: "nokey",
      upstreams: [
        {
          name: "v",
          protocol: "anthropic",
          url: URL_,
          key: account({ private_key: "no PEM" }),
          models: JSON.parse(models),
        },
      ],
    });
    assert.match(
      (await post(persons, "/u/nokey/v1/messages", messages, { "x-api-key": json.key })).text,
      /the private key of the service account is none/,
    );
  });
});
