// Stored responses: conversations that are continued by an id, whatever the upstream speaks, with the official SDK.
import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe } from "node:test";
import { plain } from "../lib/chat.mjs";
import { CLIENT_KEY, ask, open, textOf } from "../lib/client.mjs";
import { enroll } from "../lib/endpoints.mjs";
import { fixture, test, worker } from "../lib/fixture.mjs";
import { checkEvent } from "../lib/openresponses.mjs";
import { parse, reader } from "../lib/sse.mjs";
import { stateAt } from "../lib/state.mjs";
import { TARGET, start } from "../lib/target.mjs";
import { EVERY, openai, upstreams } from "../lib/turns.mjs";
import { upstream as startUpstream } from "../lib/upstream.mjs";

const seconds = () => Math.floor(Date.now() / 1000);
const OPTIONS = '{"store":"on"}';
const model = "some-model";
const UPSTREAM_OPTIONS = '{"effort":["low","high"],"reasoning_echo":"reasoning_content"}';
const UPSTREAM = { anthropic: '{"effort":["low","high"]}', chat: UPSTREAM_OPTIONS, responses: '{"effort":["low","high"]}' };
const tools = [{ type: "function", name: "get_weather", parameters: { type: "object", properties: { city: { type: "string" } } }, strict: false }];
const usage = { input: 11, cached: 0, output: 5 };
const said = (text) => ({ text, calls: [], usage });
const thinking = (protocol, n) =>
  ({
    anthropic: [{ text: `hm ${n}`, blob: `c2ln${n}` }],
    chat: [{ text: `hm ${n}` }],
    responses: [{ id: `rs_up${n}`, text: `hm ${n}`, blob: `gAAA${n}` }],
  })[protocol];
const called = (protocol, n) => ({
  reasoning: thinking(protocol, n),
  text: "",
  calls: [{ id: `${protocol === "anthropic" ? "toolu" : "call"}_${n}`, name: "get_weather", input: { city: `é ${n}` } }],
  usage,
});

// create makes a response, streamed or not, and resolves with it and with the upstream's request.
async function create(f, protocol, turn, params, stream, url = f.url) {
  const client = openai(url);
  const request = { model, tools, ...params };
  const due = stream ? last(client.responses.create({ ...request, stream })) : client.responses.create(request);
  due.catch(() => {});
  const x = await Promise.race([f.up.next(), due.then(() => assert.fail("the upstream was not asked"))]);
  await upstreams[protocol].play(x, turn);
  const { output_text, ...response } = await due;
  return { response, asked: x.json };
}

// last resolves with the response of a stream's last event.
async function last(streamed) {
  const events = [];
  for await (const event of await streamed) events.push(event);
  assert.deepEqual(events.map(({ sequence_number }) => sequence_number), events.map((_, i) => i));
  return events.at(-1).response;
}

// rows returns how many rows the tables of an object have.
async function rows(url, object = "deployment") {
  const [[[n]]] = await stateAt(url).batch(object, ["SELECT count(*) FROM sqlite_master WHERE name IN ('responses', 'response_parts')"]);
  if (n === 0) return [0, 0];
  const [[[responses]], [[parts]]] = await stateAt(url).batch(object, ["SELECT count(*) FROM responses"], ["SELECT count(*) FROM response_parts"]);
  return [responses, parts];
}

async function refused(due, status, message) {
  await assert.rejects(due, (error) => {
    assert.equal(error.status, status, error.message);
    assert.match(error.message, message);
    return true;
  });
}

const stateful = { faults: true, state: true };

for (const protocol of EVERY) {
  describe(`to ${protocol}`, () => {
    const config = { UPSTREAM_PROTOCOL: protocol, UPSTREAM_OPTIONS: UPSTREAM[protocol] };
    const f = fixture({ ...config, OPTIONS }, stateful);
    const g = fixture({ ...config, OPTIONS: '{"formats":"strip"}' }); // the option makes bodies go through the hub, and changes nothing in these

    for (const stream of [false, true]) {
      test(`a chain of five turns with tools, ${stream ? "streamed" : "plain"}, is what the whole conversation is`, async () => {
        const reasoning = { effort: "high", summary: "auto" };
        const whole = [];
        let previous;
        for (let n = 1; n <= 5; n++) {
          const turn = n % 2 ? called(protocol, n) : said(`said ${n}`);
          const input = n % 2 ? [{ role: "user", content: `question ${n}` }] : [{ type: "function_call_output", call_id: called(protocol, n - 1).calls[0].id, output: `result ${n}` }];
          const params = { reasoning, instructions: `turn ${n}` };
          const chained = await create(f, protocol, turn, { ...params, input, ...(previous && { previous_response_id: previous }) }, stream);
          whole.push(...input);
          const unstored = await create(g, protocol, turn, { ...params, input: whole, store: false, include: ["reasoning.encrypted_content"] }, stream);
          assert.deepEqual(chained.asked, unstored.asked, `what the upstream is asked in turn ${n}`);
          whole.push(...unstored.response.output);
          const { response } = chained;
          assert.match(response.id, /^resp_[\w-]{43}$/);
          assert.equal(response.store, true);
          assert.equal(response.previous_response_id, previous ?? null);
          assert.ok(response.output.every(({ id }, i) => new RegExp(`^[a-z]+_${response.id.slice(5)}_${i}$`).test(id)));
          for (const item of response.output) if (item.type === "reasoning") assert.ok(!("encrypted_content" in item));
          const { output_text, ...kept } = await openai(f.url).responses.retrieve(response.id);
          assert.deepEqual(kept, response, "what is retrieved is what the client got");
          assert.deepEqual(await last(openai(f.url).responses.retrieve(response.id, { stream: true })), response, "and streamed");
          previous = response.id;
        }
        const items = [];
        for await (const item of openai(f.url).responses.inputItems.list(previous, { limit: 2, order: "asc" })) items.push(item);
        assert.deepEqual(
          items.map(({ type }) => type),
          whole.slice(0, whole.length - plainOutput(protocol)).map(({ type = "message" }) => type),
        );
        assert.equal(new Set(items.map(({ id }) => id)).size, items.length, "ids are unique");
        const back = [];
        for await (const item of openai(f.url).responses.inputItems.list(previous)) back.push(item);
        assert.deepEqual(back.reverse(), items);
      });
    }

    test("the SDK's own reading of streams", async () => {
      const turn = called(protocol, 1);
      const client = openai(f.url).responses;
      const due = client.stream({ model, tools, input: "q", reasoning: { effort: "high" } }).finalResponse();
      await upstreams[protocol].play(await f.up.next(), turn);
      const { id: previous_response_id } = await due;
      const input = [{ type: "function_call_output", call_id: turn.calls[0].id, output: "r" }];
      const next = client.stream({ model, tools, input, previous_response_id }).finalResponse();
      await upstreams[protocol].play(await f.up.next(), said("Sunny."));
      const { id, output_text } = await next;
      assert.equal(output_text, "Sunny.");
      assert.equal((await client.retrieve(id)).output_text, "Sunny.");
      const again = client.stream({ response_id: id });
      const heard = [];
      again.on("response.output_text.delta", ({ delta }) => heard.push(delta));
      assert.equal((await again.finalResponse()).output_text, "Sunny.");
      assert.deepEqual(heard, ["Sunny."]);
    });

    test("a stored response as its stream", async () => {
      for (const [turn, include] of [[said("Sunny."), []], [called(protocol, 1), []], [called(protocol, 1), ["reasoning.encrypted_content"]], [{ ...said("Sun"), stop: "length" }, []]]) {
        const { response } = await create(f, protocol, turn, { input: "q", include, reasoning: { effort: "high" } }, true);
        const query = include.map((name) => `&include[]=${name}`).join("");
        const answer = await ask(f.url, { path: `/v1/responses/${response.id}?stream=true${query}`, method: "GET" });
        assert.equal(answer.status, 200);
        assert.match(answer.headers["content-type"], /^text\/event-stream/);
        const events = parse(answer.text);
        events.forEach(checkEvent);
        assert.deepEqual(events.map(({ type }) => type).slice(0, 2), ["response.created", "response.in_progress"]);
        assert.equal(events[0].response.status, "in_progress");
        assert.deepEqual(events.at(-1).response, response);
        assert.equal(events.at(-1).type, `response.${response.status}`);
        assert.deepEqual(events.filter(({ type }) => type === "response.output_item.done").map(({ item }) => item), response.output);
      }
      await refused(openai(f.url).responses.retrieve(`resp_${"a".repeat(43)}`, { stream: true }), 404, /not found/);
    });

    test("what carries reasoning is shown to those who ask for it", async () => {
      const { response } = await create(f, protocol, called(protocol, 1), { input: "q", include: ["reasoning.encrypted_content"], reasoning: { effort: "high" } }, true);
      const [{ encrypted_content }] = response.output;
      assert.ok(protocol === "chat" || encrypted_content, "it is there");
      const [again] = (await openai(f.url).responses.retrieve(response.id)).output;
      assert.equal(again.encrypted_content, encrypted_content);
    });

    test("references, and reasoning that comes back without what carries it", async () => {
      const first = await create(f, protocol, called(protocol, 1), { input: "q", reasoning: { effort: "high" } }, true);
      const output = { type: "function_call_output", call_id: called(protocol, 1).calls[0].id, output: "r" };
      const chained = await create(f, protocol, said("ok"), { input: [output], previous_response_id: first.response.id }, false);
      const {
        data: [question],
      } = await openai(f.url).responses.inputItems.list(first.response.id);
      const references = [question, ...first.response.output].map(({ id }) => ({ type: "item_reference", id }));
      const referenced = await create(f, protocol, said("ok"), { input: [...references, output] }, false);
      assert.deepEqual(referenced.asked, chained.asked);
      const back = await create(f, protocol, said("ok"), { input: [question, ...first.response.output, output], store: false }, false);
      assert.deepEqual(back.asked, chained.asked);
    });

    test("store: false writes nothing", async () => {
      const before = await rows(f.url);
      for (const stream of [true, false]) {
        const { response } = await create(f, protocol, said("ok"), { input: "q", store: false }, stream);
        assert.notEqual(response.store, true);
        await refused(openai(f.url).responses.retrieve(response.id), 404, /not found/);
      }
      assert.deepEqual(await rows(f.url), before);
    });

    test("deleted is gone, and so is what stands on it", async () => {
      const first = await create(f, protocol, said("one"), { input: "q" }, false);
      const second = await create(f, protocol, said("two"), { input: "q", previous_response_id: first.response.id }, true);
      const [responses, parts] = await rows(f.url);
      const { id } = first.response;
      assert.deepEqual(await openai(f.url).delete(`/responses/${id}`), { id, object: "response", deleted: true });
      assert.deepEqual(await rows(f.url), [responses - 1, parts - 4]);
      await refused(openai(f.url).responses.retrieve(id), 404, new RegExp(`Response with id '${id}' not found`));
      await refused(openai(f.url).responses.delete(id), 404, /not found/);
      await refused(openai(f.url).responses.inputItems.list(second.response.id), 404, /not found/);
      for (const previous_response_id of [id, second.response.id]) {
        await assert.rejects(openai(f.url).responses.create({ model, input: "q", previous_response_id }), (error) => {
          const { message, type, param, code } = error.error;
          assert.deepEqual({ status: error.status, message, type, param, code }, {
            status: 400,
            message: `previous_response_id: Previous response with id '${id}' not found.`,
            type: "invalid_request_error",
            param: "previous_response_id",
            code: "previous_response_not_found",
          });
          return true;
        });
      }
      assert.equal((await openai(f.url).responses.retrieve(second.response.id)).output_text, "two");
    });

    test("what is cut by the limit is stored as incomplete, and failures are not", async () => {
      const { response } = await create(f, protocol, { ...said("long"), stop: "length" }, { input: "q" }, false);
      assert.equal(response.status, "incomplete");
      assert.equal((await openai(f.url).responses.retrieve(response.id)).status, "incomplete");
      const before = await rows(f.url);
      const due = openai(f.url).responses.stream({ model, input: "q" }).finalResponse();
      due.catch(() => {});
      const x = await f.up.next();
      x.head();
      x.cut();
      await assert.rejects(due);
      assert.deepEqual(await rows(f.url), before);
    });
  });
}

describe("what is stored", () => {
  const f = fixture({ OPTIONS }, stateful);
  const play = upstreams.chat.play;
  const make = async (params, turn = said("ok"), stream = false) => (await create(f, "chat", turn, params, stream)).response;
  const textsOf = ({ messages }) => messages.map(({ content }) => content);

  test("two turns on one response at once, and each goes on", async () => {
    const root = await make({ input: "root" });
    const dues = ["left", "right"].map((input) => openai(f.url).responses.create({ model, input, previous_response_id: root.id }));
    const both = [await f.up.next(), await f.up.next()];
    for (const x of both) await play(x, said(`to ${textsOf(x.json).at(-1)}`));
    for (const [i, due] of dues.entries()) {
      const name = ["left", "right"][i];
      const { id, output_text } = await due;
      assert.equal(output_text, `to ${name}`);
      const next = await create(f, "chat", said("ok"), { input: "on", previous_response_id: id }, true);
      assert.deepEqual(textsOf(next.asked), ["root", "ok", name, `to ${name}`, "on"]);
    }
  });

  test("paths are those of the client's own input", async () => {
    const { response } = await create(f, "chat", said("ok"), { input: [{ role: "user", content: "root", odd: 1 }] }, false);
    const params = { model, previous_response_id: response.id, input: [{ role: "user", content: "q" }, { role: "user", content: 7 }] };
    await assert.rejects(openai(f.url).responses.create(params), (error) => {
      assert.deepEqual([error.status, error.param], [400, "input[1].content"]);
      assert.match(error.message, /'input\[1\]\.content'/);
      return true;
    });
    const count = await ask(f.url, { path: "/v1/responses/input_tokens", headers: { authorization: `Bearer ${CLIENT_KEY}` }, body: params });
    assert.equal(JSON.parse(count.text).error.param, "input[1].content");
    const due = openai(f.url).responses.create({ ...params, input: [{ role: "user", content: "q", odd: 1 }] }).withResponse();
    await upstreams.chat.play(await f.up.next(), said("ok"));
    assert.equal((await due).response.headers.get("x-edgelingua-lost"), "previous_response_id,input[0].odd");
  });

  test("ids of no response", async () => {
    for (const id of ["resp_1", `resp_${"a".repeat(43)}`, "é", `resp_${"a".repeat(42)}é`]) {
      await refused(openai(f.url).responses.retrieve(id), 404, /not found/);
      await refused(openai(f.url).responses.delete(id), 404, /not found/);
      await refused(openai(f.url).responses.inputItems.list(id), 404, /not found/);
      await refused(openai(f.url).responses.create({ model, input: "q", previous_response_id: id }), 400, /not found/);
    }
    await refused(openai(f.url).responses.create({ model, input: "q", previous_response_id: 7 }), 400, /Invalid type for 'previous_response_id'/);
    await refused(openai(f.url).responses.create({ model, input: "q", previous_response_id: "" }), 400, /not found/);
    for (const id of ["msg_1", `msg_${"a".repeat(43)}_0`]) {
      await refused(openai(f.url).responses.create({ model, input: [{ role: "user", content: "q" }, { type: "item_reference", id }] }), 404, /input\[1\]: Item with id/);
    }
    const { id } = await make({ input: "q" });
    const beyond = { id: `msg_${id.slice(5)}_1`, type: "item_reference" };
    await refused(openai(f.url).responses.create({ model, input: [beyond] }), 404, /not found/);
  });

  test("what has expired is not there, and goes with the next write", async () => {
    const began = seconds();
    const first = await make({ input: "q" });
    const second = await make({ input: "q", previous_response_id: first.id });
    const [[[expires]]] = await stateAt(f.url).batch("deployment", ["SELECT expires FROM responses WHERE id = ?", first.id]);
    assert.ok(expires >= began + 2592000 && expires <= seconds() + 2592000, `${expires - began}`);
    await stateAt(f.url).batch("deployment", ["UPDATE responses SET expires = ? WHERE id = ?", Math.floor(Date.now() / 1000), first.id]);
    const before = await rows(f.url);
    await refused(openai(f.url).responses.retrieve(first.id), 404, /not found/);
    await refused(openai(f.url).responses.delete(first.id), 404, /not found/);
    await refused(openai(f.url).responses.inputItems.list(first.id), 404, /not found/);
    for (const previous_response_id of [first.id, second.id]) {
      await refused(openai(f.url).responses.create({ model, input: "q", previous_response_id }), 400, new RegExp(`Previous response with id '${first.id}' not found`));
    }
    await refused(openai(f.url).responses.create({ model, input: [{ type: "item_reference", id: first.output[0].id }] }), 404, /not found/);
    assert.deepEqual(await rows(f.url), [before[0] - 1, before[1] - 4], "deleting it deletes it, though it was not there any more");
    const third = await make({ input: "q" });
    await stateAt(f.url).batch("deployment", ["UPDATE responses SET expires = 1 WHERE id IN (?, ?)", second.id, third.id]);
    await make({ input: "q" });
    assert.deepEqual(await rows(f.url), [before[0] - 1, before[1] - 4], "two went and two came");
  });

  test("a history of 5 MB", async () => {
    const large = Array.from({ length: 5 }, (_, i) => ({ role: "user", content: [{ type: "input_text", text: String.fromCharCode(97 + i).repeat(1 << 20) + "é\"" }] }));
    const first = await create(f, "chat", said("short"), { input: large }, true);
    const second = await create(f, "chat", said("long ".repeat(1 << 18)), { input: "and?", previous_response_id: first.response.id }, false);
    const third = await create(f, "chat", said("ok"), { input: "and?", previous_response_id: second.response.id }, true);
    assert.deepEqual(third.asked.messages.slice(0, first.asked.messages.length), first.asked.messages);
    assert.equal(third.asked.messages.at(-2).content, "long ".repeat(1 << 18));
    const [[[most]]] = await stateAt(f.url).batch("deployment", ["SELECT max(length(data)) FROM response_parts"]);
    assert.equal(most, 1 << 20);
    const items = [];
    for await (const item of openai(f.url).responses.inputItems.list(third.response.id, { limit: 3, order: "asc" })) items.push(item);
    assert.deepEqual(items.slice(0, 5).map(({ content }) => content), large.map(({ content }) => content));
    assert.equal(items.length, 9);
  });

  test("a conversation that is too long says so", async () => {
    const input = [{ role: "user", content: "x".repeat(8 << 20) }];
    const first = await make({ input });
    const again = openai(f.url).responses.create({ model, input: [{ role: "user", content: "y".repeat(9 << 20) }], previous_response_id: first.id });
    await refused(again, 400, /The stored conversation is over 16 MB\. Begin a new one/);
    const second = await make({ input: [{ role: "user", content: "y".repeat(7 << 20) }], previous_response_id: first.id });
    await refused(openai(f.url).responses.create({ model, input: "q", previous_response_id: second.id }), 400, /The stored conversation is over 15 MB\. Begin a new one/);
    const reference = { type: "item_reference", id: `msg_${first.id.slice(5)}_i0` };
    for (const n of [2, 600]) await refused(openai(f.url).responses.create({ model, input: Array(n).fill(reference) }), 400, /over 16 MB/);
  });

  test("turns that end in the middle leave nothing", async () => {
    const before = await rows(f.url);
    const request = { path: "/v1/responses", body: { model, input: "q", stream: true } };
    const call = open(f.url, request);
    const x = await f.up.next();
    x.head();
    await x.send('data: {"id":"a","object":"chat.completion.chunk","created":1,"model":"m","choices":[{"index":0,"delta":{"role":"assistant","content":"so"},"finish_reason":null}]}\n\n');
    const { body } = await call.reply;
    await reader(body).find("response.output_text.delta");
    call.abort();
    await x.gone;
    const trapped = open(f.url, { ...request, headers: { "x-api-key": CLIENT_KEY, "x-test-panic": "end" } });
    await play(await f.up.next(), said("ok"));
    const events = parse(await textOf((await trapped.reply).body));
    assert.deepEqual(events.slice(-2).map(({ type }) => type), ["error", "response.failed"]);
    assert.deepEqual(await rows(f.url), before);
  });

  test("a plain answer to a stream, and the reverse", async () => {
    for (const stream of [true, false]) {
      const due = stream ? last(openai(f.url).responses.create({ model, input: "q", stream })) : openai(f.url).responses.create({ model, input: "q" });
      const x = await f.up.next();
      Object.defineProperty(x, "json", { value: { ...x.json, stream: !stream } });
      await play(x, said("ok"));
      const { id } = await due;
      assert.equal((await openai(f.url).responses.retrieve(id)).output_text, "ok");
    }
  });

  test("what is not served is refused by name", async () => {
    const { id } = await make({ input: "q" });
    for (const stream of [true, false]) await refused(openai(f.url).responses.retrieve(id, { starting_after: 1, stream }), 400, /'starting_after'/);
    await refused(openai(f.url).responses.cancel(id), 400, /Only background responses/);
    await refused(openai(f.url).responses.create({ model, input: "q", background: true }), 400, /'background'/);
    await refused(openai(f.url).responses.create({ model, input: "q", conversation: "conv_1" }), 400, /'conversation'/);
    for (const query of [{ limit: 0 }, { limit: 101 }, { order: "up" }, { after: "msg_1" }]) {
      await refused(openai(f.url).responses.inputItems.list(id, query), 400, new RegExp(`'?${Object.keys(query)[0]}`));
    }
    await refused(openai(f.url).post(`/responses/${id}/submit_tool_outputs`, { body: { tool_outputs: [] } }), 400, /"required_action":"on"/);
    const { status, headers } = await ask(f.url, { path: `/v1/responses/${id}`, method: "PUT", body: {} });
    assert.deepEqual([status, headers.allow], [405, "GET, HEAD, DELETE"]);
  });

  test("the tokens of a whole conversation are counted", async () => {
    const { id } = await make({ input: "one two three four five six seven" });
    const short = await openai(f.url).responses.inputTokens.count({ model, input: "q" });
    const long = await openai(f.url).responses.inputTokens.count({ model, input: "q", previous_response_id: id });
    assert.ok(long.input_tokens > short.input_tokens + 6, `${long.input_tokens}`);
  });
});

test("an answer that can't be stored says so in place of its end", async (t) => {
  const up = await startUpstream();
  t.after(() => up.close());
  const url = await worker(t, up.url, { OPTIONS }, stateful);
  const f = { url, up };
  await stateAt(url).batch("deployment", ["CREATE TABLE responses (other)"]);
  await refused(create(f, "chat", said("ok"), { input: "q" }, false), 500, /The response could not be stored: statement \d: .*Send the request again, or with "store":false/);
  const whole = ask(url, { path: "/v1/responses", body: { model, input: "q", stream: true } });
  await (await up.next()).answer(200, plain({ content: "ok" }));
  assert.equal((await whole).status, 500, "a plain answer to a stream, whose head has not gone out");
  const call = open(url, { path: "/v1/responses", body: { model, input: "q", stream: true } });
  await upstreams.chat.play(await up.next(), said("all of it"));
  const events = parse(await textOf((await call.reply).body));
  assert.deepEqual(events.map(({ sequence_number }) => sequence_number), events.map((_, i) => i));
  assert.deepEqual(events.slice(-3).map(({ type }) => type), ["response.output_item.done", "error", "response.failed"]);
  assert.match(events.at(-1).response.error.message, /could not be stored/);
  assert.equal(events.at(-1).response.output[0].content[0].text, "all of it");
  await refused(openai(url).responses.retrieve(`resp_${"a".repeat(43)}`), 500, /could not be read/);
});

test("what has no input never reaches an upstream that would store it, or leave out what it goes on from", async (t) => {
  const up = await startUpstream();
  t.after(() => up.close());
  const url = await worker(t, up.url, { UPSTREAM_PROTOCOL: "responses", OPTIONS }, stateful);
  const prompt = { id: "pmpt_1" };
  up.serve((x) => x.answer(200, {}));
  for (const params of [{ prompt }, { prompt, previous_response_id: `resp_${"a".repeat(43)}` }, { prompt, previous_response_id: `resp_${"a".repeat(43)}`, store: false }]) {
    await refused(openai(url).responses.create({ model, ...params }), 400, /input/);
  }
  assert.equal(up.requests.length, 0);
  await openai(url).responses.create({ model, prompt, store: false });
  assert.equal(up.requests.length, 1, "that passes");
});

test("without the binding, whoever stores hears what to add", { skip: TARGET === "wazero" && "the wazero host has it" }, async (t) => {
  const up = await startUpstream();
  t.after(() => up.close());
  const url = await worker(t, up.url, { OPTIONS });
  for (const stream of [true, false]) await assert.rejects(create({ url, up }, "chat", said("ok"), { input: "q" }, stream));
  await refused(create({ url, up }, "chat", said("ok"), { input: "q" }, false), 500, /There is no binding ENDPOINT_STATE\. Add to wrangler\.toml/);
  assert.equal((await create({ url, up }, "chat", said("ok"), { input: "q", store: false }, false)).response.status, "completed");
});

test("where nothing is stored, what would need it says which option stores", async (t) => {
  const up = await startUpstream();
  t.after(() => up.close());
  const url = await worker(t, up.url);
  const client = openai(url).responses;
  const id = `resp_${"a".repeat(43)}`;
  const option = /"store":"on"/;
  await refused(client.create({ model, input: "q", previous_response_id: id }), 400, /'previous_response_id'.*"store":"on"/);
  await refused(client.create({ model, input: [{ type: "item_reference", id: "msg_1" }] }), 400, /input\[0\]: .*"store":"on"/);
  await refused(client.retrieve(id), 404, option);
  await refused(client.delete(id), 404, option);
  await refused(client.inputItems.list(id), 404, option);
  await refused(openai(url).post(`/responses/${id}/submit_tool_outputs`, { body: { tool_outputs: [] } }), 404, option);
});

test("what is stored is there after a restart", { skip: TARGET === "workerd" && "Cloudflare keeps it" }, async (t) => {
  const up = await startUpstream();
  const folder = await mkdtemp(join(tmpdir(), "stored-"));
  t.after(() => up.close());
  t.after(() => rm(folder, { recursive: true }));
  const config = { UPSTREAM_PROTOCOL: "chat", UPSTREAM_URL: up.url, CLIENT_KEY, OPTIONS };
  const first = await start(config, { data: folder });
  const { response } = await create({ url: first.url, up }, "chat", said("one"), { input: "q" }, true);
  await first.close();
  const second = await start(config, { data: folder });
  t.after(() => second.close());
  const { asked } = await create({ url: second.url, up }, "chat", said("two"), { input: "and", previous_response_id: response.id }, true);
  assert.deepEqual(asked.messages.map(({ content }) => content), ["q", "one", "and"]);
});

for (const protocol of EVERY) {
  describe(`outputs that are submitted, to ${protocol}`, () => {
    const f = fixture({ UPSTREAM_PROTOCOL: protocol, OPTIONS: '{"store":"on","required_action":"on"}' }, stateful);
    const id = (n) => `${protocol === "anthropic" ? "toolu" : "call"}_${n}`;
    const turn = { text: "I look.", calls: [1, 2].map((n) => ({ id: id(n), name: "get_weather", input: { city: `"${n}"` } })), usage };
    const action = {
      type: "submit_tool_outputs",
      submit_tool_outputs: {
        tool_calls: [1, 2].map((n) => ({ id: id(n), type: "function", function: { name: "get_weather", arguments: JSON.stringify({ city: `"${n}"` }) } })),
      },
    };
    const params = { input: "Weather?", instructions: "Be short.", tool_choice: "required", max_output_tokens: 99, metadata: { a: "b" } };
    const outputs = (...numbers) => numbers.map((n) => ({ tool_call_id: id(n), output: `result ${n}` }));
    const submit = (response, body) => openai(f.url).post(`/responses/${response}/submit_tool_outputs`, { body, stream: body.stream ?? false });

    for (const stream of [true, false]) {
      test(`${stream ? "streamed" : "plain"}`, async () => {
        let asked, first;
        if (stream) {
          const call = open(f.url, { path: "/v1/responses", body: { model, tools, ...params, stream } });
          const x = await f.up.next();
          await upstreams[protocol].play(x, turn);
          const events = parse(await textOf((await call.reply).body));
          assert.deepEqual(events.map(({ sequence_number }) => sequence_number), events.map((_, i) => i));
          const [required, completed] = events.slice(-2);
          assert.deepEqual([required.type, completed.type], ["response.required_action", "response.completed"]);
          assert.deepEqual(required.required_action, action);
          assert.deepEqual(required.response, completed.response);
          [asked, first] = [x.json, completed.response];
        } else ({ asked, response: first } = await create(f, protocol, turn, params, false));
        assert.equal(first.status, "incomplete");
        assert.equal(first.incomplete_details, null);
        assert.deepEqual(first.required_action, action);
        const { output_text, ...kept } = await openai(f.url).responses.retrieve(first.id);
        assert.deepEqual(kept, first);
        const again = parse((await ask(f.url, { path: `/v1/responses/${first.id}?stream=true`, method: "GET" })).text).slice(-2);
        assert.deepEqual(again.map(({ type }) => type), ["response.required_action", "response.completed"]);
        assert.deepEqual(again[0].required_action, action);
        for (const { response } of again) assert.deepEqual(response, first);

        const due = submit(first.id, { tool_outputs: outputs(2, 1), stream });
        due.catch(() => {});
        const x = await Promise.race([f.up.next(), due.then(() => assert.fail("the upstream was not asked"))]);
        const { messages, input, contents, tool_choice, toolConfig, stream: _, stream_options: __, ...same } = x.json;
        const { messages: ___, input: ____, contents: _____, tool_choice: ______, toolConfig: _______, stream: ________, stream_options: _________, ...wanted } = asked;
        assert.deepEqual(same, wanted);
        assert.deepEqual(upstreams[protocol].read(x.json, x.path).results, [1, 2].map((n) => ({ id: id(n), text: `result ${n}` })));
        assert.notDeepEqual(tool_choice ?? toolConfig, asked.tool_choice ?? asked.toolConfig, "a choice that forces a call holds once");
        await upstreams[protocol].play(x, said("Sunny."));
        const second = stream ? await last(due) : await due;
        assert.equal(second.status, "completed");
        assert.equal(second.required_action, undefined);
        assert.equal(second.previous_response_id, first.id);
        assert.equal((await openai(f.url).responses.retrieve(second.id)).output_text, "Sunny.");
        await refused(submit(second.id, { tool_outputs: outputs(1) }), 400, /waits for no outputs/);
      });
    }

    test("wrong outputs", async () => {
      const { response } = await create(f, protocol, turn, params, false);
      for (const [body, message] of [
        [{}, /tool_outputs: Outputs of these calls are missing: '\w+_1', '\w+_2'|'tool_outputs'/],
        [{ tool_outputs: outputs(1) }, /missing: '\w+_2'\./],
        [{ tool_outputs: outputs(1, 2, 3) }, /tool_outputs\[2\]\.tool_call_id: .*no call '\w+_3'/],
        [{ tool_outputs: outputs(1, 1) }, /tool_outputs\[1\]\.tool_call_id: .*already/],
        [{ tool_outputs: [{ output: "a" }] }, /tool_outputs\[0\]\.tool_call_id/],
        [{ tool_outputs: [{ tool_call_id: id(1) }] }, /tool_outputs\[0\]\.output/],
        [{ tool_outputs: [{ tool_call_id: id(1), output: 7 }] }, /tool_outputs\[0\]\.output/],
        [{ tool_outputs: "a" }, /tool_outputs/],
        [{ tool_outputs: outputs(1, 2), model: "m" }, /'model'|model: The members are/],
      ]) {
        await refused(submit(response.id, body), 400, message);
      }
      await refused(submit(`resp_${"a".repeat(43)}`, { tool_outputs: outputs(1, 2) }), 404, /not found/);
    });
  });
}

describe("stored responses of personal endpoints", () => {
  const f = fixture({ ALLOW_HTTP_UPSTREAM: "true", ADMIN_KEY: "admin-key-of-the-tests", SEAL_KEY: Buffer.alloc(32, 7).toString("base64") }, stateful);
  const enrolled = (name, options = { store: "on", store_ttl: 3600 }) => enroll(f.url, name, { upstreams: [{ name: "up", protocol: "chat", url: f.up.url }], options });
  const at = (name, key) => `${f.url}/${key ? `k/${key}` : `u/${name}`}`;
  const client = (url, key) => openai(url, { apiKey: key }).responses;

  async function made(name, key) {
    const due = client(at(name), key).create({ model, input: "q" });
    await upstreams.chat.play(await f.up.next(), said("ok"));
    return due;
  }

  test("each has its own, and other ids are worth nothing", async () => {
    const [anna, bert] = [await enrolled("anna"), await enrolled("bert")];
    const began = seconds();
    const { id, output } = await made("anna", anna);
    assert.equal((await client(at("anna"), anna).retrieve(id)).output_text, "ok");
    assert.equal((await client(at("anna", anna), "other").retrieve(id)).output_text, "ok");
    const [[[expires]]] = await stateAt(f.url).batch("endpoint:anna", ["SELECT expires FROM responses"]);
    assert.ok(expires > began && expires <= seconds() + 3600, `${expires - began}`);
    for (const [url, key] of [[at("bert"), bert], [at("bert", bert), "other"]]) {
      await refused(client(url, key).retrieve(id), 404, new RegExp(`Response with id '${id}' not found\\.$`));
      await refused(client(url, key).delete(id), 404, /not found/);
      await refused(client(url, key).create({ model, input: "q", previous_response_id: id }), 400, /not found/);
      await refused(client(url, key).create({ model, input: [{ type: "item_reference", id: output[0].id }] }), 404, /not found/);
    }
    await refused(client(at("anna"), bert).retrieve(id), 401, /Wrong key/);
    assert.deepEqual(await client(at("anna", anna), "other").delete(id).withResponse().then(({ response }) => response.status), 200);
  });

  test("they go with the endpoint", async () => {
    const key = await enrolled("carl");
    const { id } = await made("carl", key);
    assert.deepEqual(await rows(f.url, "endpoint:carl"), [1, 4]);
    const { status } = await ask(f.url, { method: "DELETE", path: "/admin/api/endpoints/carl", headers: { authorization: "Bearer admin-key-of-the-tests" } });
    assert.equal(status, 204);
    assert.deepEqual(await rows(f.url, "endpoint:carl"), [0, 0]);
    const again = await enrolled("carl");
    await refused(client(at("carl"), again).retrieve(id), 404, /not found/);
  });

  test("requests that run while the endpoint is deleted store nothing", async () => {
    const record = { upstreams: [{ name: "up", protocol: "chat", url: f.up.url }], options: { store: "on" } };
    const enrolled = (created) => enroll(f.url, "dora", { ...record, created });
    const now = Math.floor(Date.now() / 1000);
    const key = await enrolled(now - 10);
    const streamed = open(f.url, { path: "/u/dora/v1/responses", headers: { "x-api-key": key }, body: { model, input: "q", stream: true } });
    const x = await f.up.next();
    const asked = ask(f.url, { path: "/u/dora/v1/responses", headers: { "x-api-key": key }, body: { model, input: "q" } });
    const y = await f.up.next();
    await ask(f.url, { method: "DELETE", path: "/admin/api/endpoints/dora", headers: { authorization: "Bearer admin-key-of-the-tests" } });
    for (const each of [x, y]) await upstreams.chat.play(each, said("ok"));
    const events = parse(await textOf((await streamed.reply).body));
    assert.equal(events.at(-1).type, "response.failed");
    assert.match(events.at(-1).response.error.message, /not stored: this endpoint was deleted/);
    const { status, text } = await asked;
    assert.equal(status, 403, text);
    assert.deepEqual(await rows(f.url, "endpoint:dora"), [0, 0]);
    const { id } = await made("dora", await enrolled(now));
    assert.deepEqual(await rows(f.url, "endpoint:dora"), [1, 4], id);
  });
});

const plainOutput = () => 2; // items of the last turn: reasoning and a call
