// Stored responses: conversations continued by an id, with the official SDK. Other upstreams, and
// refused requests, are in worker/serve/stored_test.go.
import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe } from "node:test";
import { play } from "../lib/chat.mjs";
import { CLIENT_KEY, open, textOf } from "../lib/client.mjs";
import { fixture, test, worker } from "../lib/fixture.mjs";
import { parse, reader } from "../lib/sse.mjs";
import { stateAt } from "../lib/state.mjs";
import { TARGET, start } from "../lib/target.mjs";
import { openai } from "../lib/turns.mjs";
import { upstream as startUpstream } from "../lib/upstream.mjs";

const OPTIONS = '{"store":"on"}';
const model = "some-model";
const UPSTREAM_OPTIONS = '{"effort":["low","high"],"reasoning_echo":"reasoning_content"}';
const tools = [
  {
    type: "function",
    name: "get_weather",
    parameters: { type: "object", properties: { city: { type: "string" } } },
    strict: false,
  },
];
const usage = { input: 11, cached: 0, output: 5 };
const said = (text) => ({ text, calls: [], usage });
const called = (n) => ({
  reasoning: [{ text: `hm ${n}` }],
  text: "",
  calls: [{ id: `call_${n}`, name: "get_weather", input: { city: `é ${n}` } }],
  usage,
});

// create requests a response, streamed or not, and resolves with the response and the upstream's
// request.
async function create(f, turn, params, stream) {
  const client = openai(f.url);
  const request = { model, tools, ...params };
  const due = stream
    ? last(client.responses.create({ ...request, stream }))
    : client.responses.create(request);
  due.catch(() => {});
  const x = await Promise.race([f.up.next(), due.then(() => assert.fail("the upstream was not asked"))]);
  await play(x, turn);
  const { output_text, ...response } = await due;
  return { response, asked: x.json };
}

// last resolves with the response of a stream's last event.
async function last(streamed) {
  const events = [];
  for await (const event of await streamed) events.push(event);
  assert.deepEqual(
    events.map(({ sequence_number }) => sequence_number),
    events.map((_, i) => i),
  );
  return events.at(-1).response;
}

// rows returns the number of rows in each table of the deployment's object.
async function rows(url) {
  const [[[n]]] = await stateAt(url).batch("deployment", [
    "SELECT count(*) FROM sqlite_master WHERE name IN ('responses', 'response_parts')",
  ]);
  if (n === 0) return [0, 0];
  const [[[responses]], [[parts]]] = await stateAt(url).batch(
    "deployment",
    ["SELECT count(*) FROM responses"],
    ["SELECT count(*) FROM response_parts"],
  );
  return [responses, parts];
}

async function refused(due, status, message) {
  await assert.rejects(due, (error) => {
    assert.equal(error.status, status, error.message);
    assert.match(error.message, message);
    return true;
  });
}

describe("what is stored", () => {
  const f = fixture({ UPSTREAM_OPTIONS, OPTIONS }, { faults: true, state: true });
  const g = fixture({ UPSTREAM_OPTIONS });

  test("a chain of five turns with tools is what the whole conversation is", async () => {
    const reasoning = { effort: "high", summary: "auto" };
    const whole = [];
    let previous;
    for (let n = 1; n <= 5; n++) {
      const turn = n % 2 ? called(n) : said(`said ${n}`);
      const input =
        n % 2
          ? [{ role: "user", content: `question ${n}` }]
          : [{ type: "function_call_output", call_id: `call_${n - 1}`, output: `result ${n}` }];
      const params = { reasoning, instructions: `turn ${n}` };
      const chained = await create(
        f,
        turn,
        { ...params, input, ...(previous && { previous_response_id: previous }) },
        true,
      );
      whole.push(...input);
      const unstored = await create(
        g,
        turn,
        { ...params, input: whole, store: false, include: ["reasoning.encrypted_content"] },
        true,
      );
      assert.deepEqual(chained.asked, unstored.asked, `what the upstream is asked in turn ${n}`);
      whole.push(...unstored.response.output);
      const { response } = chained;
      assert.equal(response.previous_response_id, previous ?? null);
      const { output_text, ...kept } = await openai(f.url).responses.retrieve(response.id);
      assert.deepEqual(kept, response, "what is retrieved is what the client got");
      assert.deepEqual(
        await last(openai(f.url).responses.retrieve(response.id, { stream: true })),
        response,
        "and streamed",
      );
      previous = response.id;
    }
    const items = [];
    for await (const item of openai(f.url).responses.inputItems.list(previous, { limit: 2, order: "asc" }))
      items.push(item);
    assert.equal(items.length, whole.length - 2, "all but the last turn's reasoning and call");
    const { deleted } = await openai(f.url).delete(`/responses/${previous}`);
    assert.ok(deleted);
    await refused(openai(f.url).responses.retrieve(previous), 404, /not found/);
  });

  test("the SDK's own reading of streams", async () => {
    const turn = called(1);
    const client = openai(f.url).responses;
    const due = client.stream({ model, tools, input: "q", reasoning: { effort: "high" } }).finalResponse();
    await play(await f.up.next(), turn);
    const { id: previous_response_id } = await due;
    const input = [{ type: "function_call_output", call_id: turn.calls[0].id, output: "r" }];
    const next = client.stream({ model, tools, input, previous_response_id }).finalResponse();
    await play(await f.up.next(), said("Sunny."));
    const { id, output_text } = await next;
    assert.equal(output_text, "Sunny.");
    assert.equal((await client.retrieve(id)).output_text, "Sunny.");
    const again = client.stream({ response_id: id });
    const heard = [];
    again.on("response.output_text.delta", ({ delta }) => heard.push(delta));
    assert.equal((await again.finalResponse()).output_text, "Sunny.");
    assert.deepEqual(heard, ["Sunny."]);
  });

  test("a history of 5 MB", async () => {
    const large = Array.from({ length: 5 }, (_, i) => ({
      role: "user",
      content: [{ type: "input_text", text: String.fromCharCode(97 + i).repeat(1 << 20) + 'é"' }],
    }));
    const first = await create(f, said("short"), { input: large }, true);
    const second = await create(
      f,
      said("long ".repeat(1 << 18)),
      { input: "and?", previous_response_id: first.response.id },
      false,
    );
    const third = await create(
      f,
      said("ok"),
      { input: "and?", previous_response_id: second.response.id },
      true,
    );
    assert.deepEqual(third.asked.messages.slice(0, first.asked.messages.length), first.asked.messages);
    assert.equal(third.asked.messages.at(-2).content, "long ".repeat(1 << 18));
    const [[[most]]] = await stateAt(f.url).batch("deployment", [
      "SELECT max(length(data)) FROM response_parts",
    ]);
    assert.equal(most, 1 << 20);
    const items = [];
    for await (const item of openai(f.url).responses.inputItems.list(third.response.id, {
      limit: 3,
      order: "asc",
    }))
      items.push(item);
    assert.deepEqual(
      items.slice(0, 5).map(({ content }) => content),
      large.map(({ content }) => content),
    );
    assert.equal(items.length, 9);
  });

  test("turns that end in the middle leave nothing", async () => {
    const before = await rows(f.url);
    const request = { path: "/v1/responses", body: { model, input: "q", stream: true } };
    const call = open(f.url, request);
    const x = await f.up.next();
    x.head();
    await x.send(
      'data: {"id":"a","object":"chat.completion.chunk","created":1,"model":"m","choices":[{"index":0,"delta":{"role":"assistant","content":"so"},"finish_reason":null}]}\n\n',
    );
    const { body } = await call.reply;
    await reader(body).find("response.output_text.delta");
    call.abort();
    await x.gone;
    const trapped = open(f.url, { ...request, headers: { "x-api-key": CLIENT_KEY, "x-test-panic": "end" } });
    await play(await f.up.next(), said("ok"));
    const events = parse(await textOf((await trapped.reply).body));
    assert.deepEqual(
      events.slice(-2).map(({ type }) => type),
      ["error", "response.failed"],
    );
    assert.deepEqual(await rows(f.url), before);
  });
});

test(
  "without the binding, whoever stores hears what to add",
  { skip: TARGET === "wazero" && "the wazero host has it" },
  async (t) => {
    const up = await startUpstream();
    t.after(() => up.close());
    const url = await worker(t, up.url, { OPTIONS });
    for (const stream of [true, false])
      await assert.rejects(create({ url, up }, said("ok"), { input: "q" }, stream));
    await refused(
      create({ url, up }, said("ok"), { input: "q" }, false),
      500,
      /There is no binding ENDPOINT_STATE\. Add to wrangler\.toml/,
    );
    assert.equal(
      (await create({ url, up }, said("ok"), { input: "q", store: false }, false)).response.status,
      "completed",
    );
  },
);

test(
  "what is stored is there after a restart",
  { skip: TARGET === "workerd" && "Cloudflare keeps it" },
  async (t) => {
    const up = await startUpstream();
    const folder = await mkdtemp(join(tmpdir(), "stored-"));
    t.after(() => up.close());
    t.after(() => rm(folder, { recursive: true }));
    const config = { UPSTREAM_PROTOCOL: "chat", UPSTREAM_URL: up.url, CLIENT_KEY, OPTIONS };
    const first = await start(config, { data: folder });
    const { response } = await create({ url: first.url, up }, said("one"), { input: "q" }, true);
    await first.close();
    const second = await start(config, { data: folder });
    t.after(() => second.close());
    const { asked } = await create(
      { url: second.url, up },
      said("two"),
      { input: "and", previous_response_id: response.id },
      true,
    );
    assert.deepEqual(
      asked.messages.map(({ content }) => content),
      ["q", "one", "and"],
    );
  },
);
