// Measures the time that a worker spends in its isolate, by V8's profiler: what Cloudflare counts
// as CPU time. Sockets and epoll are no part of it.
import { once } from "node:events";

const EVERY = 100; // µs between samples that V8 is asked for. It takes about twice as long

// profiler connects to the inspector of a worker (startAlone with inspect). workerd 1.20261023
// answers one connection in its life.
export async function profiler(inspector) {
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
  return {
    // busy runs run, and resolves with the ms in which the isolate was busy meanwhile.
    async busy(run) {
      await call("Profiler.start");
      await run();
      return busyIn((await call("Profiler.stop")).profile);
    },
    close: () => socket.close(),
  };
}

// busyIn returns the ms in which the isolate ran anything. While it rests no sample is taken, and
// the first one behind a rest has all of that in its delta: so samples count, each for the time
// between two without a rest, which a tenth of the deltas are shorter than.
function busyIn({ nodes, samples, timeDeltas }) {
  const outside = new Set(
    nodes
      .filter(({ callFrame }) => ["(idle)", "(root)", "(program)"].includes(callFrame.functionName))
      .map(({ id }) => id),
  );
  const between = timeDeltas.toSorted((a, b) => a - b)[Math.floor(timeDeltas.length / 10)];
  return (samples.filter((node) => !outside.has(node)).length * between) / 1000;
}
