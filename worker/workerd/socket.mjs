// A client's WebSocket. Each text frame is a request, with an instance of the module of its own.
// "WebSockets" in worker/bridge/doc.go describes the duties of a host; the comments here describe
// only the limits of the edge.

const MAX_FRAME = 16 << 20; // bytes
const MAX_REMEMBERED = 15 << 20; // bytes of a connection
const MAX_TOGETHER = 32 << 20; // bytes of all connections of an isolate, which has 128 MB
const MAX_EARLY = 10; // frames that the client may send too early during a frame's request
// Headers of the upgrade to omit from the requests on its connection.
const OF_UPGRADE = [
  "connection",
  "upgrade",
  "content-encoding",
  "content-length",
  "content-type",
  "expect",
  "idempotency-key",
  "keep-alive",
  "te",
  "trailer",
  "transfer-encoding",
  "x-request-id",
];

// Limits on a connection's subrequests and requests. A connection is a single invocation of the
// worker. An invocation may have 50 subrequests to other servers on the Free plan, and 10,000
// subrequests of any kind on the Paid plan, with 30 s of CPU (Cloudflare's documentation,
// "Limits"). After MAX_FETCHES or MAX_TURNS no request begins; the remaining subrequests are for
// the fallbacks of the last request. A request without an upstream still needs CPU, and subrequests
// to KV and a Durable Object.
const MAX_FETCHES = 40;
const MAX_TURNS = 100;
// A WebSocket of workerd accepts any amount of data, and buffers everything that the client does
// not read. After MAX_SENT no request begins, and after MAX_UNREAD an answer is cut: a delta of one
// character makes an event of 160, and an answer may have some millions of deltas.
const MAX_SENT = 64 << 20; // characters
const MAX_UNREAD = 96 << 20; // characters

const [NORMAL, BINARY, POLICY, TOO_BIG, FAILED] = [1000, 1003, 1008, 1009, 1011]; // RFC 6455, section 7.4.1
// Codex sends such a frame after each response, without a request for an answer (openai/codex#21284)
const PROCESSED = /^\s*\{\s*"type"\s*:\s*"response\.processed"/;
// events after which the client may send its next frame
const LAST = /^\{"type":"(?:response\.(?:completed|failed|incomplete)|error)"/;
const NOTHING = new Uint8Array(0);
const COMMA = 44;

const decoder = new TextDecoder();
const encoder = new TextEncoder();
const open = new Map(); // number of connections of each endpoint, by its name
// connections with stored items, the longest unused first
const remembering = new Set();

// accept returns the connection of a request admitted by the program, or undefined if the endpoint
// called whose already has most connections. run starts the request of a frame: its arguments are
// the Request and the connection, and it returns promises of the answer and of the end.
export function accept(request, whose, most, lifetime, run) {
  const count = open.get(whose) ?? 0;
  if (count >= most) return undefined;
  open.set(whose, count + 1);
  return new Connection(request, whose, lifetime, run);
}

// error returns the frame of an error.
function error(status, code, message) {
  const type = status < 500 ? "invalid_request_error" : "server_error";
  return JSON.stringify({ type: "error", status, error: { type, code, message, param: null } });
}

// limit returns OpenAI's error for a connection that has reached its limit. Codex 0.169.0 then
// opens a new connection and sends everything.
const limit = (why) =>
  error(
    400,
    "websocket_connection_limit_reached",
    `Responses websocket connection limit reached (${why}). Create a new websocket connection to continue.`,
  );

class Connection {
  #url;
  #headers; // of a frame's request
  #whose;
  #run;
  #socket; // the server's end
  #lifetime;
  #timer;
  #expired = false; // the lifetime has ended
  #hangs = false; // the program has ended the connection
  #ended = false;
  #turn; // AbortController of the current request
  #answered = false; // the client has received the last event
  #streamed = false; // the answer is a stream
  #next; // the frame that waits for the end of the current request
  #early = 0; // frames refused during the current request
  #fetches = 0;
  #turns = 0;
  #sent = 0;
  #memory; // { id, chunks, size }: the items of the last response
  #taken; // the memory as recalled by the current request

  constructor(request, whose, lifetime, run) {
    this.#url = request.url;
    this.#headers = new Headers(request.headers);
    for (const name of [...this.#headers.keys()]) {
      if (OF_UPGRADE.includes(name) || name.startsWith("sec-websocket-")) this.#headers.delete(name);
    }
    this.#headers.set("content-type", "application/json");
    this.#whose = whose;
    this.#lifetime = lifetime;
    this.#run = run;
    request.signal.addEventListener("abort", () => this.#end());
  }

  // upgraded returns the 101 that replaces the program's answer.
  upgraded(answer) {
    if (answer.status !== 204) {
      // the program has failed after accept
      this.#end();
      return answer;
    }
    const { 0: client, 1: server } = new WebSocketPair();
    this.#socket = server;
    server.accept();
    server.addEventListener("message", ({ data }) => this.#frame(data));
    server.addEventListener("close", () => this.#end());
    server.addEventListener("error", () => this.#end());
    this.#timer = setTimeout(() => {
      this.#expired = true;
      if (!this.#turn) this.#finish();
    }, this.#lifetime);
    return new Response(null, { status: 101, headers: answer.headers, webSocket: client });
  }

  // For a frame's request the host calls recall, remember and hangUp on behalf of the program, and
  // fetches for each subrequest. writer returns the writer for the stream of the answer, which goes
  // to the connection instead of an HTTP client.
  recall(id) {
    if (this.#memory?.id !== id) return [1, NOTHING];
    this.#taken = this.#memory;
    this.#forget();
    return [0, joined(this.#taken)];
  }

  remember(bytes) {
    const end = bytes.indexOf(0);
    const chunks =
      decoder.decode(bytes.subarray(end + 1, end + 2)) === "+" ? (this.#taken?.chunks ?? []) : [];
    if (bytes.length > end + 2) chunks.push(bytes.subarray(end + 2));
    const size = chunks.reduce((sum, { length }) => sum + length + 1, 0);
    this.#forget();
    if (size > MAX_REMEMBERED || this.#ended) return;
    this.#memory = { id: decoder.decode(bytes.subarray(0, end)), chunks, size };
    remembering.add(this);
    let together = 0;
    for (const { size } of remembering) together += size;
    for (const other of remembering) {
      if (together <= MAX_TOGETHER) break;
      together -= other.size;
      other.#forget();
    }
  }

  // size is how many bytes the connection remembers.
  get size() {
    return this.#memory.size;
  }

  #forget() {
    remembering.delete(this);
    this.#memory = undefined;
  }

  hangUp() {
    this.#hangs = true;
  }

  fetches() {
    this.#fetches++;
  }

  writer() {
    this.#streamed = true;
    const { signal } = this.#turn;
    return {
      closed: new Promise((_, reject) =>
        signal.addEventListener("abort", () => reject(new Error("aborted"))),
      ),
      write: async (bytes) => this.#events(bytes),
      close: async () => {},
      abort: async () => {},
    };
  }

  // #events sends the data of complete events. Each event's data is a single line.
  #events(bytes) {
    if (this.#sent > MAX_UNREAD) this.#finish();
    if (this.#ended) throw new Error("the connection has ended");
    for (const line of decoder.decode(bytes).split("\n")) {
      if (line.startsWith("data: ")) this.#tell(line.slice(6));
    }
  }

  // #tell sends an event of the current request.
  #tell(text) {
    this.#answered ||= LAST.test(text);
    this.#send(text);
  }

  #send(text) {
    if (this.#ended) return;
    this.#sent += text.length;
    this.#socket.send(text);
  }

  #frame(data) {
    if (this.#ended) return;
    if (typeof data !== "string")
      return this.#refuse(BINARY, error(400, "invalid_frame", "Frames are text: binary ones are not taken."));
    if (PROCESSED.test(data)) return;
    const bytes = data.length > MAX_FRAME ? undefined : encoder.encode(data);
    if (!bytes || bytes.length > MAX_FRAME) {
      return this.#refuse(
        TOO_BIG,
        error(
          413,
          "frame_too_large",
          `The frame is over the limit of ${MAX_FRAME >> 20} MB. ` +
            "Send less: fewer or smaller images and documents, or a shorter history.",
        ),
      );
    }
    if (!this.#turn) return this.#begin(bytes);
    if (this.#answered && !this.#next) {
      this.#next = bytes;
      return;
    }
    const busy = error(
      409,
      "response_in_progress",
      "A response is in progress on this connection, which runs one at a time. " +
        "Wait for its last event, or open another connection.",
    );
    if (++this.#early < MAX_EARLY) this.#send(busy);
    else this.#refuse(POLICY, busy);
  }

  // #begin runs the request of a frame, and then of the frame that waits.
  async #begin(bytes) {
    for (let frame = bytes; frame && !this.#ended; frame = this.#next) {
      if (this.#expired || this.#fetches >= MAX_FETCHES || this.#turns >= MAX_TURNS || this.#sent > MAX_SENT)
        return this.#finish();
      this.#turns++;
      this.#turn = new AbortController();
      [this.#answered, this.#streamed, this.#early, this.#next] = [false, false, 0, undefined];
      try {
        await this.#answer(frame);
      } catch (failed) {
        console.error("edgelingua: a turn of a WebSocket has failed: " + failed);
        return this.#refuse(
          FAILED,
          error(
            500,
            "server_error",
            "edgelingua failed on this request. Open a new connection, and send it again.",
          ),
        );
      }
      this.#turn = this.#taken = undefined;
      if (this.#hangs) return this.#close(POLICY, "refused");
      if (this.#expired) return this.#finish();
    }
  }

  async #answer(body) {
    const request = new Request(this.#url, {
      method: "POST",
      headers: this.#headers,
      body,
      signal: this.#turn.signal,
    });
    const { answer, over } = this.#run(request, this);
    const response = await answer;
    if (!this.#streamed) {
      const text = new Uint8Array(await response.arrayBuffer());
      if (response.status < 400) this.#events(text);
      else this.#tell(wrapped(response, decoder.decode(text)));
    }
    await over;
    if (!this.#answered)
      this.#tell(error(502, "server_error", "The upstream's answer broke off. Send the request again."));
  }

  // #finish ends a connection that has reached a limit.
  #finish() {
    this.#send(limit(this.#expired ? "60 minutes" : "requests of one connection"));
    this.#close(NORMAL, "used up");
  }

  // #refuse ends the connection because of a frame.
  #refuse(code, frame) {
    this.#send(frame);
    this.#close(code, JSON.parse(frame).error.code);
  }

  #close(code, reason) {
    if (this.#ended) return;
    this.#end();
    try {
      this.#socket.close(code, reason);
    } catch {
      // already closed
    }
  }

  // #end releases everything that the connection holds, however it has ended.
  #end() {
    if (this.#ended) return;
    this.#ended = true;
    clearTimeout(this.#timer);
    this.#forget();
    this.#next = undefined;
    const left = open.get(this.#whose) - 1;
    if (left > 0) open.set(this.#whose, left);
    else open.delete(this.#whose);
    this.#turn?.abort();
  }
}

// joined returns the chunks of items with commas between.
function joined({ chunks, size }) {
  const all = new Uint8Array(Math.max(size - 1, 0)).fill(COMMA);
  let at = 0;
  for (const chunk of chunks) {
    all.set(chunk, at);
    at += chunk.length + 1;
  }
  return all;
}

// wrapped returns the frame of an error body. If the body has no code, the error's type becomes the
// code: clients that follow the schema of the public suite require a text. The frame has the
// headers that tell a client what to do, as OpenAI's frames do.
function wrapped({ status, headers }, body) {
  const { error } = JSON.parse(body);
  error.code ??= error.type;
  const told = [...headers].filter(([name]) =>
    /^(?:retry-after|x-ratelimit-|x-should-retry|x-codex-)/.test(name),
  );
  return JSON.stringify({
    type: "error",
    status,
    error,
    ...(told.length > 0 && { headers: Object.fromEntries(told) }),
  });
}
