// Measures the time that a worker spends in its isolate, by V8's profiler: what Cloudflare counts as CPU time. Sockets and epoll are no part of it.
import { once } from "node:events";

const EVERY = 100; // µs between samples

// inIsolate runs run, and resolves with the ms in which the isolate of a worker (startAlone with inspect) was busy meanwhile.
export async function inIsolate(inspector, run) {
  const socket = new WebSocket(inspector);
  await once(socket, "open");
  const waiting = new Map();
  socket.addEventListener("message", ({ data }) => {
    const { id, result, error } = JSON.parse(data);
    waiting.get(id)?.(result ?? error);
  });
  const call = (method, params = {}) =>
    new Promise((resolve) => {
      waiting.set(waiting.size, resolve);
      socket.send(JSON.stringify({ id: waiting.size - 1, method, params }));
    });
  await call("Profiler.enable");
  await call("Profiler.setSamplingInterval", { interval: EVERY });
  await call("Profiler.start");
  await run();
  const { profile } = await call("Profiler.stop");
  socket.close();
  const names = new Map(profile.nodes.map(({ id, callFrame }) => [id, callFrame.functionName]));
  let [busy, outside] = [0, 0];
  for (const [i, node] of profile.samples.entries()) {
    const name = names.get(node);
    if (name === "(idle)" || name === "(root)") continue;
    if (name === "(program)") outside += profile.timeDeltas[i];
    else busy += profile.timeDeltas[i];
  }
  return { busy: busy / 1000, outside: outside / 1000 };
}
