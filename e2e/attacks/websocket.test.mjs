// Attacks over a WebSocket: by a page of another site, by a stranger, and by a tenant who floods.
import assert from "node:assert/strict";
import { describe } from "node:test";
import { config, attacked } from "../lib/attacks.mjs";
import { CLIENT_KEY, ask } from "../lib/client.mjs";
import { test } from "../lib/fixture.mjs";
import { UPGRADE, connect } from "../lib/websocket.mjs";

const model = "m";
const MB = 1 << 20;

describe("a WebSocket", () => {
  const f = attacked(config);
  const key = { authorization: `Bearer ${CLIENT_KEY}` };
  const upgrade = (path, headers) => ask(f.url, { path, method: "GET", headers: { ...UPGRADE, ...headers } });

  test("a page of another site gets none, whatever key it has", async () => {
    const { key: anna } = await f.make("anna");
    for (const path of [
      "/v1/responses",
      "/u/anna/v1/responses",
      `/k/${anna}/v1/responses`,
      "/u/nobody/v1/responses",
    ]) {
      for (const page of [
        { origin: "https://evil.example" },
        { origin: "null" },
        { origin: "http://localhost:1" },
        { "sec-fetch-site": "cross-site" },
        { "sec-fetch-site": "none" },
      ]) {
        for (const headers of [
          {},
          key,
          { "x-api-key": anna },
          { cookie: `admin=${anna}; session=${anna}` },
        ]) {
          assert.equal(
            (await upgrade(path, { ...headers, ...page })).status,
            403,
            JSON.stringify([path, page, headers]),
          );
        }
      }
    }
  });

  test("a stranger gets none, and can't tell whether an endpoint exists", async () => {
    const said = async (name, headers) => {
      const { status, text } = await upgrade(`/u/${name}/v1/responses`, headers);
      return [status, text.replaceAll(name, "")];
    };
    await f.make("bert");
    for (const headers of [
      {},
      { authorization: "Bearer x" },
      key,
      { "sec-websocket-protocol": CLIENT_KEY },
    ]) {
      const [there, not] = [await said("bert", headers), await said("nope", headers)];
      assert.equal(there[0], 401);
      assert.deepEqual(there, not);
    }
    for (const query of ["key", "api_key", "api-key", "token", "access_token"])
      assert.equal((await upgrade(`/v1/responses?${query}=${CLIENT_KEY}`, {})).status, 401);
  });

  test("a request that is no frame can't be taken for one", async () => {
    const headers = {
      ...key,
      socket: "true",
      "x-edgelingua-socket": "true",
      "x-socket": "1",
      "sec-websocket-key": "x",
    };
    const { status, text } = await ask(f.url, {
      path: "/v1/responses",
      headers,
      body: { type: "response.create", model, input: "q", generate: false, previous_response_id: null },
    });
    assert.equal(status, 200, text);
    assert.equal(f.up.requests.length, 1); // "generate" means nothing over HTTP
    const answer = JSON.parse(text);
    assert.equal(
      (
        await ask(f.url, {
          path: "/v1/responses",
          headers,
          body: { model, input: "q", previous_response_id: answer.id, store: false },
        })
      ).status,
      400,
    );
  });

  test("headers of the upgrade are those of a turn, and no others", async () => {
    const c = await connect(f.url, {
      headers: { ...key, "x-request-id": "mine", "content-type": "text/plain", "user-agent": "an-agent" },
    });
    await c.complete({ model, input: "q" });
    await c.close();
    const [{ headers }] = f.up.requests;
    assert.equal(headers["content-type"], "application/json");
    for (const name of Object.keys(headers)) assert.ok(!name.startsWith("sec-websocket"), name);
    assert.equal(headers.upgrade, undefined);
    const turns = f
      .lines()
      .map((line) => JSON.parse(line))
      .filter(({ socket }) => socket);
    assert.ok(turns.every(({ id }) => id !== "mine"));
  });

  test("a frame of 16 MB, which is more than is remembered, and one more byte", async () => {
    const c = await connect(f.url);
    const frame = (size) => {
      const [before, behind] = [`{"type":"response.create","model":"m","input":"`, '"}'];
      return before + "x".repeat(size - before.length - behind.length) + behind;
    };
    const { id } = await c.complete({ model, store: false, input: "q" });
    c.send(frame(16 * MB));
    const last = (await c.events()).at(-1);
    assert.equal(last.type, "response.completed", JSON.stringify(last).slice(0, 500));
    for (const previous_response_id of [last.response.id, id])
      await c.refused(
        { model, store: false, input: "q", previous_response_id },
        400,
        "previous_response_not_found",
      );
    await c.refused(frame(16 * MB + 1), 413, "frame_too_large");
    await c.ended(1009);
    await (await connect(f.url)).close();
  });

  test("a flood of frames that nobody waits for", async () => {
    f.up.serve(() => {}); // an upstream without answers
    const flooding = await Promise.all(Array.from({ length: 4 }, () => connect(f.url)));
    for (const c of flooding) for (let i = 0; i < 1000; i++) c.send({ model, input: "q" });
    for (const c of flooding) {
      let event;
      do event = await c.next();
      while (event.type === "error" && event.status === 409);
      assert.deepEqual(event, { type: "closed", code: 1008 });
    }
    await Promise.all(f.up.requests.map((x) => x.gone));
    // workerd may read all frames before the first turn has reached the upstream
    assert.ok(f.up.requests.length <= 4);
  });

  test("a bomb of compressed zeros", async () => {
    const c = await connect(f.url, { perMessageDeflate: true });
    c.send("0".repeat(40 * MB));
    let event;
    do event = await c.next();
    while (event.type === "error");
    assert.equal(event.code, 1009);
    await (await connect(f.url)).close();
  });
});
