// A request and its answer in an instance of the module without a host. It is for programs that
// call the upstream themselves: the page in the browser, and the library for JavaScript.
// worker/bridge/doc.go, "The page", describes the exports.
import { Go } from "./gojs.mjs";

const encoder = new TextEncoder();
const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
// most bytes of a body that the module gets; its own limits are lower, so a cut body is refused
const MOST = 64 << 20;

// Exchange is a request and its answer, in an instance of its own.
export class Exchange {
  #exports; // undefined: the instance has trapped, and may not be entered again

  // open starts an exchange with a client's path and body. It resolves with { exchange, request }:
  // request is the body for the upstream of record. Or it resolves with { exchange, refused }:
  // refused is { status, body } of the error for the client. An input body is a string or a
  // Uint8Array, an output body is a string.
  static async open(module, client, record, path, body) {
    const exchange = new Exchange();
    const go = new Go({ binding: {} });
    const { exports } = await WebAssembly.instantiate(module, { ...go.imports, workers: { ready() {} } });
    exchange.#exports = exports;
    go.run(exports, exports.resume, exports.go_scheduler);
    const front = encoder.encode(`${client}\0${JSON.stringify(record)}\0${path}\0`);
    const { text, last } = exchange.#run(() => exports.page_open(exchange.#put(front, bytesOf(body))));
    return last ? { exchange, refused: refusalOf(text) } : { exchange, request: text };
  }

  // head returns { url, headers, streams, passes } of the upstream's request. streams: the client
  // has requested a stream. passes: request and answer pass unchanged.
  head() {
    const { text, last } = this.#run(() => this.#exports.page_head());
    const [first, ...lines] = text.trimEnd().split("\n");
    const headers = Object.fromEntries(
      lines.map((line) => [line.slice(0, line.indexOf(":")), line.slice(line.indexOf(":") + 2)]),
    );
    return { url: first.slice(2), headers, streams: first[0] === "1", passes: last };
  }

  // answer passes the upstream's whole answer to the module, and returns { body } for the client,
  // or { refused } as in open.
  answer(status, body) {
    const { text, last } = this.#run(() => this.#exports.page_answer(status, this.#put(bytesOf(body))));
    return last ? { refused: refusalOf(text) } : { body: text };
  }

  // push passes a chunk of the upstream's stream to the module, and returns { bytes, last } for the
  // client. last: bytes are the end of the client's stream.
  push(chunk) {
    return this.#run(() => this.#exports.stream_push(this.#put(chunk)));
  }

  // close ends the upstream's stream, and returns the same as push. cut: the stream broke off.
  close(cut) {
    return this.#run(() => this.#exports.stream_close(cut ? 1 : 0));
  }

  // report returns the program's report on the exchange so far, or an empty report if the instance
  // has trapped: worker/bridge/doc.go, "The report".
  report() {
    return this.#exports ? JSON.parse(this.#run(() => this.#exports.report()).text) : {};
  }

  // #put writes the input of the next call into the module's input buffer, and returns its size.
  #put(...parts) {
    const cut = parts.map((part) => part.subarray(0, MOST));
    const size = cut.reduce((sum, part) => sum + part.length, 0);
    let at = this.#exports.stream_reserve(size) >>> 0;
    const memory = new Uint8Array(this.#exports.memory.buffer);
    for (const part of cut) {
      memory.set(part, at);
      at += part.length;
    }
    return size;
  }

  // #run calls an export that has an output, and returns the output as { bytes, text, last }.
  #run(call) {
    try {
      const at = call() >>> 0;
      const [from, length, flags] = new Uint32Array(this.#exports.memory.buffer, at, 3);
      const bytes = new Uint8Array(this.#exports.memory.buffer, from, length).slice();
      return {
        bytes,
        last: (flags & 1) === 1,
        get text() {
          return decoder.decode(bytes);
        },
      };
    } catch (error) {
      this.#exports = undefined;
      throw error;
    }
  }
}

const bytesOf = (body) => (typeof body === "string" ? encoder.encode(body) : body);

function refusalOf(text) {
  const at = text.indexOf(" ");
  return { status: Number(text.slice(0, at)), body: text.slice(at + 1) };
}
