// A scripted upstream on a free loopback port. A test receives each request with next() and plays
// the answer step by step, or gives serve() a function that answers all requests.
import { once } from "node:events";
import http from "node:http";
import net from "node:net";
import { promisify } from "node:util";

export async function upstream() {
  const waiting = []; // requests that no call of next() has received yet
  const takers = []; // waiting calls of next()
  const all = [];
  let script = null;
  const handle = async (req, res) => {
    const exchange = new Exchange(req, res);
    try {
      await exchange.receive();
    } catch {
      return; // the client left before its request was complete
    }
    all.push(exchange);
    if (script) await (async () => script(exchange))().catch((err) => exchange.cut(err));
    else if (takers.length > 0) takers.shift()(exchange);
    else waiting.push(exchange);
  };
  const server = http.createServer(handle);
  server.keepAliveTimeout = 0; // keeps idle connections: closing one would race with its next request
  // Node's timeouts are one minute and five minutes
  server.headersTimeout = server.requestTimeout = 0;
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address();
  return {
    url: `http://127.0.0.1:${port}/v1`,
    // connections resolves with the number of open connections, idle ones included.
    connections: () => promisify(server.getConnections.bind(server))(),
    // handle answers a request from another server than the upstream's own.
    handle,
    // requests has every request so far, with its body.
    requests: all,
    // next resolves with the next request.
    next: () =>
      waiting.length > 0 ? Promise.resolve(waiting.shift()) : new Promise((resolve) => takers.push(resolve)),
    // serve answers every request with fn(exchange), until serve(null).
    serve: (fn) => void (script = fn),
    // renew removes all requests of earlier tests.
    renew: () => {
      waiting.length = takers.length = all.length = 0;
      script = null;
    },
    close: async () => {
      server.close();
      server.closeAllConnections();
      await once(server, "close");
    },
  };
}

// Exchange is a request and its answer.
class Exchange {
  #req;
  #res;
  #closing = false;
  pending = 0; // chunks that the system has not accepted yet
  sent = 0; // chunks that the system has accepted

  constructor(req, res) {
    this.#req = req;
    this.#res = res;
    this.method = req.method;
    this.path = req.url;
    this.headers = req.headers;
    res.socket.setNoDelay(true);
    res.on("error", () => {}); // send reports the error
    // gone resolves when the client closed the connection before the answer was complete.
    this.gone = new Promise((resolve) => {
      res.on("close", () => {
        if (!this.#closing) resolve();
      });
    });
    // closed resolves when the answer has ended, complete or not.
    this.closed = new Promise((resolve) => res.on("close", resolve));
  }

  async receive() {
    const parts = [];
    for await (const part of this.#req) parts.push(part);
    this.body = Buffer.concat(parts);
  }

  get json() {
    return JSON.parse(this.body);
  }

  // head sends the status line and the headers at once, before a body.
  head(status = 200, headers = { "content-type": "text/event-stream" }) {
    this.#res.writeHead(status, headers);
    this.#res.flushHeaders();
  }

  // send sends an HTTP chunk and resolves when the system has accepted the chunk. If the connection
  // is closed before, send rejects.
  async send(data) {
    this.pending++;
    await new Promise((resolve, reject) => {
      // Node does not call a write's callback once the connection is closed.
      const gone = () => reject(new Error("the connection is gone"));
      if (this.#res.closed) return gone();
      this.#res.once("close", gone);
      this.#res.write(data, (err) => {
        this.#res.off("close", gone);
        if (err) reject(err);
        else resolve();
      });
    });
    this.pending--;
    this.sent++;
  }

  // end completes the answer.
  end(data) {
    this.#closing = true;
    return new Promise((resolve) => this.#res.end(data, resolve));
  }

  // answer sends a complete plain answer.
  answer(status, body, headers = { "content-type": "application/json" }) {
    this.#res.writeHead(status, headers);
    return this.end(typeof body === "string" || Buffer.isBuffer(body) ? body : JSON.stringify(body));
  }

  // stream sends a complete SSE answer, each element as an HTTP chunk.
  async stream(chunks) {
    this.head();
    for (const chunk of chunks) await this.send(chunk);
    await this.end();
  }

  // cut closes the connection in the middle of the answer.
  cut() {
    this.#closing = true;
    this.#res.socket?.destroy();
  }

  // reset closes the connection in the middle of the answer, with a TCP reset.
  reset() {
    this.#closing = true;
    this.#res.socket?.resetAndDestroy();
  }
}

const reserved = []; // the connections of unreachable, open until the process ends

// unreachable returns a URL that refuses connections until the process ends. Its port is the
// client's end of an open connection: no server listens on such a port, and the system gives the
// port to no server of another test.
export async function unreachable() {
  const server = net.createServer((socket) => socket.unref());
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const client = net.connect(server.address().port, "127.0.0.1");
  await once(client, "connect");
  reserved.push(client.unref());
  server.unref();
  return `http://127.0.0.1:${client.localPort}/v1`;
}
