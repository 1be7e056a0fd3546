// Endpoints with stored responses and limits: refusals, stored data and counts. The other tests are
// in worker/serve/stored_limits_test.go.
import assert from "node:assert/strict";
import { describe } from "node:test";
import { test } from "../lib/fixture.mjs";
import { reader } from "../lib/sse.mjs";
import { counted, midnight, requestsOf, says, streamed, suite, through } from "../lib/usage.mjs";

const options = { store: "on" };
const limits = { requests_per_minute: 3, concurrent_streams: 2, tokens_per_day: 10_000 };
const absent = `resp_${"a".repeat(43)}`;

describe("stored responses of an endpoint with limits", () => {
  const f = suite();
  const object = ({ name }) => `endpoint:${name}`;
  const responses = async (e) =>
    (await f.state.batch(object(e), ["SELECT count(*) FROM responses"]))[0][0][0];
  const until = (e, n) =>
    f.until(
      e,
      { at: midnight },
      (kept) => requestsOf(kept) === n && kept.limits.concurrent_streams?.used === 0,
    );
  const ask = (e, body) => f.ask("responses", e, { at: midnight, body: { model: "m", ...body } });

  test("turns are counted and charged, and one over a limit is refused before anything is looked up", async () => {
    f.up.serve(says("chat"));
    const e = await f.endpoint({ options, limits, upstreams: [through("chat", f.up)] });
    const first = await ask(e);
    const { id } = JSON.parse(first.text);
    const second = await ask(e, { previous_response_id: id, stream: true });
    assert.equal(second.status, 200, second.text);
    const unknown = await ask(e, { previous_response_id: absent });
    assert.equal(unknown.status, 400, unknown.text);
    const kept = await until(e, 3);
    const [errors, input, output] = ["errors", "input", "output"].map((count) =>
      kept.days.reduce((n, row) => n + row[count], 0),
    ); // one row counts a request that reached no upstream
    assert.deepEqual(
      { errors, input, output },
      { errors: 1, input: 2 * counted.input, output: 2 * counted.output },
    );
    assert.deepEqual(kept.errors, [
      { time: midnight, status: 400, type: "invalid_request", request_id: unknown.headers["x-request-id"] },
    ]);
    assert.equal(f.up.requests.length, 2);
    for (const previous_response_id of [id, absent]) {
      const over = await ask(e, { previous_response_id });
      assert.equal(over.status, 429, over.text);
      assert.match(over.text, /requests_per_minute/);
    }
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
    await ask(e, { previous_response_id: absent }); // creates the tables
    assert.equal(await responses(e), 0);
  });
});
