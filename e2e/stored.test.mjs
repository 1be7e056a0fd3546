// Stored responses: conversations that go on by an id, whatever the upstream speaks, with the official SDK.
import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe } from "node:test";
import { CLIENT_KEY, ask, open, textOf } from "./lib/client.mjs";
import { enroll } from "./lib/endpoints.mjs";
import { fixture, test, worker } from "./lib/fixture.mjs";
import { parse } from "./lib/sse.mjs";
import { stateAt } from "./lib/state.mjs";
import { TARGET, start } from "./lib/target.mjs";
import { PROTOCOLS, openai, upstreams } from "./lib/turns.mjs";
import { upstream as startUpstream } from "./lib/upstream.mjs";

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

// create makes a response, streamed or not, and resolves with it and the upstream's request.
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

// rows reads the tables of an object.
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

for (const protocol of PROTOCOLS) {
  describe(`to ${protocol}`, () => {
    const config = { UPSTREAM_PROTOCOL: protocol, UPSTREAM_OPTIONS: UPSTREAM[protocol] };
    const f = fixture({ ...config, OPTIONS }, stateful);
    const g = fixture({ ...config, OPTIONS: '{"formats":"strip"}' }); // which translates, and changes nothing here

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
          const plain = await create(g, protocol, turn, { ...params, input: whole, store: false, include: ["reasoning.encrypted_content"] }, stream);
          assert.deepEqual(chained.asked, plain.asked, `what the upstream is asked in turn ${n}`);
          whole.push(...plain.response.output);
          const { response } = chained;
          assert.match(response.id, /^resp_[\w-]{43}$/);
          assert.equal(response.store, true);
          assert.equal(response.previous_response_id, previous ?? null);
          assert.ok(response.output.every(({ id }, i) => new RegExp(`^[a-z]+_${response.id.slice(5)}_${i}$`).test(id)));
          for (const item of response.output) if (item.type === "reasoning") assert.equal(item.encrypted_content, null);
          const { output_text, ...kept } = await openai(f.url).responses.retrieve(response.id);
          assert.deepEqual(kept, response, "what is retrieved is what the client got");
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

const plainOutput = () => 2; // of the last turn: a thought and a call
