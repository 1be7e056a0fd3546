// The worker with an additional path: GET /observed returns the memory of the worker's instances in
// bytes, in the order of their start, and forgets the instances.
import worker from "./worker.mjs";

export { EndpointState } from "./worker.mjs";

let memories = [];
const { Instance } = WebAssembly;
WebAssembly.Instance = class extends Instance {
  constructor(...args) {
    super(...args);
    memories.push(this.exports.memory);
  }
};

export default {
  fetch(request, env, ctx) {
    if (new URL(request.url).pathname !== "/observed") return worker.fetch(request, env, ctx);
    const bytes = memories.map(({ buffer }) => buffer.byteLength);
    memories = [];
    return Response.json(bytes);
  },
};
