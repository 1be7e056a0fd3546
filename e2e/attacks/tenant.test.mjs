// What somebody with a key of one endpoint could try.
import assert from "node:assert/strict";
import { describe } from "node:test";
import { open } from "../lib/client.mjs";
import { test } from "../lib/fixture.mjs";
import { parse } from "../lib/sse.mjs";
import { TARGET } from "../lib/target.mjs";
import { says, suite, through, whole } from "../lib/usage.mjs";

describe("Stored responses", () => {
  const f = suite();
  const endpoint = async (options) => {
    f.up.serve(says("chat"));
    return f.endpoint({ options: { store: "on", ...options }, upstreams: [through("chat", f.up)] });
  };
  const of = ({ name }, ...sql) => f.state.batch(`endpoint:${name}`, ...sql);
  const counted = async (e) => (await of(e, ["SELECT bytes FROM responses_total"], ["SELECT count(*) FROM responses"])).map(([[n]]) => n);

  // store sends a request whose answer is to be stored, and resolves with its id, or with the error that the client gets.
  const store = async (e, body) => {
    const { status, text } = await f.ask("responses", e, { body: { model: "m", input: "q", ...body } });
    const answer = body?.stream ? parse(text).at(-1).response : JSON.parse(text);
    if (answer.status === "completed") return { id: answer.id };
    return { status, why: answer.error.message };
  };
  const asked = async ({ name, key }, method, id) => {
    const reply = await open(f.url, { method, path: `/u/${name}/v1/responses/${id}`, headers: { "x-api-key": key } }).reply;
    await whole(reply.body);
    return reply.status;
  };

  test("what one endpoint stores, thirteen MB at a time, leaves the others' alone", async () => {
    // On workerd what an endpoint may store has to end it; the local host's memory ends before the default does.
    const [greedy, other] = [await endpoint(TARGET === "workerd" && { store_bytes: 40_000_000 }), await endpoint()];
    const kept = await store(other);
    const input = "x".repeat(13_000_000);
    const ids = [];
    let refused;
    for (let i = 0; i < 20 && !refused?.why; i++) {
      refused = await store(greedy, { input });
      if (refused.id) ids.push(refused.id);
    }
    assert.match(refused.why, TARGET === "workerd" ? /"store_bytes"/ : /the store in memory is full.*--data FOLDER/);
    assert.match(refused.why, /Delete responses.*"store":false/);
    assert.equal(await asked(other, "GET", kept.id), 200);
    const more = await store(other, { stream: true, input: "x".repeat(500_000) });
    assert.ok(more.id, more.why);
    for (const { id } of [kept, more]) assert.equal(await asked(other, "DELETE", id), 200);
    assert.equal(await asked(greedy, "GET", ids[0]), 200);
    for (const id of ids) assert.equal(await asked(greedy, "DELETE", id), 200);
    const again = await store(greedy, { input });
    assert.ok(again.id, again.why);
  });

  for (const stream of [false, true]) {
    test(`store_bytes holds to the byte, ${stream ? "streamed" : "plain"}`, async () => {
      const [free, other] = [await endpoint(), await endpoint()];
      assert.ok((await store(free, { stream })).id);
      const [size] = await counted(free);
      const full = (refused) => {
        assert.equal(refused.status, stream ? 200 : 413);
        assert.match(refused.why, /The response was not stored: .*"store_bytes".*Delete responses.*"store":false.*"store_ttl"/);
      };
      const tight = await endpoint({ store_bytes: size - 1 });
      full(await store(tight, { stream }));
      assert.deepEqual(await counted(tight).catch(() => "no tables"), "no tables");

      const e = await endpoint({ store_bytes: 2 * size });
      const { id } = await store(e, { stream });
      assert.ok((await store(e, { stream })).id);
      for (const input of ["q", "x".repeat(3_000_000)]) full(await store(e, { stream, input }));
      assert.deepEqual(await counted(e), [2 * size, 2]);
      assert.ok((await store(other, { stream })).id, "another endpoint has its own");
      assert.equal(await asked(e, "DELETE", id), 200);
      assert.deepEqual(await counted(e), [size, 1]);
      full(await store(e, { stream, input: "qq" }));
      assert.ok((await store(e, { stream })).id, "what was deleted is room");
      await of(e, ["UPDATE responses SET expires = 1"]);
      assert.ok((await store(e, { stream, input: "x".repeat(size) })).id, "what has expired is room");
      assert.deepEqual(await counted(e), [2 * size - 1, 1]);
    });
  }

  test("of many at once as many are stored as there is room for", async () => {
    const free = await endpoint();
    await store(free);
    const [size] = await counted(free);
    const e = await endpoint({ store_bytes: 3 * size });
    const all = await Promise.all(Array.from({ length: 8 }, () => store(e)));
    assert.equal(all.filter(({ id }) => id).length, 3);
    assert.deepEqual(await counted(e), [3 * size, 3]);
  });
});
