// The most bytes that the module gets at once. The module's input buffer stays as small, however
// large a chunk is.
const SLICE = 64 << 10;
const CUT = Symbol("the upstream's body broke off");

// Translation is the stream of one answer: the upstream's bytes go in, the client's come out.
//
// If the source of a TransformStream breaks off, the readable side fails, and the TransformStream
// can't change that. Therefore Translation has a writable side of its own, which turns an abort
// into a last chunk: the client gets the error event of its protocol. A passthrough answer has no
// error event, and fails.
export class Translation extends TransformStream {
  // The failure of the readable side is in the standard (Streams Standard,
  // TransformStreamDefaultSinkAbortAlgorithm): a transformer can't write a last chunk, and a client
  // would read a network error. Transformer.cancel is no help: Node has it from 20.14 on, and no
  // browser has it (web-features, November 2026). terminate() alone would leave the upstream open
  // until its next chunk.
  #writable;

  // over is called once, when instance is not needed any more: with the last output, and with the
  // reason why the upstream's body broke off.
  constructor(instance, passes, over) {
    let output, cause, ended;
    const end = () => {
      if (!ended) over(output, cause);
      ended = true;
    };
    super({
      transform(chunk, controller) {
        for (const { bytes, last } of chunk === CUT ? [instance.close(true)] : pushed(instance, chunk)) {
          if (bytes.length > 0) controller.enqueue((output = bytes));
          if (last) {
            end();
            return controller.terminate();
          }
        }
      },
      flush(controller) {
        const { bytes } = instance.close(false);
        if (bytes.length > 0) controller.enqueue((output = bytes));
        end();
      },
    });
    const writer = super.writable.getWriter();
    this.#writable = new WritableStream({
      start(controller) {
        // The writer closes before the upstream ends if the answer is complete or its reader has
        // cancelled. The upstream then gets the error at once, not with its next chunk.
        writer.closed.then(end, (reason) => {
          end();
          controller.error(reason);
        });
      },
      write: (chunk) => writer.write(chunk),
      close: () => writer.close(),
      abort: (reason) => {
        cause = reason ?? new Error("the upstream's stream was aborted");
        if (!passes) return writer.write(CUT);
        end();
        return writer.abort(reason);
      },
    });
  }

  get writable() {
    return this.#writable;
  }
}

// pushed gives the module a chunk in slices, and yields the module's result for each slice.
function* pushed(instance, chunk) {
  if (!(chunk instanceof Uint8Array))
    throw new TypeError("A chunk of the upstream's answer must be a Uint8Array.");
  for (let at = 0; at < chunk.length; at += SLICE) yield instance.push(chunk.subarray(at, at + SLICE));
}
