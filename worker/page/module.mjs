// The translator itself: the worker's module, run in this page. worker/bridge/doc.go says what its exports do under "The page".
import { Go } from "./gojs.mjs";

const encoder = new TextEncoder();
const decoder = new TextDecoder();

let compiled;

// load fetches and compiles the module, once.
export function load() {
  compiled ??= WebAssembly.compileStreaming(fetch("/page/app.wasm", { credentials: "omit" })).catch((error) => {
    compiled = undefined;
    throw error;
  });
  return compiled;
}

// Exchange is one request and its answer, in an instance of its own.
export class Exchange {
  #exports;

  // open resolves with { exchange, request }, where request is the body that the upstream of record gets for a client's path and body; or
  // with { exchange, refused }, where refused is { status, body } of the error that the client gets.
  static async open(client, record, path, body) {
    const exchange = new Exchange();
    const go = new Go({ binding: {} });
    const { exports } = await WebAssembly.instantiate(await load(), { ...go.imports, workers: { ready() {} } });
    exchange.#exports = exports;
    go.run(exports, exports.resume, exports.go_scheduler);
    const { text, last } = exchange.#output(exports.page_open(exchange.#put(encoder.encode(`${client}\0${JSON.stringify(record)}\0${path}\0${body}`))));
    return last ? { exchange, refused: refusalOf(text) } : { exchange, request: text };
  }

  // refuse returns { status, body } of what the client gets for an upstream's error.
  refuse(status, body) {
    return refusalOf(this.#output(this.#exports.page_refuse(status, this.#put(encoder.encode(body)))).text);
  }

  // push takes a chunk of the upstream's stream, and returns { bytes, last } of the client's; last: bytes end it.
  push(chunk) {
    return this.#output(this.#exports.stream_push(this.#put(chunk)));
  }

  // close takes the end of the upstream's stream, which was cut or not, and returns what push does.
  close(cut) {
    return this.#output(this.#exports.stream_close(cut ? 1 : 0));
  }

  // report returns the program's report on the exchange so far: worker/bridge/doc.go, "The report".
  report() {
    const { text } = this.#output(this.#exports.report());
    return JSON.parse(text);
  }

  #put(bytes) {
    const at = this.#exports.stream_reserve(bytes.length) >>> 0;
    new Uint8Array(this.#exports.memory.buffer, at, bytes.length).set(bytes);
    return bytes.length;
  }

  #output(m) {
    const length = m < 0 ? -1 - m : m;
    const bytes = new Uint8Array(this.#exports.memory.buffer, this.#exports.stream_out() >>> 0, length).slice();
    return { bytes, last: m < 0, get text() { return decoder.decode(bytes); } };
  }
}

function refusalOf(text) {
  const at = text.indexOf(" ");
  return { status: Number(text.slice(0, at)), body: text.slice(at + 1) };
}
