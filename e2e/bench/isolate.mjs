// Measures the time that a worker spends in its isolate, by V8's profiler. Cloudflare counts this
// time as CPU time. It does not include sockets and epoll.
import { once } from "node:events";

const EVERY = 100; // The requested µs between V8's samples. V8 takes about twice as long.

// profiler connects to the inspector of a worker (startAlone with inspect). workerd 1.20261023
// accepts only one connection to its inspector.
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
    // busy calls run, and resolves with the ms for which the isolate was busy meanwhile.
    async busy(run) {
      await call("Profiler.start");
      await run();
      return busyIn((await call("Profiler.stop")).profile);
    },
    close: () => socket.close(),
  };
}

// busyIn returns how many ms the isolate was busy. V8 takes no samples while the isolate is idle,
// and the first sample after an idle time has the whole idle time in its delta. Therefore busyIn
// counts samples, each for the time between two samples without an idle time: the 10th percentile
// of the deltas.
function busyIn({ nodes, samples, timeDeltas }) {
  const outside = new Set(
    nodes
      .filter(({ callFrame }) => ["(idle)", "(root)", "(program)"].includes(callFrame.functionName))
      .map(({ id }) => id),
  );
  const between = timeDeltas.toSorted((a, b) => a - b)[Math.floor(timeDeltas.length / 10)];
  return (samples.filter((node) => !outside.has(node)).length * between) / 1000;
}
