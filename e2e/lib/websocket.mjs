// A client of Responses over WebSocket.
import assert from "node:assert/strict";
import { once } from "node:events";
import { WebSocket } from "ws";
import { CLIENT_KEY } from "./client.mjs";

// UPGRADE has the headers of an upgrade, for HTTP clients that test refused upgrades.
export const UPGRADE = {
  connection: "Upgrade",
  upgrade: "websocket",
  "sec-websocket-version": "13",
  "sec-websocket-key": "MDEyMzQ1Njc4OWFiY2RlZg==",
};

const LAST = ["response.completed", "response.failed", "response.incomplete"];

// connect opens a connection, and resolves after the server has upgraded the connection.
export async function connect(
  url,
  { path = "/v1/responses", headers = { authorization: `Bearer ${CLIENT_KEY}` }, ...options } = {},
) {
  const socket = new WebSocket(new URL(path, url.replace(/^http/, "ws")), {
    headers,
    maxPayload: 0,
    ...options,
  });
  const connection = new Connection(socket);
  const [upgraded] = await Promise.all([once(socket, "upgrade"), once(socket, "open")]);
  connection.headers = upgraded[0].headers;
  return connection;
}

class Connection {
  #frames = [];
  #takers = [];

  constructor(socket) {
    this.socket = socket;
    // closed resolves with the code of the connection's end.
    this.closed = new Promise((resolve) => socket.on("close", resolve));
    socket.on("error", () => {}); // "close" follows
    socket.on("message", (data, binary) => {
      assert.ok(!binary);
      this.#put(JSON.parse(data));
    });
    this.closed.then((code) => this.#put({ type: "closed", code }));
  }

  #put(frame) {
    const taker = this.#takers.shift();
    if (taker) taker(frame);
    else this.#frames.push(frame);
  }

  // next resolves with the next event, or with an event of type "closed".
  next() {
    return this.#frames.length > 0
      ? Promise.resolve(this.#frames.shift())
      : new Promise((resolve) => this.#takers.push(resolve));
  }

  // send sends a frame: text, bytes, or a response.create with the given members.
  send(frame) {
    this.socket.send(
      typeof frame === "string" || Buffer.isBuffer(frame)
        ? frame
        : JSON.stringify({ type: "response.create", ...frame }),
    );
  }

  // events resolves with the events of the answer to the current frame, up to the last event.
  async events() {
    const events = [];
    do events.push(await this.next());
    while (!LAST.includes(events.at(-1).type) && events.at(-1).type !== "closed" && !events.at(-1).status);
    return events;
  }

  // complete sends a frame and resolves with the complete response.
  async complete(frame) {
    this.send(frame);
    const events = await this.events();
    assert.equal(events.at(-1).type, "response.completed", JSON.stringify(events.at(-1)));
    assert.deepEqual(
      events.map(({ sequence_number }) => sequence_number),
      events.map((_, i) => i),
    );
    return events.at(-1).response;
  }

  // refused sends a frame and resolves with the error instead of an answer.
  async refused(frame, status, code) {
    this.send(frame);
    return this.error(status, code);
  }

  // error resolves with the next event, an error.
  async error(status, code) {
    const event = await this.next();
    assert.deepEqual(
      { type: event.type, status: event.status, code: event.error?.code },
      { type: "error", status, code },
      JSON.stringify(event),
    );
    assert.equal(typeof event.error.message, "string");
    return event.error;
  }

  // ended resolves once the connection has ended with a code, and nothing came before.
  async ended(code) {
    assert.deepEqual(await this.next(), { type: "closed", code });
  }

  async close() {
    this.socket.close();
    await this.closed;
  }
}
