// The upstream of the benchmark, in a separate process. The model's name has instructions as JSON.
// events is the number of a stream's events. Each event is an HTTP chunk, sent when the previous
// chunk has left, or gap milliseconds later. hold keeps the stream open after the events. The
// upstream speaks Chat Completions, and Messages at the path of Messages. It listens on the port of its
// second argument, 0 for a free one.
import { once } from "node:events";
import http from "node:http";
import { setInterval } from "node:timers/promises";
import { done, finish, plain, role, text, usage } from "../lib/chat.mjs";
import { event, message } from "../lib/messages.mjs";

export const EVENTS = 2000;
export const PROSE = "Some words of a prompt. ".repeat(80);

const chat = {
  begin: role,
  delta: text,
  end: [finish("stop"), usage(), done],
  whole: JSON.stringify(plain({ content: PROSE })),
};

const counted = { input_tokens: 11, output_tokens: 7 };
const messages = {
  begin:
    event("message_start", { message: message({ usage: counted }) }) +
    event("content_block_start", { index: 0, content_block: { type: "text", text: "" } }),
  delta: (text) => event("content_block_delta", { index: 0, delta: { type: "text_delta", text } }),
  end: [
    event("content_block_stop", { index: 0 }),
    event("message_delta", { delta: { stop_reason: "end_turn", stop_sequence: null }, usage: counted }),
    event("message_stop", {}),
  ],
  whole: JSON.stringify({
    ...message,
    content: [{ type: "text", text: PROSE }],
    stop_reason: "end_turn",
    usage: counted,
  }),
};

async function serve() {
  const server = http.createServer(async (req, res) => {
    res.socket.setNoDelay(true);
    let asked = "";
    for await (const part of req) asked += part;
    const { stream, model } = JSON.parse(asked);
    const { events = EVENTS, gap, hold = false } = model.startsWith("{") ? JSON.parse(model) : {};
    const { begin, delta, end, whole } = req.url.endsWith("/messages") ? messages : chat;
    if (!stream) {
      res.writeHead(200, { "content-type": "application/json" });
      return res.end(whole);
    }
    res.writeHead(200, { "content-type": "text/event-stream" });
    const send = (chunk) => new Promise((resolve) => res.write(chunk, resolve));
    await send(begin);
    const beats = gap && setInterval(gap);
    for (let i = 0; i < events; i++) {
      await beats?.next();
      await send(delta(`token${i} `));
    }
    await beats?.return();
    if (hold) return;
    for (const chunk of end) await send(chunk);
    res.end();
  });
  process.send([await listen(server, process.argv[3]), await listen(http.createServer(kv()))]);
  process.on("disconnect", () => process.exit());
}

// listen returns the port.
async function listen(server, port = 0) {
  server.listen(Number(port), "127.0.0.1");
  await once(server, "listening");
  return server.address().port;
}

// kv answers workerd's requests for a KV namespace: GET and PUT of a key, with the metadata in a
// header.
function kv() {
  const stored = new Map();
  return async (req, res) => {
    const [key] = req.url.split("?");
    if (req.method === "PUT") {
      const value = Buffer.concat(await req.toArray());
      stored.set(key, { value, metadata: req.headers["cf-kv-metadata"] });
      return res.end();
    }
    const found = stored.get(key);
    if (found === undefined) return res.writeHead(404).end();
    res.writeHead(200, {
      "content-length": found.value.length,
      ...(found.metadata && { "cf-kv-metadata": found.metadata }),
    });
    res.end(found.value);
  };
}

if (process.argv[2] === "serve") serve();
