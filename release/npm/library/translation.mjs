// bytes that the module takes at once: its room for input stays that small, however large a chunk
// is
const SLICE = 64 << 10;
const CUT = Symbol("the upstream's body broke off");

// Translation is the stream of one answer: the upstream's bytes go in, the client's come out.
//
// A TransformStream whose source breaks off has no say in how it ends: its readable side fails. So
// what breaks off in front of the writable side becomes a last chunk, for which the client gets the
// error of its protocol. An answer that passes has no such event, and fails.
export class Translation extends TransformStream {
  // The failure of the readable side is in the standard (Streams Standard,
  // TransformStreamDefaultSinkAbortAlgorithm): a transformer can't write a last chunk, and a client
  // would read a network error. Transformer.cancel is no help: Node has it from 20.14 on, and no
  // browser has it (web-features, November 2026). terminate() alone would leave the upstream open
  // until its next chunk.
  #writable;

  // over is called once, when instance is not needed any more.
  constructor(instance, passes, over) {
    super({
      transform(chunk, controller) {
        for (const { bytes, last } of chunk === CUT ? [instance.close(true)] : pushed(instance, chunk)) {
          if (bytes.length > 0) controller.enqueue(bytes);
          if (last) return controller.terminate();
        }
      },
      flush(controller) {
        const { bytes } = instance.close(false);
        if (bytes.length > 0) controller.enqueue(bytes);
      },
    });
    const writer = super.writable.getWriter();
    this.#writable = new WritableStream({
      start(controller) {
        // The answer is complete before the upstream ends, or its reader is gone: the upstream is
        // told at once, not at its next chunk.
        writer.closed.then(over, (reason) => {
          over();
          controller.error(reason);
        });
      },
      write: (chunk) => writer.write(chunk),
      close: () => writer.close(),
      abort: (reason) => (passes ? writer.abort(reason) : writer.write(CUT)),
    });
  }

  get writable() {
    return this.#writable;
  }
}

// pushed yields what the module gives for the slices of a chunk.
function* pushed(instance, chunk) {
  if (!(chunk instanceof Uint8Array))
    throw new TypeError("A chunk of the upstream's answer must be a Uint8Array.");
  for (let at = 0; at < chunk.length; at += SLICE) yield instance.push(chunk.subarray(at, at + SLICE));
}
