// A client's WebSocket. Each text frame is a request, with an instance of the module of its own.
// "WebSockets" in worker/bridge/doc.go describes the duties of a host; the comments here describe
// only the limits of the edge.

const MAX_FRAME = 16 << 20; // bytes
const MAX_REMEMBERED = 15 << 20; // bytes of a connection
const MAX_TOGETHER = 32 << 20; // bytes of all connections of an isolate, which has 128 MB
const MAX_WAITING = 16; // frames that wait, together of MAX_FRAME bytes
const MAX_LANES = 32; // names of lanes, as at OpenAI
// Requests at a time. OpenAI has 16; an invocation of a worker may have six connections to other servers
// (Cloudflare's documentation, "Limits"), and a request may need a second one.
const MAX_RUNNING = 4;
const MAX_EARLY = 10; // frames in a row that find no room
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
// "Limits"). After MAX_FETCHES or MAX_TURNS no request begins. RESERVED subrequests are for each request
// that runs: while they might exceed MAX_FETCHES, a request waits. A request without an upstream still
// needs CPU, and subrequests to KV and a Durable Object.
const MAX_FETCHES = 40;
const RESERVED = 10;
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
const LANE = /^[A-Za-z0-9_.-]{1,256}$/; // a name of a lane
const MANY_FORKS =
  "Responses in progress on this connection continue from responses of other lanes, and together these " +
  "have no more than 15 MB. Wait for a last event, or send the whole conversation without " +
  "'previous_response_id'.";
const NOTHING = new Uint8Array(0);
const COMMA = 44;

const decoder = new TextDecoder();
const encoder = new TextEncoder();
const open = new Map(); // number of connections of each endpoint, by its name
// what the connections remember, the longest unused first
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

// withLane returns an event of a lane: with its name, unless the lane is "".
const withLane = (event, lane) =>
  lane === "" ? event : `${event.slice(0, -1)},"stream_id":${JSON.stringify(lane)}}`;

// membersOf returns the members of a frame, or an empty object for anything else.
function membersOf(frame) {
  try {
    return JSON.parse(frame) ?? {};
  } catch {
    return {}; // the program refuses the frame
  }
}

// laneOf returns the lane of a frame, "" without a valid name: the program refuses an invalid one.
function laneOf(frame) {
  if (!frame.includes('"stream_id"')) return "";
  const { stream_id: name } = membersOf(frame);
  return typeof name === "string" && LANE.test(name) ? name : "";
}

// Turn is a frame's request. The host calls recall, remember and hangUp on behalf of the program, and
// fetches for each subrequest.
class Turn {
  connection;
  lane;
  bytes;
  controller = new AbortController();
  answered = false; // the client has received the last event
  streamed = false; // the answer is a stream
  cancelled = false; // by the client
  used = 0; // subrequests
  forked = 0; // bytes that another lane remembers, too
  taken; // the items recalled by the request: a list of chunks

  constructor(connection, lane, bytes) {
    Object.assign(this, { connection, lane, bytes });
  }

  recall(id) {
    return this.connection.recall(this, id);
  }

  remember(bytes) {
    this.connection.remember(this, bytes);
  }

  hangUp() {
    this.connection.hangUp();
  }

  fetches() {
    this.used++;
    this.connection.fetches();
  }

  // writer returns the writer for the stream of the answer, which goes to the connection instead of an
  // HTTP client.
  writer() {
    this.streamed = true;
    const { signal } = this.controller;
    return {
      closed: new Promise((_, reject) =>
        signal.addEventListener("abort", () => reject(new Error("aborted"))),
      ),
      write: async (bytes) => this.connection.events(this, bytes),
      close: async () => {},
      abort: async () => {},
    };
  }

  // refuse ends the turn with an error.
  refuse(frame) {
    this.tell(frame);
    this.cancelled = true;
    this.controller.abort();
  }

  // tell sends an event.
  tell(text) {
    this.answered ||= LAST.test(text);
    this.connection.send(withLane(text, this.lane));
  }
}

// Connection has lanes: requests of one lane are answered one after another, lanes side by side. A lane
// is named by the member stream_id of a request; "" is the lane of requests without a name.
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
  #running = new Set(); // the turns in progress
  #waiting = []; // the turns that wait, in order
  #lanes = new Set(); // the names so far, except ""
  #early = 0; // frames refused since an answer has ended
  #fetches = 0;
  #turns = 0;
  #sent = 0;
  // { id, chunks, size, owner } of each lane: the items of its last response; the longest unused first
  #memory = new Map();

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
      if (this.#running.size === 0) this.#finish();
    }, this.#lifetime);
    return new Response(null, { status: 101, headers: answer.headers, webSocket: client });
  }

  // recall takes the items of a response. Another lane's items stay, so that both lanes can continue
  // from the response.
  recall(turn, id) {
    for (const [lane, memory] of this.#memory) {
      if (memory.id !== id) continue;
      if (lane !== turn.lane) {
        const forked = [...this.#running].reduce((sum, { forked }) => sum + forked, memory.size);
        if (forked > MAX_REMEMBERED) {
          turn.refuse(error(409, "response_in_progress", MANY_FORKS));
          break;
        }
        turn.forked = memory.size;
      }
      turn.taken = [...memory.chunks];
      if (lane === turn.lane) this.#forget(lane);
      return [0, joined(memory)];
    }
    return [1, NOTHING];
  }

  remember(turn, bytes) {
    if (turn.cancelled) return;
    const end = bytes.indexOf(0);
    const chunks = decoder.decode(bytes.subarray(end + 1, end + 2)) === "+" ? (turn.taken ?? []) : [];
    if (bytes.length > end + 2) chunks.push(bytes.subarray(end + 2));
    const size = chunks.reduce((sum, { length }) => sum + length + 1, 0);
    this.#forget(turn.lane);
    if (size > MAX_REMEMBERED || this.#ended) return;
    const memory = { id: decoder.decode(bytes.subarray(0, end)), chunks, size };
    memory.forget = () => this.#forget(turn.lane);
    this.#memory.set(turn.lane, memory);
    remembering.add(memory);
    makeRoom(this.#memory.values(), MAX_REMEMBERED);
    makeRoom(remembering, MAX_TOGETHER);
  }

  #forget(lane) {
    remembering.delete(this.#memory.get(lane));
    this.#memory.delete(lane);
  }

  hangUp() {
    this.#hangs = true;
  }

  fetches() {
    this.#fetches++;
  }

  // events sends the data of a turn's complete events. Each event's data is a single line.
  events(turn, bytes) {
    if (this.#sent > MAX_UNREAD) this.#finish();
    if (this.#ended || turn.cancelled) throw new Error("the connection or the answer has ended");
    for (const line of decoder.decode(bytes).split("\n")) {
      if (line.startsWith("data: ")) turn.tell(line.slice(6));
    }
  }

  send(text) {
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
    if (this.#running.size > 0 && this.#controls(data)) return;
    const lane = laneOf(data);
    if (lane !== "" && !this.#lanes.has(lane) && this.#lanes.size === MAX_LANES)
      return this.#tooEarly(
        withLane(
          error(
            400,
            "websocket_stream_limit_reached",
            "This WebSocket connection has reached its maximum number of distinct stream IDs " +
              `(${MAX_LANES}). Reuse an existing stream_id or open a new WebSocket connection.`,
          ),
          lane,
        ),
      );
    const size = this.#waiting.reduce((sum, { bytes }) => sum + bytes.length, bytes.length);
    if (this.#waiting.length === MAX_WAITING || size > MAX_FRAME)
      return this.#tooEarly(
        withLane(
          error(
            409,
            "response_in_progress",
            `Responses are in progress on this connection, and no more than ${MAX_WAITING} requests of ` +
              "together 16 MB can wait. Wait for a last event, or open another connection.",
          ),
          lane,
        ),
      );
    if (lane !== "") this.#lanes.add(lane);
    this.#waiting.push(new Turn(this, lane, bytes));
    this.#begin();
  }

  // #tooEarly refuses a frame that can't wait, and ends the connection after many such frames in a row.
  #tooEarly(frame) {
    if (++this.#early < MAX_EARLY) this.send(frame);
    else this.#refuse(POLICY, frame);
  }

  // #controls handles the events that clients send during a response: response.cancel ends the answer in
  // the lane, and response.steer is refused with its input, in the form of OpenAI's reference.
  #controls(data) {
    if (!data.includes('"response.cancel"') && !data.includes('"response.steer"')) return false;
    const { type, previous_response_id = null, input = null } = membersOf(data);
    if (type === "response.steer") {
      const code = "steering_not_supported";
      const message = "Steering is not supported here: send the input with the next response.create.";
      this.#tooEarly(
        JSON.stringify({
          type: "response.steer.failed",
          sequence_number: 0,
          error: { code, message },
          steer: { previous_response_id, input },
        }),
      );
    } else if (type === "response.cancel") {
      const lane = laneOf(data);
      const turn = [...this.#running].find((turn) => turn.lane === lane && !turn.answered);
      if (turn) {
        turn.cancelled = true;
        turn.controller.abort();
      } else {
        const none = error(400, "response_not_active", "No response is in progress on this lane.");
        this.#tooEarly(withLane(none, lane));
      }
    }
    return type === "response.steer" || type === "response.cancel";
  }

  // #begin starts the turns that can begin: those whose lane has no earlier turn.
  #begin() {
    const blocked = new Set([...this.#running].map(({ lane }) => lane));
    for (const turn of [...this.#waiting]) {
      if (this.#ended || this.#hangs || this.#running.size === MAX_RUNNING) return;
      if (this.#running.size > 0 && this.#mayNeed() >= MAX_FETCHES) return;
      if (blocked.has(turn.lane)) continue;
      blocked.add(turn.lane);
      if (this.#isUsedUp()) {
        if (this.#running.size === 0) this.#finish();
        return;
      }
      this.#waiting.splice(this.#waiting.indexOf(turn), 1);
      this.#turns++;
      this.#running.add(turn);
      this.#serve(turn);
    }
  }

  // #mayNeed returns how many subrequests the connection has made, and the turns in progress may still make.
  #mayNeed() {
    return [...this.#running].reduce((sum, { used }) => sum + Math.max(RESERVED - used, 0), this.#fetches);
  }

  #isUsedUp() {
    return this.#expired || this.#fetches >= MAX_FETCHES || this.#turns >= MAX_TURNS || this.#sent > MAX_SENT;
  }

  // #serve runs a turn, and then the turns that it has held up.
  async #serve(turn) {
    try {
      await this.#answer(turn);
    } catch (failed) {
      if (!turn.cancelled) {
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
    }
    if (turn.cancelled && !turn.answered)
      turn.tell(error(400, "response_cancelled", "The client has cancelled the response."));
    this.#running.delete(turn);
    this.#early = 0;
    this.#begin();
    if (this.#running.size > 0) return;
    if (this.#hangs) this.#hangUp();
    else if (this.#expired) this.#finish();
  }

  async #answer(turn) {
    const request = new Request(this.#url, {
      method: "POST",
      headers: this.#headers,
      body: turn.bytes,
      signal: turn.controller.signal,
    });
    turn.bytes = undefined; // the request has them
    const { answer, over } = this.#run(request, turn);
    const response = await answer;
    if (!turn.streamed && !turn.cancelled) {
      const text = new Uint8Array(await response.arrayBuffer());
      if (response.status < 400) this.events(turn, text);
      else turn.tell(wrapped(response, decoder.decode(text)));
    }
    await over;
    if (!turn.answered && !turn.cancelled)
      turn.tell(error(502, "server_error", "The upstream's answer broke off. Send the request again."));
  }

  // #hangUp ends a refused client's connection. The turns that wait get an error, each in its lane.
  #hangUp() {
    const message =
      "This request was not started: another request on this connection was refused, so the connection " +
      "ends. Send the request on a new connection.";
    for (const turn of this.#waiting) turn.tell(error(403, "request_not_started", message));
    this.#close(POLICY, "refused");
  }

  // #finish ends a connection that has reached a limit.
  #finish() {
    this.send(limit(this.#expired ? "60 minutes" : "requests of one connection"));
    this.#close(NORMAL, "used up");
  }

  // #refuse ends the connection because of a frame.
  #refuse(code, frame) {
    this.send(frame);
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
    for (const lane of [...this.#memory.keys()]) this.#forget(lane);
    this.#waiting = [];
    const left = open.get(this.#whose) - 1;
    if (left > 0) open.set(this.#whose, left);
    else open.delete(this.#whose);
    for (const { controller } of this.#running) controller.abort();
  }
}

// makeRoom forgets the first of some memories until the rest has at most so many bytes.
function makeRoom(memories, most) {
  const all = [...memories];
  let size = all.reduce((sum, memory) => sum + memory.size, 0);
  for (const memory of all) {
    if (size <= most) return;
    size -= memory.size;
    memory.forget();
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
