// Background responses with the official SDK: on the local host they run to their end without a client,
// and a client that comes back gets the rest. On Workers they are refused in words. Cuts after each byte
// are in worker/serve/background_cuts_test.go.
import assert from "node:assert/strict";
import { describe } from "node:test";
import { done, finish, role, text, textStream, usage } from "../lib/chat.mjs";
import { CLIENT_KEY, open } from "../lib/client.mjs";
import { fixture, test } from "../lib/fixture.mjs";
import { TARGET } from "../lib/target.mjs";
import { openai } from "../lib/turns.mjs";

const request = { model: "some-model", input: "q", background: true };
const here = { skip: TARGET === "workerd" && "nothing runs in the background on Workers" };
const there = { skip: TARGET !== "workerd" && "responses run in the background here" };

// listen resolves with a stream's events, up to the first one that stop accepts.
async function listen(stream, stop = () => false) {
  const events = [];
  for await (const event of await stream) {
    events.push(event);
    if (stop(event)) break; // the SDK closes the connection
  }
  return events;
}

// settled polls a response as OpenAI's guide does.
async function settled(responses, id) {
  for (;;) {
    const response = await responses.retrieve(id);
    if (response.status !== "queued" && response.status !== "in_progress") return response;
    await new Promise(setImmediate);
  }
}

describe("background responses", () => {
  const f = fixture({ UPSTREAM_PROTOCOL: "chat", OPTIONS: '{"store":"on"}' }, { faults: true, state: true });

  test("a client that left gets the rest, and another one all", here, async () => {
    const { responses } = openai(f.url);
    const due = responses.create({ ...request, stream: true });
    const x = await f.up.next();
    x.head();
    await x.send(role + text("one "));
    const begun = await listen(due, ({ type }) => type === "response.output_text.delta");
    const { id } = begun[0].response;
    const starting_after = begun.at(-1).sequence_number;
    const rest = listen(await responses.retrieve(id, { stream: true, starting_after }));
    const all = listen(await responses.retrieve(id, { stream: true }));
    await x.send(text("two") + finish("stop") + usage() + done);
    x.end();
    const joined = [...begun, ...(await rest)];
    assert.deepEqual(joined, await all);
    assert.deepEqual(
      joined.map(({ sequence_number }) => sequence_number),
      joined.map((_, i) => i),
    );
    assert.equal(joined.at(-1).type, "response.completed");
    assert.deepEqual(
      await listen(responses.retrieve(id, { stream: true, starting_after: 3 })),
      joined.slice(4),
    );
    const stored = await responses.retrieve(id);
    assert.deepEqual([stored.output_text, stored.background], ["one two", true]);
    assert.equal(f.up.requests.length, 1);
  });

  test("a response that is polled", here, async () => {
    const { responses } = openai(f.url);
    f.up.serve((x) => x.stream(textStream("ok")));
    const queued = await responses.create(request);
    assert.deepEqual([queued.status, queued.output], ["queued", []]);
    const { status, output_text } = await settled(responses, queued.id);
    assert.deepEqual([status, output_text], ["completed", "ok"]);
    const next = await responses.create({ model: "m", input: "more", previous_response_id: queued.id });
    assert.equal(next.output_text, "ok");
  });

  test("a cancelled response ends for all", here, async () => {
    const { responses } = openai(f.url);
    const due = responses.create({ ...request, stream: true });
    const x = await f.up.next();
    x.head();
    await x.send(role + text("one "));
    const events = [];
    await assert.rejects(async () => {
      for await (const event of await due) {
        events.push(event);
        if (event.type === "response.output_text.delta")
          assert.equal((await responses.cancel(events[0].response.id)).status, "cancelled");
      }
    }, /The response was cancelled/);
    await x.gone;
    const { id } = events[0].response;
    assert.equal((await responses.retrieve(id)).status, "cancelled");
    assert.equal((await responses.cancel(id)).status, "cancelled");
    await responses.delete(id);
    await assert.rejects(responses.retrieve(id), { status: 404 });
  });

  test("a program that dies makes the response fail", here, async () => {
    const { responses } = openai(f.url);
    const headers = { "x-test-panic": "end" };
    const due = responses.create(request, { headers });
    const x = await f.up.next();
    x.head();
    await x.send(role + text("ok"));
    const queued = await due; // an end that comes before is the request's own
    await x.send(finish("stop") + usage() + done);
    x.end();
    const { status, error } = await settled(responses, queued.id);
    assert.equal(status, "failed");
    assert.match(error.message, /broke off/);
    await assert.rejects(listen(responses.retrieve(queued.id, { stream: true })), /broke off/);
  });

  test("what has no place", async () => {
    const { responses } = openai(f.url);
    const nothing = `resp_${"a".repeat(43)}`;
    await assert.rejects(responses.retrieve(nothing, { stream: true, starting_after: 1 }), { status: 404 });
    await assert.rejects(responses.create({ ...request, store: false }), { status: 400 });
    f.up.serve((x) => x.stream(textStream("ok")));
    const { id } = (await listen(responses.create({ ...request, background: false, stream: true })))[0]
      .response;
    await assert.rejects(responses.cancel(id), { status: 400, message: /Only background responses/ });
    await assert.rejects(responses.retrieve(id, { stream: true, starting_after: 1 }), { status: 400 });
  });

  test("refused in words on Workers", there, async () => {
    const { responses } = openai(f.url);
    for (const stream of [true, false])
      await assert.rejects(responses.create({ ...request, stream }), {
        status: 400,
        param: "background",
        message: /only on the local host: send the request without 'background', with "stream":true/,
      });
    assert.equal(f.up.requests.length, 0);
    const call = open(f.url, {
      path: "/v1/responses/x/cancel",
      headers: { "x-api-key": CLIENT_KEY },
      body: {},
    });
    assert.equal((await call.reply).status, 400);
  });
});
