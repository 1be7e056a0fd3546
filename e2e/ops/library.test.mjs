// The library for JavaScript: the corpus in every supported runtime, and properties that the corpus
// does not test.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { readFile, writeFile } from "node:fs/promises";
import { after, before, describe } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import * as chat from "../lib/chat.mjs";
import { test } from "../lib/fixture.mjs";
import { bun, inBrowser, install, inWorker, program } from "../lib/library.mjs";
import { fold, parse } from "../lib/sse.mjs";
import { TARGET } from "../lib/target.mjs";
import { unreachable, upstream } from "../lib/upstream.mjs";

const root = fileURLToPath(new URL("../..", import.meta.url));
const run = promisify(execFile);
const skip = TARGET !== "workerd" && "the library does not depend on TARGET";

// The module is the same in all runtimes, and Go's tests run the corpus. Therefore a runtime runs only
// every twelfth exchange. ./build.sh test --full sets FULL. Then this Node runs them all.
const SOME = 12;
const { FULL } = process.env;

describe("the library in each runtime", { skip }, () => {
  let installed, some, count;
  before(async () => {
    const { stdout } = await run("go", ["run", "./wasmtest/corpus/exchanges"], {
      cwd: root,
      maxBuffer: 1 << 30,
    });
    // the library asks an upstream once: it has no rounds
    const lines = stdout
      .trimEnd()
      .split("\n")
      .filter((line) => !line.endsWith('"rounds":true}'));
    const chosen = lines.filter((_, i) => i % SOME === 0);
    [count, some] = [lines.length, chosen.length];
    installed = await install({
      "all.jsonl": lines.join("\n"),
      "some.jsonl": chosen.join("\n"),
      "corpus.mjs": await readFile(new URL("../lib/library_corpus.mjs", import.meta.url)),
      "ends.mjs": await readFile(new URL("../lib/library_ends.mjs", import.meta.url)),
      "all.mjs": `import { load } from "edgelingua"; import { check } from "./corpus.mjs"; import { ends } from "./ends.mjs";
        export const all = async (lines) => ({ ...(await check(load, lines)), ...(await ends(load)) });`,
      "program.mjs": `import { readFileSync } from "node:fs"; import { all } from "./all.mjs";
        console.log(JSON.stringify(await all(readFileSync(process.argv[2], "utf8"))));`,
      "page.mjs": `import { all } from "./all.mjs";
        export default async () => all(await (await fetch("/some.jsonl")).text());`,
      "worker.mjs": `import { all } from "./all.mjs";
        export default { fetch: async (request) => Response.json(await all(await request.text())) };`,
    });
  });
  after(() => installed?.close());

  // ENDS has the expected ends of streams in the terms of lib/library_ends.mjs.
  const ENDS = {
    cut: "event: error, and the end",
    ended: "event: error, and the end",
    complete: "event: message_stop, and the end; the upstream is cancelled",
    left: "the upstream is cancelled",
    passed: "reset",
    known: { lost: ["top_k"], output: 4 },
  };
  const all = (result, checked) => assert.deepEqual(result, { checked, differing: 0, differ: [], ...ENDS });

  test(FULL ? "in this Node, with every exchange of the corpus" : "in this Node", async () => {
    assert.ok(count > 4000);
    const [file, checked] = FULL ? ["all.jsonl", count] : ["some.jsonl", some];
    all(await program(process.execPath, installed, "program.mjs", file), checked);
  });
  test("in the Node on PATH that is not the tests' own", async (t) => {
    const { stdout } = await run("bash", [
      "-c",
      'type -ap node | while read -r node; do echo "$node $($node --version)"; done',
    ]);
    const other = stdout.split("\n").find((line) => / v20\./.test(line));
    if (!other) return t.skip("there is no Node 20 on PATH");
    all(await program(other.split(" ")[0], installed, "program.mjs", "some.jsonl"), some);
  });
  test("in Bun", { skip: !bun && "npm has no Bun for this machine" }, async () =>
    all(await program(bun, installed, "program.mjs", "some.jsonl"), some),
  );
  test("in Chromium", async () => all(await inBrowser(installed, "page.mjs"), some));
  test("in a Worker", async () =>
    all(await inWorker(installed, "worker.mjs", await readFile(`${installed.folder}/some.jsonl`)), some));
});

const settings = { client: "anthropic", upstream: "chat", url: "https://upstream.example/v1" };
const question = JSON.stringify({
  model: "m",
  max_tokens: 9,
  top_k: 5,
  stream: true,
  messages: [{ role: "user", content: "Hi" }],
});
const plain = question.replace('"stream":true', '"stream":false');
const encoder = new TextEncoder();
const event = (value) => encoder.encode(`data: ${JSON.stringify(value)}\n\n`);
const said = (text) => event({ choices: [{ delta: { content: text } }] });
const stopped = event({
  choices: [{ delta: {}, finish_reason: "stop" }],
  usage: { prompt_tokens: 3, completion_tokens: 4 },
});
const done = encoder.encode("data: [DONE]\n\n");

// readAll returns the text of a stream and, if the stream fails, the error.
async function readAll(stream) {
  const decoder = new TextDecoder();
  let text = "";
  try {
    for await (const part of stream) text += decoder.decode(part, { stream: true });
  } catch (error) {
    return { text, error };
  }
  return { text };
}

describe("the library", { skip }, () => {
  let installed, translate, createFetch, TranslationError;
  before(async () => {
    installed = await install({});
    const library = await import(`file://${installed.folder}/node_modules/edgelingua/library/index.mjs`);
    translate = await library.load();
    ({ createFetch, TranslationError } = library);
  });
  after(() => installed?.close());

  const open = (body = question, more) => translate.request({ ...settings, ...more }, "/v1/messages", body);

  test("says how the upstream is asked, with the key in the header of its protocol", async () => {
    const { url, headers, body, lost } = await open(question, {
      key: "sk-of-a-test-1234567",
      models: { m: "there" },
    });
    assert.equal(url, "https://upstream.example/v1/chat/completions");
    assert.equal(headers.authorization, "Bearer sk-of-a-test-1234567");
    assert.equal(headers["content-type"], "application/json");
    assert.equal(JSON.parse(body).model, "there");
    assert.deepEqual(lost, ["top_k"]);
    const call = await translate.request(
      {
        client: "chat",
        upstream: "anthropic",
        url: "https://api.anthropic.com",
        key: "k",
        headers: { "x-mine": "1" },
      },
      "/v1/chat/completions",
      plain,
    );
    assert.equal(call.url, "https://api.anthropic.com/v1/messages");
    assert.deepEqual(
      [call.headers["x-api-key"], call.headers["anthropic-version"], call.headers["x-mine"]],
      ["k", "2023-06-01", "1"],
    );
  });

  test("maps models by their names, and refuses others", async () => {
    const named = async (model, models) =>
      JSON.parse((await open(question.replace('"m"', JSON.stringify(model)), { models })).body).model;
    assert.equal(await named("claude-x", { "claude-*": "there" }), "there");
    assert.equal(await named("upstream/claude-x"), "upstream/claude-x");
    await assert.rejects(named("other", { "claude-*": "there" }), {
      name: "TranslationError",
      status: 404,
      message: /other/,
    });
  });

  test("masks the key in an error that repeats it", async () => {
    for (const client of ["anthropic", "chat"]) {
      const { exchange } = await translate.request(
        { ...settings, client, key: "sk-of-a-test-1234567" },
        "/v1/messages",
        question,
      );
      const error = exchange.error(401, '{"error":{"message":"wrong key sk-of-a-test-1234567"}}');
      assert.equal(error.status, 401);
      assert.match(error.body, /\[key\]/);
      assert.doesNotMatch(error.body + error.message, /1234567/);
    }
  });

  test("refuses a client's request in the client's protocol", async () => {
    await assert.rejects(
      open("{"),
      (error) =>
        error instanceof TranslationError &&
        error.status === 400 &&
        JSON.parse(error.body).type === "error" &&
        /body/.test(error.message),
    );
    const large = JSON.stringify({
      model: "m",
      max_tokens: 1,
      messages: [{ role: "user", content: "a".repeat(17 << 20) }],
    });
    await assert.rejects(open(large), { name: "TranslationError", status: 413 });
    await assert.rejects(open("a".repeat(100 << 20)), { name: "TranslationError", status: 413 });
  });

  test("names a setting that is wrong", async () => {
    await assert.rejects(open(question, { upsteam: "chat" }), { name: "TypeError", message: /upsteam/ });
    await assert.rejects(open(question, { url: "ftp://x" }), {
      name: "TranslationError",
      status: 500,
      message: /upstreams\[0\]\.url/,
    });
    await assert.rejects(open(question, { client: "palm" }), { name: "TranslationError", message: /palm/ });
  });

  test("translates one answer of an exchange", async () => {
    const { exchange } = await open(plain);
    const answer = {
      choices: [
        { message: { role: "assistant", content: "Yes." }, finish_reason: "stop", logprobs: { content: [] } },
      ],
      usage: { prompt_tokens: 3, completion_tokens: 4 },
    };
    assert.equal(JSON.parse(exchange.body(JSON.stringify(answer))).content[0].text, "Yes.");
    assert.deepEqual(exchange.usage, { input: 3, output: 4, cached: undefined, reasoning: undefined });
    assert.throws(() => exchange.body("{}"), /an exchange of its own/);
    assert.throws(() => exchange.stream(), /an exchange of its own/);
    const failed = await open(plain);
    assert.throws(() => failed.exchange.body("<html>"), TranslationError);
    assert.throws(() => failed.exchange.error(200, "{}"), RangeError);
    const large = await open(plain);
    assert.throws(() => large.exchange.body(`{"a":"${"a".repeat(17 << 20)}"}`), {
      name: "TranslationError",
      message: /16 MB/,
    });
  });

  test("asks the upstream for no more than the client reads", async () => {
    const { exchange } = await open();
    let pulled = 0;
    const upstream = new ReadableStream(
      { pull: (c) => void (pulled++, c.enqueue(said("x"))) },
      { highWaterMark: 0 },
    );
    const reader = upstream.pipeThrough(exchange.stream()).getReader();
    await reader.read();
    await reader.read();
    for (let i = 0; i < 10; i++) await new Promise(setImmediate);
    // the capacity of the queues between upstream and reader
    assert.ok(pulled < 10, `${pulled} chunks are pulled for two that are read`);
    await reader.cancel();
  });

  test("an error that passes is the upstream's", async () => {
    const asked = '{"model":"m","anything":[1.0],"messages":[{"role":"user","content":"Hi"}]}';
    const { exchange, body } = await translate.request(
      { ...settings, client: "chat" },
      "/v1/chat/completions",
      asked,
    );
    assert.equal(exchange.passes, true);
    assert.equal(body, asked);
    const error = exchange.error(418, "teapot");
    assert.deepEqual([error.status, error.body, error.message], [418, "teapot", "status 418"]);
  });

  test("takes large chunks in slices, and nothing but bytes", async () => {
    const { exchange } = await open();
    const many = Array.from({ length: 5000 }, (_, i) => said(`${i} `));
    const large = new ReadableStream({ start: (c) => c.enqueue(Buffer.concat([...many, stopped, done])) });
    const { text } = await readAll(large.pipeThrough(exchange.stream()));
    assert.ok(text.includes('"4999 "') && text.endsWith('{"type":"message_stop"}\n\n'));
    const { exchange: other } = await open();
    const strings = new ReadableStream({ start: (c) => c.enqueue("data: {}\n\n") });
    assert.match((await readAll(strings.pipeThrough(other.stream()))).error.message, /Uint8Array/);
  });

  // serve starts an upstream of Chat Completions. ask sends a body through createFetch; errors has
  // the errors of onError.
  async function serve(t, play, more) {
    const up = await upstream();
    t.after(() => up.close());
    up.serve(play);
    const errors = [];
    const translated = createFetch({
      upstream: "chat",
      url: up.url,
      key: "sk-of-a-test-1234567",
      onError: (error) => errors.push(error),
      ...more,
    });
    const ask = (path, body, init) =>
      translated(`http://localhost${path}`, { method: "POST", body, ...init });
    return { up, errors, translated, ask };
  }
  const hello = (x) => chat.play(x, { text: "Hello", calls: [], usage: { input: 3, cached: 0, output: 4 } });

  test("createFetch translates by the path, streamed and plain", async (t) => {
    const { up, errors, ask } = await serve(t, hello, { models: { m: "there" } });
    const streamed = await ask("/v1/messages", question);
    assert.deepEqual(
      ["content-type", "x-edgelingua-lost"].map((name) => streamed.headers.get(name)),
      ["text/event-stream", "top_k"],
    );
    assert.equal(fold(parse(await streamed.text())).message.content[0].text, "Hello");
    assert.equal(up.requests.at(-1).headers.authorization, "Bearer sk-of-a-test-1234567");
    assert.equal(JSON.parse(up.requests.at(-1).body).model, "there");
    assert.equal((await (await ask("/v1/messages?beta=true", plain)).json()).content[0].text, "Hello");
    const input = JSON.stringify({ model: "m", input: "Hi" });
    const response = await (await ask("/v1/responses", input)).json();
    assert.equal(response.output.at(-1).content[0].text, "Hello");
    const gemini = JSON.stringify({ contents: [{ role: "user", parts: [{ text: "Hi" }] }] });
    const candidate = await (await ask("/v1beta/models/m:generateContent", gemini)).json();
    assert.equal(candidate.candidates[0].content.parts[0].text, "Hello");
    const same = JSON.stringify({ model: "m", messages: [{ role: "user", content: "Hi" }] });
    const passed = await ask("/v1/chat/completions", same);
    assert.equal((await passed.json()).choices[0].message.content, "Hello");
    assert.equal(passed.headers.get("x-edgelingua-lost"), null);
    assert.deepEqual(errors, []);
  });

  test("createFetch takes a Request, and passes the headers of the upstream's protocol on", async (t) => {
    const up = await upstream();
    t.after(() => up.close());
    const answer = { type: "message", role: "assistant", content: [{ type: "text", text: "Yes." }] };
    up.serve((x) => x.answer(200, JSON.stringify(answer), { "content-type": "application/json" }));
    const translated = createFetch({
      upstream: "anthropic",
      url: up.url,
      key: "k",
      headers: { "X-Mine": "1" },
    });
    const headers = { "anthropic-beta": "a-beta", "x-api-key": "the-client's", "x-mine": "2", cookie: "c" };
    const request = (path) =>
      new Request(`http://localhost${path}`, { method: "POST", body: plain, headers });
    assert.deepEqual(await (await translated(request("/v1/messages"))).json(), answer);
    const sent = up.requests.at(-1).headers;
    assert.deepEqual(
      ["anthropic-beta", "x-api-key", "x-mine", "cookie"].map((name) => sent[name]),
      ["a-beta", "k", "1", undefined],
    );
    await (await translated(request("/v1/chat/completions"))).text();
    assert.equal(up.requests.at(-1).headers["anthropic-beta"], undefined);
  });

  test("createFetch answers with errors of the client's protocol, and onError gets each once", async (t) => {
    const { up, errors, ask, translated } = await serve(t, hello);
    // refused asks, and returns the status, the error's message and the answer. onError must have got
    // the same error.
    const refused = async (...args) => {
      const answer = await ask(...args);
      const body = await answer.text();
      assert.equal(errors.length, 1);
      const { status, message, body: reported } = errors.pop();
      assert.deepEqual([status, reported], [answer.status, body]);
      return { status, message, error: JSON.parse(body), headers: answer.headers };
    };
    const wrong = await refused("/v1/messages", plain.replace('"user"', '"usr"'));
    assert.deepEqual([wrong.status, wrong.error.error.type], [400, "invalid_request_error"]);
    assert.match(wrong.message, /Found 'usr'\. Did you mean 'user'\?$/);
    const lost = await refused("/v1/mesages", plain);
    assert.deepEqual([lost.status, lost.error.error.message], [404, lost.message]);
    assert.match(lost.message, /^There is nothing at \/v1\/mesages\. Send POST requests to \/v1\/messages, /);
    assert.equal((await refused("/v1/messages/count_tokens", plain)).status, 404);
    const got = await refused("/v1/messages", undefined, { method: "GET" });
    assert.deepEqual([got.status, got.error.type, got.headers.get("allow")], [405, "error", "POST"]);
    assert.equal((await refused("/v1/messages", undefined)).status, 400);
    assert.equal((await refused("/v1/messages", new Uint8Array(100 << 20))).status, 413);
    assert.equal(up.requests.length, 0);

    up.serve((x) =>
      x.answer(429, '{"error":{"message":"no sk-of-a-test-1234567"}}', {
        "content-type": "application/json",
        "retry-after": "7",
      }),
    );
    const slow = await refused("/v1/messages", plain);
    assert.deepEqual(
      [slow.status, slow.error.error, slow.headers.get("retry-after")],
      [429, { type: "rate_limit_error", message: "no [key]" }, "7"],
    );
    up.serve((x) => x.answer(302, "", { location: `${up.url}/elsewhere` }));
    const moved = await refused("/v1/responses", JSON.stringify({ model: "m", input: "Hi" }));
    assert.equal(moved.status, 502);
    up.serve((x) => x.answer(200, "<html>", { "content-type": "text/html" }));
    assert.equal((await refused("/v1/messages", plain)).error.type, "error");
    const nowhere = createFetch({
      upstream: "chat",
      url: await unreachable(),
      onError: (e) => errors.push(e),
    });
    const down = await nowhere("http://localhost/v1/messages", { method: "POST", body: plain });
    assert.deepEqual([down.status, (await down.json()).error.message], [502, errors.pop().message]);
    await assert.rejects(
      translated("http://localhost/v1/messages", {
        signal: AbortSignal.abort(),
        body: plain,
        method: "POST",
      }),
      {
        name: "AbortError",
      },
    );
    assert.deepEqual(errors, []);
  });

  test("onError gets the failure of a stream, with its reason", async () => {
    for (const [client, path, body, message] of [
      ["anthropic", "/v1/messages", question, "slow down"],
      ["responses", "/v1/responses", JSON.stringify({ model: "m", input: "Hi", stream: true }), "slow down"],
    ]) {
      const errors = [];
      const run = async (source) => {
        const onError = (error) => errors.push(error);
        const { exchange } = await translate.request({ ...settings, client, onError }, path, body);
        await readAll(new ReadableStream(source).pipeThrough(exchange.stream()));
        return errors.splice(0).map(({ status, message, cause }) => [status, message, cause?.message]);
      };
      const failed = event({ error: { message, code: "rate_limit_exceeded" } });
      const told = (c) => (c.enqueue(said("x")), c.enqueue(failed), c.close());
      assert.deepEqual(await run({ start: told }), [[200, message, undefined]], client);
      const ended = await run({ start: (c) => (c.enqueue(said("x")), c.close()) });
      assert.deepEqual(ended, [
        [200, "The upstream's stream ended before the answer was complete.", undefined],
      ]);
      const [[status, , cause]] = await run({ pull: (c) => c.error(new Error("reset")) });
      assert.deepEqual([status, cause], [200, "reset"]);
      const whole = (c) => ([said("x"), stopped, done].forEach((each) => c.enqueue(each)), c.close());
      assert.deepEqual(await run({ start: whole }), []);
    }
    const errors = [];
    const asked = { ...settings, client: "chat", onError: (error) => errors.push(error) };
    const body = JSON.stringify({ model: "m", stream: true, messages: [{ role: "user", content: "Hi" }] });
    const { exchange } = await translate.request(asked, "/v1/chat/completions", body);
    assert.equal(exchange.passes, true);
    await readAll(
      new ReadableStream({ pull: (c) => c.error(new Error("reset")) }).pipeThrough(exchange.stream()),
    );
    assert.deepEqual(
      errors.map(({ message, cause }) => [message, cause.message]),
      [["The upstream's stream broke off.", "reset"]],
    );
  });

  test("leaving an answer of createFetch aborts the upstream's", async (t) => {
    let left;
    const gone = new Promise((resolve) => (left = resolve));
    const { errors, ask } = await serve(t, (x) => {
      x.gone.then(left);
      x.head();
      return x.send(said("x"));
    });
    const abort = new AbortController();
    const answer = await ask("/v1/messages", question, { signal: abort.signal });
    const reader = answer.body.getReader();
    await reader.read();
    abort.abort();
    await gone;
    await reader.read().catch(() => {});
    const other = await ask("/v1/messages", question);
    await other.body.cancel();
    assert.deepEqual(errors, []);
  });

  test("the program of the package's README prints what it says", async (t) => {
    const { up } = await serve(t, hello);
    const readme = await readFile(`${installed.folder}/node_modules/edgelingua/README.md`, "utf8");
    const [, text] = /^```js\n(.*?)^```/ms.exec(readme);
    await writeFile(`${installed.folder}/readme.mjs`, text);
    const env = { ...process.env, UPSTREAM_URL: up.url, UPSTREAM_KEY: "sk-of-a-test-1234567" };
    const { stdout, stderr } = await run(process.execPath, ["readme.mjs"], { cwd: installed.folder, env });
    assert.deepEqual([stdout, stderr], ["lost: top_k\nHello\n", ""]);
    assert.equal(JSON.parse(up.requests.at(-1).body).model, "gpt-5.5");
  });

  test("the Worker of docs/libraries.md answers as it says", async (t) => {
    const [, program] = /^```js\n(.*?)^```/ms.exec(await readFile(`${root}/docs/libraries.md`, "utf8"));
    await writeFile(`${installed.folder}/documented.mjs`, program);
    const { default: worker } = await import(`file://${installed.folder}/documented.mjs`);
    const up = await upstream();
    t.after(() => up.close());
    const ask = (body) =>
      worker.fetch(new Request("http://worker/v1/messages", { method: "POST", body }), {
        UPSTREAM_URL: up.url,
        UPSTREAM_KEY: "sk-of-a-test-1234567",
      });
    up.serve((x) => chat.play(x, { text: "Hello", calls: [], usage: { input: 3, cached: 0, output: 4 } }));
    const streamed = await ask(question);
    assert.equal(streamed.headers.get("x-edgelingua-lost"), "top_k");
    assert.equal(fold(parse(await streamed.text())).message.content[0].text, "Hello");
    assert.equal(up.requests.at(-1).headers.authorization, "Bearer sk-of-a-test-1234567");
    assert.equal((await (await ask(plain)).json()).content[0].text, "Hello");
    up.serve((x) =>
      x.answer(429, '{"error":{"message":"slow down"}}', { "content-type": "application/json" }),
    );
    const refused = await ask(plain);
    assert.deepEqual(
      [refused.status, (await refused.json()).error],
      [429, { type: "rate_limit_error", message: "slow down" }],
    );
  });

  test("the types say what there is", async () => {
    const program = `import { createFetch, load, TranslationError, type Call, type Usage } from "edgelingua";
      const translate = await load();
      const call: Call = await translate.request({ client: "anthropic", upstream: "chat", url: "https://upstream.example/v1" }, "/v1/messages", "{}");
      const usage: Usage = call.exchange.usage;
      const failed: TranslationError = call.exchange.error(500, new Uint8Array());
      const text: string = call.exchange.body("{}") + failed.body + (usage.input ?? 0) + call.lost.join();
      const body: ReadableStream<Uint8Array> = new Response(text).body!.pipeThrough(call.exchange.stream());
      new Response(new Response(text).body!.pipeThrough(call.exchange.stream()));
      const translated: typeof fetch = createFetch({ upstream: "chat", url: "https://upstream.example/v1",
        onError: (error: TranslationError) => void error.cause });
      const answer: Response = await translated(new Request("http://localhost/v1/messages"));
      // @ts-expect-error the path decides
      createFetch({ client: "chat", upstream: "chat", url: "" });
      // @ts-expect-error a protocol that there is not
      translate.request({ client: "palm", upstream: "chat", url: "" }, "/", "");
      export { answer, body };`;
    const options = {
      strict: true,
      noEmit: true,
      target: "es2023",
      module: "nodenext",
      moduleResolution: "nodenext",
      lib: ["es2023", "dom", "dom.iterable", "dom.asynciterable"],
      types: [],
    };
    await writeFile(`${installed.folder}/program.mts`, program);
    await writeFile(
      `${installed.folder}/tsconfig.json`,
      JSON.stringify({ compilerOptions: options, files: ["program.mts"] }),
    );
    await run(`${root}/e2e/node_modules/.bin/tsc`, ["-p", installed.folder]).catch(({ stdout }) =>
      assert.fail(stdout),
    );
    // The class must have every member in the types of an exchange, and must accept every setting
    // in the types.
    const types = await readFile(`${root}/release/npm/library/index.d.ts`, "utf8");
    const of = (name) =>
      [
        ...new RegExp(`interface ${name} {\\n(.*?)\\n}`, "s")
          .exec(types)[1]
          .matchAll(/^  (?:readonly )?(\w+)[?(:]/gm),
      ].map(([, member]) => member);
    const { exchange } = await open();
    for (const member of of("Exchange")) assert.ok(member in exchange, member);
    const unknown = await open(question, { x: 1 }).catch(({ message }) => message);
    assert.equal(unknown, `There is no setting x. There are ${of("Settings").join(", ")}.`);
    await assert.rejects(open(question, { modles: {} }), /onError\. Did you mean models\?$/);
    await assert.rejects(open(question, { onEror: 1 }), /onError\. Did you mean onError\?$/);
  });

  for (const key of ["sk-1\nx-other: 1", "sk-1\n", " sk-1", "sk-ü"]) {
    test(`refuses a key that no header could carry: ${JSON.stringify(key)}`, async () => {
      await assert.rejects(
        open(question, { key }),
        (error) =>
          error instanceof TypeError && error.message.includes("key") && !error.message.includes(key),
      );
    });
  }

  test("an instance that traps breaks the stream, and is not entered again", async () => {
    const instantiate = WebAssembly.instantiate;
    let entered = 0;
    const trap = () => {
      entered++;
      throw new WebAssembly.RuntimeError("unreachable");
    };
    WebAssembly.instantiate = async (...args) => ({
      exports: {
        ...(await instantiate(...args)).exports,
        stream_push: trap,
        page_answer: trap,
        stream_close: trap,
      },
    });
    try {
      const { exchange } = await open();
      const { text, error } = await readAll(
        new ReadableStream({ start: (c) => c.enqueue(said("x")) }).pipeThrough(exchange.stream()),
      );
      assert.deepEqual([text, error.message, exchange.lost], ["", "unreachable", []]);
      const other = await open(plain);
      assert.throws(() => other.exchange.body("{}"), /unreachable/);
      assert.equal(entered, 2);
    } finally {
      WebAssembly.instantiate = instantiate;
    }
  });

  test("instances are freed with what they hold", async () => {
    const script = `import { load } from "edgelingua";
      const translate = await load();
      const freed = new FinalizationRegistry(() => count++);
      let count = 0;
      const instantiate = WebAssembly.instantiate;
      WebAssembly.instantiate = async (...args) => {
        const made = await instantiate(...args);
        freed.register(made.exports.memory);
        return made;
      };
      const kept = [];
      for (let i = 0; i < 20; i++) {
        const { exchange } = await translate.request(${JSON.stringify(settings)}, "/v1/messages", ${JSON.stringify(question)});
        const reader = new ReadableStream({ start: (c) => c.enqueue(new TextEncoder().encode('data: {"choices":[{"delta":{"content":"x"}}]}\\n\\n')) }).pipeThrough(exchange.stream()).getReader();
        await reader.read();
        await reader.cancel();
        kept.push(exchange);
      }
      while (count < 19) { gc(); await new Promise((resolve) => setTimeout(resolve)); }
      console.log(JSON.stringify({ kept: kept.length, count }));`;
    const { kept, count } = await program(
      process.execPath,
      installed,
      "--expose-gc",
      "--input-type=module",
      "-e",
      script,
    );
    assert.equal(kept, 20);
    assert.ok(count >= 19, `${count} of 20 are freed`); // the stack may still refer to the last exchange
  });
});
