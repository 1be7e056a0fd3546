// Bare connections, for requests that no HTTP client sends.
import { once } from "node:events";
import net from "node:net";

// dial opens a connection to the server at url, and writes text to the connection. With reading:
// false it reads nothing.
export async function dial(url, text = "", { reading = true } = {}) {
  const { hostname, port } = new URL(url);
  const socket = net.connect({ host: hostname, port });
  socket.on("error", () => {}); // "close" follows
  const ended = new Promise((resolve) => socket.on("close", resolve));
  let received = "";
  let look = () => {};
  if (reading) socket.setEncoding("latin1").on("data", (piece) => look((received += piece)));
  await once(socket, "connect");
  if (text) socket.write(text);
  return {
    send: (more) => socket.write(more),
    // answer resolves with the status and the body of the next answer. If the connection ends
    // before the answer is complete, answer rejects.
    answer: () =>
      new Promise((resolve, reject) => {
        ended.then(() => reject(new Error(`the connection has ended, after ${JSON.stringify(received)}`)));
        look = () => {
          const head = /^HTTP\/1\.1 (\d+) [\s\S]*?\r\n\r\n/.exec(received);
          if (!head) return;
          const length = Number(/^content-length: (\d+)/im.exec(head[0])?.[1] ?? 0);
          if (received.length < head[0].length + length) return;
          const body = received.slice(head[0].length, head[0].length + length);
          received = received.slice(head[0].length + length);
          resolve({ status: Number(head[1]), body });
        };
        look();
      }),
    close: () => socket.destroy(),
  };
}

// unfinished returns the head of a POST request and the beginning of the body, without the end.
export const unfinished = (target, headers = {}, framing = "content-length: 1000\r\n\r\n{") =>
  `POST ${target} HTTP/1.1\r\nhost: test\r\n` +
  Object.entries(headers)
    .map(([name, value]) => `${name}: ${value}\r\n`)
    .join("") +
  framing;
