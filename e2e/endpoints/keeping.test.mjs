// The pump's state "keeping" of worker/bridge/doc.go: the end of an answer waits until the answer
// is stored. wasmtest/host/keep_test.go has the same tests for the wazero host, because a test here
// can't delay the store of the wazero host.
import assert from "node:assert/strict";
import { join } from "node:path";
import { after, before, beforeEach, describe } from "node:test";
import { fileURLToPath } from "node:url";
import { done, finish, role, text, textStream } from "../lib/chat.mjs";
import { CLIENT_KEY, UPSTREAM_KEY, open } from "../lib/client.mjs";
import { test } from "../lib/fixture.mjs";
import { reader } from "../lib/sse.mjs";
import { TARGET, modulesOf, startWorkerd } from "../lib/target.mjs";
import { upstream } from "../lib/upstream.mjs";
import { TooSlow, longEnough } from "../lib/waiting.mjs";

// entry is a worker in which requests to the server HOLD replace the bound object.
const entry = `
import program from "./program.mjs";
export { EndpointState } from "./program.mjs";
async function ask(env, name, body) {
  const answer = await fetch(env.HOLD, { method: "POST", body, headers: { "x-object": name } });
  if (!answer.ok) throw new Error(await answer.text());
  return new Uint8Array(await answer.arrayBuffer());
}
const held = (env) => ({ getByName: (name) => ({ batch: (statements) => ask(env, name, statements) }) });
export default {
  fetch: (request, env, ctx) => program.fetch(request, { ...env, ENDPOINT_STATE: held(env) }, ctx),
};
`;

describe(
  "an answer that is stored before it ends",
  { skip: TARGET === "wazero" && "wasmtest/host/keep_test.go" },
  () => {
    let up, hold, target, impatient;
    before(async () => {
      [up, hold] = [await upstream(), await upstream()];
      const modules = await modulesOf(join(fileURLToPath(new URL("../..", import.meta.url)), "build"));
      modules["program.mjs"] = modules["worker.mjs"];
      modules["worker.mjs"] = { type: "esm", contents: entry };
      const env = {
        UPSTREAM_PROTOCOL: "chat",
        UPSTREAM_URL: up.url,
        UPSTREAM_KEY,
        CLIENT_KEY,
        OPTIONS: '{"store":"on"}',
        HOLD: hold.url,
        HEAD_WAIT: "0.05",
      };
      target = await startWorkerd({ modules, env });
      impatient = (timeout) =>
        startWorkerd({ modules, env: { ...env, UPSTREAM_TIMEOUT: String(timeout / 1000) } });
    });
    beforeEach(() => {
      up.renew();
      hold.renew();
    });
    after(async () => {
      await target?.close();
      await up?.close();
      await hold?.close();
    });

    const asking = (url) =>
      open(url, { path: "/v1/responses", body: { model: "m", input: "q", stream: true } });

    // begin starts a stream, has the upstream send everything, and resolves when the statements for
    // the store have arrived.
    async function begin(url, chunks = textStream("some")) {
      const call = asking(url);
      const x = await up.next();
      x.head();
      for (const chunk of chunks) await x.send(chunk);
      const events = reader((await call.reply).body);
      return { call, x, events, batch: await hold.next() };
    }

    test("waits, and lets the upstream go", async () => {
      const { x, events, batch } = await begin(target.url);
      assert.equal(batch.headers["x-object"], "deployment");
      assert.match(batch.body.toString("latin1"), /^q.{4}CREATE TABLE IF NOT EXISTS responses /s);
      await x.gone;
      await events.find("response.output_text.delta");
      batch.answer(200, Buffer.alloc(0));
      assert.equal((await events.rest()).at(-1).type, "response.completed");
    });

    test("fails where it can't be", async () => {
      const { events, batch } = await begin(target.url);
      batch.answer(500, "no luck");
      const last = (await events.rest()).slice(-2);
      assert.deepEqual(
        last.map(({ type }) => type),
        ["error", "response.failed"],
      );
      assert.match(last[1].response.error.message, /could not be stored: no luck\./);
    });

    test("does not wait for ever", () =>
      longEnough(500, async (timeout) => {
        up.renew();
        hold.renew();
        const worker = await impatient(timeout);
        try {
          const rest = asking(worker.url).reply.then(({ body }) => reader(body).rest());
          const x = await Promise.race([up.next(), rest.then(() => null)]);
          x?.head();
          // fails if the request has already ended
          for (const chunk of textStream("some")) await x?.send(chunk).catch(() => {});
          const last = (await rest).at(-1);
          if (hold.requests.length === 0) throw new TooSlow();
          assert.equal(last.type, "response.failed");
          assert.ok(
            last.response.error.message.includes(
              `could not be stored: it took more than ${timeout / 1000} seconds.`,
            ),
            last.response.error.message,
          );
        } finally {
          await worker.close();
        }
      }));

    test("of a client that leaves meanwhile", async () => {
      const { call, batch } = await begin(target.url);
      call.abort();
      batch.answer(200, Buffer.alloc(0));
      const next = await begin(target.url);
      next.batch.answer(200, Buffer.alloc(0));
      assert.equal((await next.events.rest()).at(-1).type, "response.completed");
    });

    test("runs nothing where the answer has failed", async () => {
      const call = asking(target.url);
      const x = await up.next();
      x.head();
      await x.send(role + text("some"));
      x.cut();
      assert.equal((await reader((await call.reply).body).rest()).at(-1).type, "response.failed");
      const { batch } = await begin(target.url, [role, finish("stop"), done]);
      batch.answer(200, Buffer.alloc(0));
      assert.equal(hold.requests.length, 1);
    });
  },
);
