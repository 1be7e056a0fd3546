// Ports for servers that can't be told to take any free one.
import { once } from "node:events";
import net from "node:net";
import { setTimeout } from "node:timers/promises";

// free resolves with a free port.
export async function free() {
  const server = net.createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address();
  await new Promise((resolve) => server.close(resolve));
  return port;
}

// listening resolves once a port accepts connections.
export async function listening(port) {
  for (;;) {
    const socket = net.connect(port, "127.0.0.1");
    const up = await new Promise((resolve) =>
      socket.on("connect", () => resolve(true)).on("error", () => resolve(false)),
    );
    socket.destroy();
    if (up) return;
    await setTimeout(50);
  }
}
