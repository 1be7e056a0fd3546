// One request and its answer in an instance of the module without a host, for a program that calls
// the upstream itself: the page in the browser, and the library for JavaScript. What the exports do
// stands in worker/bridge/doc.go under "The page".
import { Go } from "./gojs.mjs";

const encoder = new TextEncoder();
const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
// bytes of a body that the module gets: it refuses what is over its own limits, which are lower
const MOST = 64 << 20;

// Exchange is one request and its answer, in an instance of its own.
export class Exchange {
  #exports; // undefined: the instance has trapped, and may not be entered again

  // open resolves with { exchange, request }, where request is the body that the upstream of record
  // gets for a client's path and body; or with { exchange, refused }, where refused is { status,
  // body } of the error that the client gets. A body that goes in is a string or a Uint8Array, what
  // comes out is a string.
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
  // has asked for a stream. passes: request and answer go as they are.
  head() {
    const { text, last } = this.#run(() => this.#exports.page_head());
    const [first, ...lines] = text.trimEnd().split("\n");
    const headers = Object.fromEntries(
      lines.map((line) => [line.slice(0, line.indexOf(":")), line.slice(line.indexOf(":") + 2)]),
    );
    return { url: first.slice(2), headers, streams: first[0] === "1", passes: last };
  }

  // answer takes the upstream's whole answer, and returns { body } of the client's, or { refused }
  // as open does.
  answer(status, body) {
    const { text, last } = this.#run(() => this.#exports.page_answer(status, this.#put(bytesOf(body))));
    return last ? { refused: refusalOf(text) } : { body: text };
  }

  // push takes a chunk of the upstream's stream, and returns { bytes, last } of the client's; last:
  // bytes end it.
  push(chunk) {
    return this.#run(() => this.#exports.stream_push(this.#put(chunk)));
  }

  // close takes the end of the upstream's stream, which was cut or not, and returns what push does.
  close(cut) {
    return this.#run(() => this.#exports.stream_close(cut ? 1 : 0));
  }

  // report returns the program's report on the exchange so far, an empty one where the instance has
  // trapped: worker/bridge/doc.go, "The report".
  report() {
    return this.#exports ? JSON.parse(this.#run(() => this.#exports.report()).text) : {};
  }

  // #put writes what the next call takes into the module's room for input, and returns its size.
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

  // #run calls an export that has an output, and returns { bytes, text, last } of that, as its
  // three words say.
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
