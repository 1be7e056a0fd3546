// A long-running session of Responses, with a long history from the beginning: over HTTP each
// request has the whole history, and over a WebSocket each frame has the new items. Each function
// returns how many bytes of bodies, or of frames, the client has sent in its turns.
import assert from "node:assert/strict";
import { CLIENT_KEY, open } from "../lib/client.mjs";
import { connect } from "../lib/websocket.mjs";

// the most turns of a connection on Cloudflare's Free plan, by the limit of subrequests
export const TURNS = 40;
export const HISTORY = 2 ** 20; // bytes

const params = { model: JSON.stringify({ events: 20 }), store: false, stream: true };
const message = (role, i) => ({
  type: "message",
  role,
  content: `${i}: ${'Some words of a "session".\n'.repeat(71)}`,
}); // 2 KB
const history = Array.from({ length: HISTORY / 2048 }, (_, i) => message(i % 2 ? "assistant" : "user", i));

export async function overHTTP(url) {
  const input = [...history];
  let sent = 0;
  for (let i = 0; i < TURNS; i++) {
    input.push(message("user", i));
    const body = JSON.stringify({ ...params, input });
    sent += body.length;
    const reply = await open(url, {
      path: "/v1/responses",
      headers: { authorization: `Bearer ${CLIENT_KEY}` },
      body,
    }).reply;
    let text = "";
    for await (const part of reply.body) text += part;
    assert.equal(reply.status, 200, text);
    const [last] = text.split("\n").filter((line) => line.startsWith('data: {"type":"response.completed"'));
    input.push(...JSON.parse(last.slice("data: ".length)).response.output);
  }
  return sent;
}

export async function overWebSocket(url) {
  const connection = await connect(url);
  // the connection begins with the history, as over HTTP
  let { id } = await connection.complete({ ...params, input: history, generate: false });
  let sent = 0;
  for (let i = 0; i < TURNS; i++) {
    const frame = JSON.stringify({
      type: "response.create",
      ...params,
      input: [message("user", i)],
      previous_response_id: id,
    });
    sent += frame.length;
    ({ id } = await connection.complete(frame));
  }
  await connection.close();
  return sent;
}
