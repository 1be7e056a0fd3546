// Endpoints that store responses and have limits: what is refused, stored and counted.
import assert from "node:assert/strict";
import { describe } from "node:test";
import { open } from "../lib/client.mjs";
import { test } from "../lib/fixture.mjs";
import { parse, reader } from "../lib/sse.mjs";
import { ADMIN_KEY, counted, midnight, requestsOf, says, streamed, suite, through, whole } from "../lib/usage.mjs";
import { EVERY } from "../lib/turns.mjs";

const options = { store: "on" };
const limits = { requests_per_minute: 3, concurrent_streams: 2, tokens_per_day: 10_000 };
const absent = `resp_${"a".repeat(43)}`;

describe("stored responses of an endpoint with limits", () => {
  const f = suite();
  const object = ({ name }) => `endpoint:${name}`;
  const responses = async (e) => (await f.state.batch(object(e), ["SELECT count(*) FROM responses"]))[0][0][0];
  const until = (e, n) => f.until(e, { at: midnight }, (kept) => requestsOf(kept) === n && kept.limits.concurrent_streams?.used === 0);
  const ask = (e, body) => f.ask("responses", e, { at: midnight, body: { model: "m", ...body } });

  for (const protocol of EVERY) {
    test(`turns on ${protocol} are counted and charged, and one over a limit is refused before anything is looked up`, async () => {
      f.up.serve(says(protocol));
      const e = await f.endpoint({ options, limits, upstreams: [through(protocol, f.up)] });
      const first = await ask(e);
      const { id } = JSON.parse(first.text);
      const second = await ask(e, { previous_response_id: id, stream: true });
      assert.equal(second.status, 200, second.text);
      const unknown = await ask(e, { previous_response_id: absent });
      assert.equal(unknown.status, 400, unknown.text);
      const kept = await until(e, 3);
      const [errors, input, output] = ["errors", "input", "output"].map((count) => kept.days.reduce((n, row) => n + row[count], 0)); // one has asked no upstream
      assert.deepEqual({ errors, input, output }, { errors: 1, input: 2 * counted.input, output: 2 * counted.output });
      assert.deepEqual(kept.errors, [{ time: midnight, status: 400, type: "invalid_request", request_id: unknown.headers["x-request-id"] }]);
      assert.equal(f.up.requests.length, 2);
      for (const previous_response_id of [id, absent]) {
        const over = await ask(e, { previous_response_id });
        assert.equal(over.status, 429, over.text);
        assert.match(over.text, /requests_per_minute/);
      }
      assert.equal(await responses(e), 2);
    });
  }

  test("what can't be stored is an error, and costs what the upstream has counted", async () => {
    f.up.serve(says("chat"));
    const e = await f.endpoint({ options, limits, upstreams: [through("chat", f.up)] });
    await f.state.batch(object(e), ["CREATE TABLE responses (other)"]);
    assert.equal((await ask(e)).status, 500);
    const { status, text } = await ask(e, { stream: true });
    assert.equal(status, 200);
    assert.equal(parse(text).at(-1).type, "response.failed");
    const { days, errors } = await until(e, 2);
    assert.deepEqual(days.map(({ errors, input, output }) => [errors, input, output]), [[2, 2 * counted.input, 2 * counted.output]]);
    assert.deepEqual(errors.map(({ status, type }) => [status, type]), [[500, "internal"], [500, "internal"]]);
  });

  test("the next upstream's answer is stored and counted, once", async () => {
    f.up.serve((x) => (x.path.startsWith("/bad") ? x.answer(503, { error: { message: "no" } }) : says("chat")(x)));
    const bad = { name: "bad", protocol: "anthropic", url: f.up.url.replace(/\/v1$/, "/bad") };
    const e = await f.endpoint({ options, limits, upstreams: [bad, through("chat", f.up)] });
    for (const stream of [true, false]) assert.equal((await ask(e, { stream })).status, 200);
    assert.equal(f.up.requests.length, 4);
    const { days, errors } = await until(e, 2);
    assert.deepEqual([days[0].input, days[0].errors, errors], [2 * counted.input, 0, []]);
    assert.equal(await responses(e), 2);
  });

  test("a client that leaves gives its place back, and leaves nothing", async () => {
    const e = await f.endpoint({ options, limits, upstreams: [through("chat", f.up)] });
    const call = f.send("responses", e, { at: midnight, body: { stream: true } });
    const x = await f.up.next();
    x.head();
    await x.send(streamed.chat().slice(0, 2).join(""));
    await reader((await call.reply).body).find("response.output_text.delta");
    call.abort();
    await x.gone;
    const { errors } = await until(e, 1);
    assert.deepEqual(errors, []);
    await ask(e, { previous_response_id: absent }); // makes the tables
    assert.equal(await responses(e), 0);
  });

  test("outputs that are submitted are requests to the model of the response", async () => {
    const call = { id: "call_1", type: "function", function: { name: "f", arguments: "{}" } };
    f.up.serve((x) => (x.json.messages.at(-1).role === "tool" ? says("chat")(x) : x.answer(200, called(call))));
    const record = { options: { ...options, required_action: "on" }, limits: { ...limits, requests_per_minute: 2 }, upstreams: [through("chat", f.up)] };
    const e = await f.endpoint(record);
    const { id, status } = JSON.parse((await ask(e, { tools: [{ type: "function", name: "f", parameters: { type: "object" } }] })).text);
    assert.equal(status, "incomplete");
    const submit = async () => {
      const { name, key } = e;
      const headers = { "x-api-key": key, "x-test-clock": String(midnight) };
      const body = { tool_outputs: [{ tool_call_id: "call_1", output: "r" }], stream: true };
      const reply = await open(f.url, { path: `/u/${name}/v1/responses/${id}/submit_tool_outputs`, headers, body }).reply;
      return [reply.status, (await whole(reply.body)).toString()];
    };
    const patch = async (limits) => {
      const { reply } = open(f.url, { method: "PATCH", path: `/admin/api/endpoints/${e.name}`, headers: { authorization: `Bearer ${ADMIN_KEY}` }, body: { limits } });
      assert.equal((await whole((await reply).body)).length > 0 && (await reply).status, 200);
    };
    await patch({ models: ["other"] });
    const [forbidden, why] = await submit();
    assert.equal(forbidden, 403, why);
    await patch({ models: ["m"] });
    assert.equal((await submit())[0], 200);
    const [over, text] = await submit();
    assert.equal(over, 429, text);
    assert.equal(f.up.requests.length, 2);
    const { days } = await until(e, 3);
    assert.deepEqual(days.map(({ model, upstream, requests }) => [model, upstream, requests]), [["m", "", 1], ["m", "up", 2]]);
  });
});

const called = (call) => ({
  id: "chatcmpl-1",
  object: "chat.completion",
  created: 1,
  model: "m",
  choices: [{ index: 0, message: { role: "assistant", content: null, tool_calls: [call] }, finish_reason: "tool_calls" }],
});
