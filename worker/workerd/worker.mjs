// The JS entry of the worker: starts an instance of the module for each request, and implements the
// host's side of worker/bridge/doc.go. doc.go defines the states and calls.
import * as ai from "./ai.mjs";
import { Batches } from "./batch.mjs";
import { failure } from "./dialect.mjs";
import { Go } from "./gojs.mjs";
import { harmless } from "./harmless.mjs";
import { AGAIN, LAST, PIECES, bytesAt, gather, gathered, wordsAt } from "./output.mjs";
import * as google from "./google.mjs";
import { linesOf, parseHead, settingsOf } from "./lines.mjs";
import { lineOf } from "./log.mjs";
import { exported } from "./otlp.mjs";
import { page } from "./page.mjs";
import { createRuntimeContext, loadModule } from "./runtime.mjs";
import * as seal from "./seal.mjs";
import { accept } from "./socket.mjs";
import * as store from "./store.mjs";

export { EndpointState } from "./state.mjs";

const decoder = new TextDecoder();
const encoder = new TextEncoder();
const MAX_DISCARDED = 64 << 20; // bytes of an oversized body that are read and dropped
const AT_ONCE = 64 << 10; // bytes: a body up to this size is read at once
const GRACE = 2000; // ms for an upstream to end its stream after a complete answer
const KEEPING = 10_000; // ms for the statements at the end of an answer
const [FAILED, TOO_LARGE] = [-1, -2]; // the codes of the export settle for failures
const FETCHER = "edgelingua"; // the user-agent of requests for pages (worker/web/page/url.go, Agent)
const NONE = new Headers();
const NOTHING = new Uint8Array(0);
const [ENDED, CUT, TIMED_OUT] = [0, 1, 2]; // the causes of the export stream_close

// has "settings" after the log of this isolate has described the settings
const reported = new Set();

export default {
  fetch(request, env, ctx) {
    if (request.headers.get("user-agent") === FETCHER) {
      return harmless(failure(request, 403, "invalid", "This deployment is no webpage for a model."));
    }
    const file = page(request);
    if (file) return file;
    return run(env, ctx, request).answer;
  },
};

// run starts a request, and returns promises of its answer and of its end. If the request is a
// frame of a WebSocket, socket is the WebSocket's connection.
function run(env, ctx, request, socket) {
  const exchange = new Exchange(request, socket);
  const answer = exchange.answer(env, ctx).then(harmless);
  const over = exchange.over(answer);
  ctx.waitUntil(over); // continues after the client has left
  if (env.OTLP_URL) {
    socket?.fetches();
    ctx.waitUntil(over.then((done) => exported(env, request, done)));
  }
  return { answer, over };
}

// runner returns the function that runs the requests of a connection. It is a top-level function,
// so its closure does not hold the request of the upgrade.
const runner = (env, ctx) => (request, socket) => run(env, ctx, request, socket);

// Exchange is a request, with its own instance of the module.
class Exchange {
  #request;
  #exports; // the instance's exports
  #memory = new Uint8Array(0); // a view of the instance's memory; detached if its length is 0
  #room = new Uint8Array(0); // buffer for the output until the client has received it
  #output; // the output of the pump's last step, a part of #room; undefined for none
  #again = false; // the output says that another call continues the stream
  #dead = false;
  #broken; // the answer if the instance trapped; else undefined
  #die; // resolves #death
  // resolves with #broken when the instance has trapped and its account is closed
  #death = new Promise((resolve) => (this.#die = resolve));
  #abort = new AbortController(); // aborts the upstream fetch
  #reason; // why the fetch was aborted: "timeout", "aborted" or another of #stop's reasons
  #upstream; // promise of the upstream's Response, resolved by its head
  #response; // the Response of #upstream
  #late = false; // headWait passed without a head, so fetch was settled without a head
  #fetched; // tells the waiting pump that the program has called fetch again
  #window; // ms for which a chunk of a stream may wait for more chunks
  #silence; // ms without a head or a chunk until the fetch is aborted
  #pumped; // promise of the stream's end; undefined for an answer without a stream
  #passed = false; // the upstream's body is passed to the client, without the program
  #came = Date.now();
  #first; // when the first byte of a stream was written
  #gone = false; // the client left in the middle of a stream
  #accounted; // ends the account of the request, once; undefined without an open account
  #insured; // statements that end the account if the instance traps; undefined for none
  #closed; // promise of the statements that end the account; undefined for none
  #socket; // the WebSocket if the request is a frame; else undefined
  #accepted; // the WebSocket if the program has upgraded the request; else undefined

  #left = () => this.#stop("aborted"); // the client has gone: see enable_request_signal in wrangler.toml

  constructor(request, socket) {
    this.#request = request;
    this.#socket = socket;
    request.signal.addEventListener("abort", this.#left);
  }

  async answer(env, ctx) {
    const answer = await this.#answered(env, ctx);
    if (!this.#accepted) return answer;
    // the signal lives as long as the connection
    this.#request.signal.removeEventListener("abort", this.#left);
    return this.#accepted.upgraded(answer);
  }

  async #answered(env, ctx) {
    const binding = {};
    try {
      await this.#start({ ...createRuntimeContext({ env: {}, ctx, binding }), host: this.#host(env, ctx) });
    } catch (error) {
      this.#trapped(error);
    }
    if (this.#dead) return this.#broken;
    const { method, url } = this.#request;
    const answer = this.#guard(binding.handleRequest)({ method, url, headers: NONE, body: null });
    if (this.#dead) return this.#death;
    const unread = () => failure(this.#request, 400, "invalid", "The request can't be read. Check its URL.");
    return Promise.race([answer.catch(unread), this.#death]);
  }

  // over ends the account of a finished request, writes its log line, and resolves with the log
  // line and the times for the request's span. If the body of the answer passes, the request counts
  // as finished at the answer's head, since the worker does not see the end of the body.
  async over(answer) {
    const response = await answer;
    const gone = this.#request.signal.aborted;
    if (response !== this.#broken) await this.#pumped;
    if (this.#socket && response.status < 400) this.#remember();
    this.#accounted?.();
    const setup = this.#describe();
    const report = this.#report();
    const over = Date.now();
    const first = this.#pumped ? this.#first : response.body && !this.#passed ? over : undefined;
    const socket = this.#socket !== undefined;
    const line = lineOf(this.#request, response, report, {
      came: this.#came,
      first,
      over,
      gone,
      aborted: gone || this.#gone,
      socket,
      setup,
    });
    console.log(line);
    await this.#closed;
    return { line, came: this.#came, over };
  }

  // #remember passes the items to remember from this request to the WebSocket.
  #remember() {
    const out = this.#out(() => this.#exports.remember());
    if (out) this.#socket.remember(out.slice());
  }

  // #describe returns the description of the settings, or undefined after an earlier request has
  // logged it.
  #describe() {
    if (reported.has("settings")) return undefined;
    const out = this.#out(() => this.#exports.describe());
    if (this.#dead) return undefined;
    reported.add("settings");
    return decoder.decode(out);
  }

  // #report returns the program's report. It is the last call of the program.
  #report() {
    const out = this.#out(() => this.#exports.report());
    if (this.#dead) return { error: "internal" };
    if (!out) return { error: "invalid_request" }; // the program could not even read the URL
    return JSON.parse(decoder.decode(out));
  }

  async #start(context) {
    const go = new Go(context);
    const { exports } = new WebAssembly.Instance(await loadModule(), {
      ...go.imports,
      workers: { ready() {} },
    });
    this.#exports = exports;
    this.#guard(() => go.run(exports, this.#guard(exports.resume), this.#guard(exports.go_scheduler)))();
  }

  // #guard returns a function that calls enter, an entry into the program. The function handles a
  // trap, and never enters the program after a trap.
  #guard(enter) {
    return (...args) => {
      if (this.#dead) return undefined;
      try {
        return enter(...args);
      } catch (error) {
        return this.#trapped(error);
      }
    };
  }

  #trapped(error) {
    if (this.#dead) return;
    this.#dead = true;
    console.error("edgelingua: the instance of a request trapped: " + error);
    this.#stop("trapped");
    const message = "edgelingua failed on this request. Send it again; if that fails too, please report it.";
    this.#broken = failure(this.#request, 500, "broken", message);
    this.#accounted?.();
    // The client gets its failure after the account is closed, so its next request finds a free slot.
    Promise.resolve(this.#closed).then(() => this.#die(this.#broken));
  }

  #stop(reason) {
    this.#reason ??= reason;
    this.#abort.abort();
  }

  // #renew ends the current fetch before another fetch, and makes a new AbortController.
  #renew() {
    this.#abort.abort();
    this.#abort = new AbortController();
    if (this.#reason === "aborted" || this.#reason === "trapped") this.#abort.abort();
    else this.#reason = undefined; // the reason of the fetch that has ended
  }

  // #failure returns the error for the program when a call of the host fails. The message is the
  // reason of #stop, if any.
  #failure(error) {
    return new Error(this.#reason ?? (error.message || String(error)));
  }

  #host(env, ctx) {
    const request = this.#request;
    const socket = this.#socket;
    const codings = codingsOf(request.headers);
    return {
      clientHead: linesOf(codings.length > 0 ? withoutCodings(request.headers) : request.headers),
      settings: settingsOf(env),
      body: (limit) => this.#settle(this.#received(request, codings, limit).then(outcomeOf)),
      fetch: (url, method, head, body, headWait, silence) => {
        this.#silence = silence;
        socket?.fetches();
        if (this.#upstream !== undefined) this.#renew();
        this.#upstream = this.#send(env, url, method, head, body);
        if (this.#late) this.#fetched();
        else this.#settle(this.#head(headWait));
      },
      read: (limit, time) => this.#settle(this.#read(limit, time)),
      stream: (keepAlive, keepAliveEvery, trap, object, window) => {
        const { readable, writable } = socket ? { readable: "" } : new IdentityTransformStream();
        const keep = object === "" ? undefined : (statements) => store.batch(env, object, statements);
        const writer = socket?.writer() ?? writable.getWriter();
        this.#window = window;
        this.#pumped = this.#pump(
          writer,
          encoder.encode(keepAlive),
          keepAliveEvery,
          encoder.encode(trap),
          keep,
        );
        return readable;
      },
      socket: socket !== undefined,
      accept: (whose, most, lifetime) => {
        this.#accepted = accept(request, whose, most, lifetime, runner(env, ctx));
        return this.#accepted !== undefined;
      },
      recall: (id) => this.#settle(socket.recall(id)),
      hangUp: () => socket.hangUp(),
      pass: () => {
        this.#passed = true;
        return this.#response.body;
      },
      bytes: (at, length) => this.#view().slice(at, at + length),
      pieces: (at) => gathered(this.#exports.memory, at),
      kvGet: (key) => this.#settle(store.kvGet(env, key)),
      kvPut: (key, value, metadata, expiration) =>
        this.#settle(store.kvPut(env, key, value, metadata, expiration)),
      kvDelete: (key) => this.#settle(store.kvDelete(env, key)),
      kvList: (prefix, cursor, limit) => this.#settle(store.kvList(env, prefix, cursor, limit)),
      batch: (object, statements) => this.#settle(store.batch(env, object, statements)),
      change: (...change) => this.#settle(store.change(env, ...change)),
      prices: (url, model) =>
        this.#settle(import("./prices.mjs").then(({ pricesOf }) => pricesOf(url, model))),
      account: (object, renewal, renewEvery, further, merge) => {
        const run = (statements) => store.account(env, object, statements, further, merge).catch(unaccounted);
        const beat = renewEvery > 0 ? setInterval(run, renewEvery, renewal) : undefined;
        this.#accounted = () => {
          this.#accounted = undefined;
          clearInterval(beat);
          const statements = this.#account();
          const last = this.#dead ? this.#insured : statements;
          if (last) this.#closed = run(last);
        };
      },
      insure: (statements) => {
        this.#insured = statements;
      },
      digest: (text) => this.#settle(seal.digest(text)),
      seal: (context, secret) => this.#settle(seal.seal(env, context, secret)),
      open: (context, sealed) => this.#settle(seal.open(env, context, sealed)),
      token: (context, sealed) => {
        socket?.fetches();
        this.#settle(google.token(env, context, sealed));
      },
    };
  }

  // #settle passes the outcome of a call to the program, in a tick of its own.
  async #settle(due) {
    let code, bytes;
    try {
      [code, bytes] = await due;
    } catch (error) {
      [code, bytes] = [FAILED, encoder.encode(error.message)];
    }
    this.#guard(() => {
      this.#exports.settle(code, this.#put(bytes));
      this.#exports.go_scheduler();
    })();
  }

  async #read(limit, time) {
    const timer = time && setTimeout(() => this.#stop("timeout"), time);
    try {
      const whole = await this.#collect(await this.#upstream, limit, 0);
      if (whole === null) this.#stop("too large");
      return outcomeOf(whole);
    } finally {
      clearTimeout(timer);
    }
  }

  // #send resolves with the upstream's Response as soon as its head has arrived.
  async #send(env, url, method, head, body) {
    const timer = setTimeout(() => this.#stop("timeout"), this.#silence);
    const { signal } = this.#abort;
    try {
      if (ai.isAI(url)) return (this.#response = await ai.ask(env.AI, parseHead(head), body, signal));
      return (this.#response = await fetch(url, {
        method,
        headers: parseHead(head),
        body,
        redirect: "manual",
        signal,
      }));
    } catch (error) {
      throw this.#failure(error);
    } finally {
      clearTimeout(timer);
    }
  }

  async #head(headWait) {
    if (headWait <= 0) return headOf(await this.#upstream);
    let timer;
    const late = new Promise((resolve) => (timer = setTimeout(resolve, headWait, [0, NOTHING])));
    const head = await Promise.race([this.#upstream.then(headOf), late]).finally(() => clearTimeout(timer));
    this.#late = head[0] === 0;
    return head;
  }

  // #received reads the client's body without its codings. Of a compressed body over limit bytes
  // nothing more is read: the rest could be a thousand times as large.
  #received(request, codings, limit) {
    if (codings.length === 0) return this.#collect(request, limit, MAX_DISCARDED);
    let { body } = request;
    for (const coding of codings) body = body?.pipeThrough(CODINGS.get(coding)());
    return this.#collect({ body: body ?? null, headers: request.headers }, limit, 0);
  }

  // #collect reads a whole body, or resolves with null if the body is over limit bytes. It reads an
  // oversized body up to discard bytes: if the connection closes while a client is still sending,
  // the client gets a reset instead of the answer.
  async #collect(source, limit, discard) {
    if (source.body === null) return new Uint8Array(0);
    const declared = Number(source.headers.get("content-length"));
    if (declared > 0 && declared <= Math.min(limit, AT_ONCE) && !source.headers.has("content-encoding"))
      return this.#whole(source);
    let tooLarge = declared > limit;
    const reader = source.body.getReader();
    const chunks = [];
    let size = 0;
    let timer;
    try {
      while (!tooLarge || size <= discard) {
        if (this.#silence) timer = setTimeout(() => this.#stop("timeout"), this.#silence);
        const { done, value } = await reader.read();
        clearTimeout(timer);
        if (done) return tooLarge ? null : await join(chunks);
        size += value.length;
        tooLarge ||= size > limit;
        if (tooLarge) chunks.length = 0;
        else chunks.push(value);
      }
      await reader.cancel();
      return null;
    } catch (error) {
      clearTimeout(timer);
      throw this.#failure(error);
    }
  }

  // #whole reads a small body at once: reading by chunk takes longer than the rest of its request.
  async #whole(source) {
    const timer = this.#silence && setTimeout(() => this.#stop("timeout"), this.#silence);
    try {
      return new Uint8Array(await source.arrayBuffer());
    } catch (error) {
      throw this.#failure(error);
    } finally {
      clearTimeout(timer);
    }
  }

  // #pump carries the upstream's body through the program to the client, until the upstream, the
  // program or the client ends the stream. keep runs the statements at the end of the answer; it is
  // undefined without such statements.
  async #pump(writer, ping, every, trap, keep) {
    const quiet = { moves: 0, seen: 0, sent: 0, told: 0, writing: 0, ticks: 0, grace: undefined };
    const period = Math.min(every, this.#silence);
    const beat = setInterval(() => {
      if (quiet.writing > 0) return;
      quiet.ticks = quiet.moves === quiet.seen ? quiet.ticks + 1 : 0;
      quiet.seen = quiet.moves;
      const told = quiet.sent !== quiet.told;
      quiet.told = quiet.sent;
      if (quiet.ticks * period >= this.#silence) this.#stop("timeout");
      else if (!told && !this.#dead && ping.length > 0) {
        quiet.writing++;
        this.#first ??= Date.now();
        writer.write(ping).then(
          () => quiet.writing--,
          () => {},
        );
      }
    }, period);
    writer.closed.catch(() => this.#stop("aborted"));
    try {
      const cause = await this.#carry(writer, quiet);
      if (trap.length === 0 && (this.#dead || cause !== ENDED)) {
        if (this.#dead) await this.#death;
        writer.abort(new Error("the body has no end")).catch(() => {});
        return;
      }
      if (keep) await this.#keep(writer, quiet, keep);
      if (this.#dead) {
        await this.#death; // the account is closed
        await writer.write(trap);
      }
      await writer.close();
    } catch (error) {
      this.#gone = true;
      this.#stop("aborted");
      writer.abort(error).catch(() => {});
    } finally {
      clearInterval(beat);
      clearTimeout(quiet.grace);
    }
  }

  // #carry returns when nothing more may be sent to the client, except the trap of a dead instance.
  // It returns the cause of stream_close, if stream_close was called, and throws when the client is
  // gone.
  async #carry(writer, quiet) {
    for (;;) {
      const cause = await this.#carryBody(writer, quiet);
      if (!this.#again || this.#dead) return cause;
      clearTimeout(quiet.grace);
      quiet.grace = undefined;
      await this.#refetch(quiet);
      if (this.#dead) return CUT;
    }
  }

  // #carryBody is #carry for the body of a single call. Its loop determines the cost of a stream,
  // so the loop makes no closures and awaits twice for each chunk.
  async #carryBody(writer, quiet) {
    const { body, cause: failed } = await this.#open(quiet);
    const reader = this.#reader(body);
    let cause = failed;
    while (reader) {
      let chunk;
      try {
        chunk = await reader.read();
      } catch {
        cause = { timeout: TIMED_OUT, complete: ENDED }[this.#reason] ?? CUT;
        break;
      }
      if (chunk.done) break;
      quiet.moves++;
      const last = this.#step(chunk.value, 0);
      if (this.#output !== undefined) {
        quiet.writing++;
        this.#first ??= Date.now();
        await writer.write(this.#output);
        quiet.writing--;
        quiet.moves++;
        quiet.sent++;
      }
      if (last) {
        if (!this.#again) this.#stop("ended");
        return ENDED;
      }
      if (this.#complete()) {
        reader.hurry?.();
        quiet.grace ??= setTimeout(() => this.#stop("complete"), GRACE);
      } else if (quiet.grace !== undefined) {
        clearTimeout(quiet.grace);
        quiet.grace = undefined;
      }
    }
    if (this.#request.signal.aborted) throw new Error("aborted");
    this.#step(undefined, cause);
    if (this.#output !== undefined) await writer.write(this.#output);
    return cause;
  }

  // #reader returns the pump's reader of a body, or undefined without a body.
  #reader(body) {
    const reader = body?.getReader();
    return reader && this.#window > 0 ? new Batches(reader, this.#window) : reader;
  }

  // #keep runs the program's statements before the answer ends, and sends the program's output
  // after the statements.
  async #keep(writer, quiet, keep) {
    const out = this.#out(() => this.#exports.stream_end());
    if (this.#dead) return;
    let [code, reason] = [0, NOTHING];
    if (out) {
      const most = Math.min(this.#silence, KEEPING);
      let timer;
      const late = new Promise((_, reject) => {
        timer = setTimeout(() => reject(new Error(`it took more than ${most / 1000} seconds`)), most);
      });
      try {
        await Promise.race([keep(out.slice()), late, this.#death]);
      } catch (error) {
        [code, reason] = [FAILED, encoder.encode(error.message)];
      }
      clearTimeout(timer);
    }
    if (this.#request.signal.aborted) throw new Error("aborted");
    this.#output = undefined;
    this.#guard(() => this.#take(this.#exports.stream_ended(code, this.#put(reason))))();
    quiet.moves++;
    if (this.#output !== undefined) await writer.write(this.#output);
  }

  // #open waits for the upstream's head and passes it to the program, if fetch was settled without
  // a head. It returns the body to pump, if any. If the program calls another upstream instead,
  // #open waits for the head of the other upstream.
  async #open(quiet) {
    for (;;) {
      let status = 0;
      let body, head;
      try {
        const response = await this.#upstream;
        [status, head] = headOf(response);
        body = response.body;
      } catch (error) {
        head = encoder.encode(error.message);
      }
      const opened = { body, cause: status === 0 ? CUT : ENDED };
      if (!this.#late) return opened;
      if (this.#guard(() => this.#exports.stream_head(status, this.#put(head)))() !== 1) return opened;
      await this.#refetch(quiet);
      if (this.#dead) return { cause: CUT };
    }
  }

  // #refetch waits until the program has called fetch. The head will be passed to stream_head.
  async #refetch(quiet) {
    this.#late = true;
    const next = new Promise((resolve) => (this.#fetched = resolve));
    this.#guard(() => this.#exports.go_scheduler())();
    await Promise.race([next, this.#death]);
    quiet.moves++;
  }

  // #step enters the program with a chunk, or with the end of the body if chunk is undefined. It
  // leaves the output for the client in #output and returns whether the output was the last.
  #step(chunk, cause) {
    this.#output = undefined;
    if (this.#dead) return true;
    try {
      return this.#take(
        chunk ? this.#exports.stream_push(this.#put(chunk)) : this.#exports.stream_close(cause),
      );
    } catch (error) {
      this.#trapped(error);
      return true;
    }
  }

  // #account returns the statements that end the program's account, or undefined.
  #account() {
    return this.#out(() => this.#exports.account())?.slice();
  }

  // #out calls an export, and returns its output as a view of the program's memory. It returns
  // undefined if the output is empty or the program has trapped.
  #out(call) {
    const at = this.#guard(call)();
    return this.#dead ? undefined : bytesAt(this.#exports.memory, at);
  }

  // #take copies the output at an address into #output, and returns whether it was the last output
  // for the upstream's body.
  #take(at) {
    const [from, length, flags] = wordsAt(this.#exports.memory, at);
    this.#again = (flags & AGAIN) !== 0;
    if (length > 0) {
      // One buffer for all events, since each write is awaited before the next step. A buffer that
      // the runtime has taken has the length 0, and is replaced.
      if (this.#room.length < length) this.#room = new Uint8Array(Math.max(length, 4096));
      if (flags & PIECES) gather(this.#exports.memory, from, this.#room);
      else this.#room.set(this.#view().subarray(from, from + length));
      this.#output = this.#room.subarray(0, length);
    }
    return (flags & (LAST | AGAIN)) !== 0;
  }

  #complete() {
    try {
      return !this.#dead && this.#exports.stream_complete() === 1;
    } catch (error) {
      return this.#trapped(error);
    }
  }

  // #put copies bytes into the program's input buffer and returns their number.
  #put(bytes) {
    const at = this.#exports.stream_reserve(bytes.length) >>> 0;
    this.#view().set(bytes, at);
    return bytes.length;
  }

  // #view returns a view of the program's memory. When the memory grows, the old view is detached,
  // and its length becomes 0.
  #view() {
    if (this.#memory.length === 0) this.#memory = new Uint8Array(this.#exports.memory.buffer);
    return this.#memory;
  }
}

const headOf = ({ status, headers }) => [status, encoder.encode(linesOf(headers))];

// The codings of a request's body, and what undoes each. Codex sends zstd, which workerd undoes only in
// its node:zlib. A compatibility date before 2026-08-04 lacks node:zlib: then the program refuses zstd,
// and says how to turn it off.
const CODINGS = new Map([
  ["gzip", () => new DecompressionStream("gzip")],
  ["x-gzip", () => new DecompressionStream("gzip")],
  ["deflate", () => new DecompressionStream("deflate")],
  ["zstd", unframed],
]);
const MAX_CODINGS = 2;
const MAX_WINDOW = 23; // the logarithm of 8 MB: every decoder should accept such a window (RFC 8878)

// builtin returns a module of Node.js that workerd implements, or undefined.
const builtin = (name) => globalThis.process?.getBuiltinModule?.(name);

// unframed returns a stream that undoes zstd.
function unframed() {
  const { constants, createZstdDecompress } = builtin("node:zlib");
  const params = { [constants.ZSTD_d_windowLogMax]: MAX_WINDOW };
  return builtin("node:stream").Duplex.toWeb(createZstdDecompress({ params }));
}

const undoes = (name) =>
  CODINGS.has(name) && (name !== "zstd" || builtin("node:zlib")?.createZstdDecompress !== undefined);

// codingsOf returns the codings to undo, in this order; none if one of them is unknown.
function codingsOf(headers) {
  const given = headers.get("content-encoding");
  if (given === null) return [];
  const names = given
    .toLowerCase()
    .split(",")
    .map((name) => name.trim())
    .filter((name) => name !== "" && name !== "identity");
  if (names.length > MAX_CODINGS || !names.every(undoes)) return [];
  return names.reverse();
}

function withoutCodings(given) {
  const headers = new Headers(given);
  headers.delete("content-encoding");
  return headers;
}

const outcomeOf = (whole) => (whole === null ? [TOO_LARGE, NOTHING] : [0, whole]);

// unaccounted logs a failure of the account's statements.
function unaccounted(error) {
  console.error("edgelingua: the account of a request was not kept: " + error.message);
}

async function join(chunks) {
  return chunks.length === 1 ? chunks[0] : new Uint8Array(await new Blob(chunks).arrayBuffer());
}
