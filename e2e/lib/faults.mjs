// Faults of upstreams, for every protocol: how an upstream plays a fault, and the required result
// for the client.
//
// A fault is { name, play(x, said), streamed, plain, passed, only, changed }. said is the
// upstream's answer without the fault: { stream, chunks, body, type }. streamed and plain are the
// required results for a client of another protocol: "whole" or "error". passed is the required
// result for a client of the same protocol: the "same" bytes as the upstream sent, a connection
// that is "broken" after a part of the bytes, or an "error". only is the only mode of the fault,
// and changed maps a text to the changed text.
import { brotliCompressSync, gzipSync } from "node:zlib";
import { upstreams } from "./turns.mjs";

// turn is the answer of upstreams: a text that can be cut inside a character, and a call.
export const turn = {
  text: 'Some words: é\\漢 "\u{1f600}"\n.',
  calls: [{ id: "call_1", name: "list", input: { path: "/é/\u{1f600}", depth: 2 } }],
  usage: { input: 11, cached: 0, output: 7 },
};

// offer has turn's tool in the form of each protocol.
const schema = { type: "object", properties: { path: { type: "string" }, depth: { type: "integer" } } };
export const offer = {
  anthropic: { tools: [{ name: "list", input_schema: schema }] },
  chat: { tools: [{ type: "function", function: { name: "list", parameters: schema } }] },
  responses: { tools: [{ type: "function", name: "list", parameters: schema, strict: false }] },
};

// whole returns the complete result of a turn for a client of any protocol.
export const whole = ({ text, calls }) => ({
  text,
  calls: calls.map(({ name, input }) => ({ name, input })),
});

// answerOf returns an upstream's answer to a request in the protocol: the chunks of a stream, one for
// each event, or one chunk with the body.
export function answerOf(protocol, json, says = turn) {
  let answer;
  upstreams[protocol].play(
    {
      json,
      stream: (chunks) => (answer = { stream: true, type: "text/event-stream", chunks }),
      answer: (status, body) =>
        (answer = { stream: false, type: "application/json", chunks: [JSON.stringify(body)] }),
    },
    says,
  );
  return Object.assign(answer, { body: Buffer.from(answer.chunks.join("")) });
}

// begin sends the head of an answer.
const begin = (x, said, more) => x.head(200, { "content-type": said.type, ...more });

// part sends about half of an answer, up to the middle of a character.
async function part(x, said, more) {
  begin(x, said, more);
  const middle = said.body.indexOf(Buffer.from("漢"), said.body.length >> 1);
  await x.send(said.body.subarray(0, middle < 0 ? said.body.length >> 1 : middle + 1));
}

const encoded = (name, encode) => ({
  name: `a body that is compressed by ${name}`,
  play: (x, said) =>
    x.answer(200, encode(said.body), { "content-type": said.type, "content-encoding": name }),
});

const answers = (type, body) => (x) => x.answer(200, body, { "content-type": type });

const overloaded = { error: { message: "Slow down", type: "rate_limit_error", code: 429 } };

// faults has all faults that need no clock.
export const faults = [
  {
    name: "nothing is wrong",
    play: (x, said) => x.answer(200, said.body, { "content-type": said.type }),
    streamed: "whole",
    plain: "whole",
    passed: "same",
  },
  {
    name: "it closes before a head",
    play: (x) => x.cut(),
    streamed: "error",
    plain: "error",
    passed: "error",
  },
  {
    name: "it resets before a head",
    play: (x) => x.reset(),
    streamed: "error",
    plain: "error",
    passed: "error",
  },
  {
    name: "it closes behind its head",
    play: (x, said) => {
      begin(x, said);
      x.cut();
    },
    streamed: "error",
    plain: "error",
    passed: "broken",
  },
  {
    name: "it closes in the middle of an event",
    play: async (x, said) => (await part(x, said), x.cut()),
    streamed: "error",
    plain: "error",
    passed: "broken",
  },
  {
    name: "it resets in the middle of an event",
    play: async (x, said) => (await part(x, said), x.reset()),
    streamed: "error",
    plain: "error",
    passed: "broken",
  },
  {
    name: "it closes before the length that it named",
    play: async (x, said) => (await part(x, said, { "content-length": said.body.length }), x.cut()),
    streamed: "error",
    plain: "error",
    passed: "broken",
  },
  {
    name: "it ends in the middle of an event, as if that were all",
    play: async (x, said) => (await part(x, said), x.end()),
    streamed: "error",
    plain: "error",
    passed: "same",
  },
  {
    name: "it ends without its last event",
    only: "stream",
    play: (x, said) => x.stream(unfinished(said)),
    streamed: "error",
    passed: "same",
  },
  {
    name: "it ends with its head",
    play: (x, said) => (begin(x, said), x.end()),
    streamed: "error",
    plain: "error",
    passed: "same",
  },
  {
    name: "it trickles a byte at a time",
    play: async (x, said) => {
      begin(x, said);
      for (const byte of said.body) await x.send(Buffer.of(byte));
      await x.end();
    },
    streamed: "whole",
    plain: "whole",
    passed: "same",
  },
  {
    name: "it beats before, within and behind its events",
    only: "stream",
    play: (x, said) =>
      x.stream([
        ": beat\n\n",
        ...said.chunks.flatMap((chunk) => [`: beat\n${chunk}`, ": beat\n\n:\n"]),
        ": beat\n\n",
      ]),
    streamed: "whole",
    passed: "same",
  },
  {
    name: "it calls a stream JSON, and JSON a stream",
    play: (x, said) => answers(said.stream ? "application/json" : "text/event-stream", said.body)(x),
    streamed: "whole",
    plain: "whole",
    passed: "same",
  },
  {
    name: "it calls its answer text",
    play: (x, said) => answers("text/plain; charset=utf-8", said.body)(x),
    streamed: "whole",
    plain: "whole",
    passed: "same",
  },
  {
    name: "it says no type",
    play: (x, said) => x.answer(200, said.body, {}),
    streamed: "whole",
    plain: "whole",
    passed: "same",
  },
  { ...encoded("gzip", gzipSync), streamed: "whole", plain: "whole", passed: "same" },
  { ...encoded("br", brotliCompressSync), streamed: "whole", plain: "whole", passed: "same" },
  // refused by the name of the coding, without looking at the body
  { ...encoded("zstd", (body) => body), streamed: "error", plain: "error", passed: "same" },
  {
    ...encoded("gzip, br", (body) => brotliCompressSync(gzipSync(body))),
    streamed: "error",
    plain: "error",
    passed: "same",
  },
  ...["gzip", "br"].map((name) => ({
    ...encoded(name, (body) => body),
    name: `a body that says ${name} and is not`,
    streamed: "error",
    plain: "error",
    passed: "same",
  })),
  ...Object.entries({ gzip: gzipSync, br: brotliCompressSync }).map(([name, encode]) => ({
    ...encoded(name, (body) => encode(body).subarray(0, 60)),
    name: `a body that is compressed by ${name} and cut`,
    streamed: "error",
    plain: "error",
    passed: "same",
  })),
  {
    name: "a compressed error",
    play: (x) =>
      x.answer(429, gzipSync(JSON.stringify(overloaded)), {
        "content-type": "application/json",
        "content-encoding": "gzip",
      }),
    streamed: "error",
    plain: "error",
    passed: "error",
    message: /Slow down/,
  },
  {
    name: "an error that is compressed by zstd",
    play: (x) =>
      x.answer(429, Buffer.from(JSON.stringify(overloaded)), {
        "content-type": "application/json",
        "content-encoding": "zstd",
      }),
    streamed: "error",
    plain: "error",
    passed: "error",
    message: /can't be read/,
  },
  {
    name: "an error in a 200",
    play: answers("application/json", JSON.stringify(overloaded)),
    streamed: "error",
    plain: "error",
    passed: "same",
    message: /Slow down/,
  },
  {
    name: "an error in a 200 that it calls a stream",
    play: answers("text/event-stream", JSON.stringify(overloaded)),
    streamed: "error",
    plain: "error",
    passed: "same",
    message: /Slow down/,
  },
  {
    name: "HTML",
    play: answers("text/html", "<!doctype html><h1>It works!</h1>"),
    streamed: "error",
    plain: "error",
    passed: "same",
  },
  {
    name: "an HTML error",
    play: (x) => x.answer(502, "<html><h1>502 Bad Gateway</h1></html>", { "content-type": "text/html" }),
    streamed: "error",
    plain: "error",
    passed: "error",
  },
  {
    name: "nothing",
    play: answers("application/json", ""),
    streamed: "error",
    plain: "error",
    passed: "same",
  },
  {
    name: "null",
    play: answers("application/json", "null"),
    streamed: "error",
    plain: "error",
    passed: "same",
  },
  {
    name: "an empty object",
    play: answers("application/json", "{}"),
    streamed: "error",
    plain: "error",
    passed: "same",
  },
  {
    name: "invalid UTF-8 in a text",
    play: (x, said) =>
      x.answer(200, replaced(said.body, "Some", [0xff, 0xc3, 0x28, 0x80]), { "content-type": said.type }),
    streamed: "whole", // the bytes become U+FFFD
    plain: "whole",
    changed: (text) => text.replace("Some", "\ufffd\ufffd(\ufffd"),
    passed: "same",
  },
  {
    name: "invalid UTF-8 all over",
    play: (x, said) => x.answer(200, Buffer.alloc(5000, 0xfe), { "content-type": said.type }),
    streamed: "error",
    plain: "error",
    passed: "same",
  },
  {
    name: "10 MB in one event",
    play: (x, said) =>
      x.answer(200, replaced(said.body, "Some", Buffer.alloc(10 << 20, "x")), { "content-type": said.type }),
    streamed: "error",
    plain: "error",
    passed: "same",
  },
  {
    name: "10 MB in one line of heartbeats",
    only: "stream",
    play: (x, said) =>
      x.stream([...said.chunks.slice(0, 2), `:${"x".repeat(10 << 20)}`, "\n\n", ...said.chunks.slice(2)]),
    streamed: "error",
    passed: "same",
  },
];

// hangs has the moments at which an upstream may hang, each with a function that gets the upstream
// there.
export const hangs = {
  "before its head": () => {},
  "behind its head": begin,
  "in the middle of an event": part,
};

// unfinished returns the chunks of an answer before the first sign of completeness.
function unfinished({ chunks }) {
  const last = chunks.findIndex((chunk) => /"finish_reason":"|message_delta|response\.completed/.test(chunk));
  return chunks.slice(0, last);
}

// replaced replaces the first occurrence of a word in a body by bytes.
function replaced(body, word, bytes) {
  const at = body.indexOf(word);
  return Buffer.concat([body.subarray(0, at), Buffer.from(bytes), body.subarray(at + word.length)]);
}
