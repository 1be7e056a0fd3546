// The lanes of worker/workerd/socket.mjs without a runtime: the test ends each turn itself.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { TARGET } from "../lib/target.mjs";

const RealResponse = globalThis.Response;
let server; // the server's end of the last connection

globalThis.WebSocketPair = class {
  0 = {};
  1 = {
    sent: [],
    on: {},
    accept() {},
    addEventListener: (name, listener) => (server.on[name] = listener),
    send: (text) => server.sent.push(JSON.parse(text)),
    close: (code, reason) => server.sent.push({ type: "closed", code, reason }),
  };
  constructor() {
    server = this[1];
  }
};
// Node's Response refuses the status 101
globalThis.Response = class extends RealResponse {
  constructor(body, init) {
    super(body, init?.status === 101 ? { headers: init.headers } : init);
  }
};
const { accept } = await import("../../worker/workerd/socket.mjs");

function deferred() {
  const d = {};
  d.promise = new Promise((resolve, reject) => Object.assign(d, { resolve, reject }));
  return d;
}

// connect opens a connection. turns has its turns in the order of their begin.
function connect(t) {
  const turns = [];
  const run = (request, turn) => {
    const [answer, end] = [deferred(), deferred()];
    request.signal.addEventListener("abort", () => answer.reject(new Error("aborted")));
    turns.push({
      turn,
      // answers ends the turn with a status and a body, or with the last event of a stream.
      async answers(status, body) {
        if (status === 200) {
          const event = 'data: {"type":"response.completed"}\n';
          await turn.writer().write(new TextEncoder().encode(event));
        }
        answer.resolve(new RealResponse(body && JSON.stringify(body), { status }));
        end.resolve();
        await settled();
      },
    });
    return { answer: answer.promise, over: end.promise };
  };
  accept(new Request("http://edge.test/v1/responses"), "anna", 5, 1e6, run).upgraded(
    new RealResponse(null, { status: 204 }),
  );
  const { on, sent } = server;
  t.after(() => on.close()); // otherwise its timer keeps the process
  return {
    turns,
    say: (input, lane) =>
      on.message({ data: JSON.stringify({ type: "response.create", input, stream_id: lane }) }),
    // heard returns the code or type, and the lane, of each event since the last call.
    heard: () =>
      sent
        .splice(0)
        .map(({ type, error, code, stream_id }) => [error?.code ?? type, stream_id ?? code].join(" ")),
  };
}

// settled waits until all promises that can settle have settled.
const settled = () => new Promise((resolve) => setImmediate(() => setImmediate(resolve)));

describe("lanes at the edge", { skip: TARGET !== "workerd" && "the local host has its own" }, () => {
  test("a refusal ends the connection after an error for each turn that waits", async (t) => {
    const c = connect(t);
    for (const [input, lane] of [
      ["a1", "a"],
      ["a2", "a"],
      ["b1", "b"],
    ])
      c.say(input, lane);
    assert.equal(c.turns.length, 2);
    c.turns[1].turn.hangUp();
    await c.turns[1].answers(401, { error: { type: "t", code: "invalid_api_key", message: "m" } });
    c.say("d1");
    assert.deepEqual(c.heard(), ["invalid_api_key b"]);
    await c.turns[0].answers(200);
    assert.deepEqual(c.heard(), [
      "response.completed a",
      "request_not_started a",
      "request_not_started ",
      "closed 1008",
    ]);
    assert.equal(c.turns.length, 2);
  });

  test("the error for a frame without room is in the lane of the frame", async (t) => {
    const c = connect(t);
    for (let i = 0; i < 17; i++) c.say("q", "a");
    assert.deepEqual(c.heard(), []);
    c.say("q", "b");
    c.say("q");
    assert.deepEqual(c.heard(), ["response_in_progress b", "response_in_progress "]);
  });

  test("a turn waits while the turns in progress might need the subrequests that are left", async (t) => {
    const c = connect(t);
    c.say("q", "a");
    for (let i = 0; i < 15; i++) c.turns[0].turn.fetches();
    await c.turns[0].answers(200);
    for (const lane of ["a", "b", "c", "d"]) c.say("q", lane);
    assert.deepEqual(
      c.turns.slice(1).map(({ turn }) => turn.lane),
      ["a", "b", "c"],
      "15 are made, and 10 more of each turn make 45",
    );
    for (let i = 0; i < 9; i++) c.turns[1].turn.fetches();
    await c.turns[2].answers(200);
    assert.deepEqual(
      c.turns.slice(4).map(({ turn }) => turn.lane),
      ["d"],
      "24 are made, and 11 may follow",
    );
    for (let i = 0; i < 16; i++) c.turns[1].turn.fetches();
    for (const n of [1, 3, 4]) await c.turns[n].answers(200);
    c.heard();
    c.say("q", "b");
    assert.deepEqual(c.heard(), ["websocket_connection_limit_reached ", "closed 1000"]);
  });

  test("turns that continue from other lanes together have no more than the connection remembers", async (t) => {
    const c = connect(t);
    c.say("q", "a");
    const large = new TextEncoder().encode(`r\0=${" ".repeat(8 << 20)}`);
    c.turns[0].turn.remember(large);
    await c.turns[0].answers(200);
    for (const lane of ["b", "c"]) c.say("q", lane);
    const [first, second] = c.turns.slice(1);
    assert.equal(first.turn.recall("r")[0], 0);
    c.heard();
    assert.equal(second.turn.recall("r")[0], 1);
    assert.deepEqual(c.heard(), ["response_in_progress c"]);
    await settled();
    assert.deepEqual(c.heard(), [], "no second error");
    await first.answers(200);
    c.say("q", "c");
    assert.equal(c.turns[3].turn.recall("r")[0], 0);
  });
});
