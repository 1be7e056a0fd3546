// The output of an export: worker/bridge/doc.go, "An output".
export const [LAST, AGAIN, PIECES] = [1, 2, 4]; // flags of an output

// wordsAt returns the words of the output at an address: the address and number of its bytes, and
// the flags.
export const wordsAt = (memory, at) => new Uint32Array(memory.buffer, at >>> 0, 3);

// bytesAt returns a view of the bytes of the output at an address, or undefined for an empty
// output. The output must be in one piece.
export function bytesAt(memory, at) {
  const [from, length] = wordsAt(memory, at);
  return length > 0 ? new Uint8Array(memory.buffer, from, length) : undefined;
}

// gathered returns the joined pieces of a list in the program's memory.
export function gathered(memory, at) {
  const list = new DataView(memory.buffer, at);
  let length = 0;
  for (let i = 0; i < list.getUint32(0, true); i++) length += list.getUint32(8 + 8 * i, true);
  const whole = new Uint8Array(length);
  gather(memory, at, whole);
  return whole;
}

// gather copies the pieces of a list in the program's memory into room, which must be large enough.
export function gather(memory, at, room) {
  const bytes = new Uint8Array(memory.buffer);
  const list = new DataView(memory.buffer, at);
  let end = 0;
  for (let i = 0; i < list.getUint32(0, true); i++) {
    const piece = list.getUint32(4 + 8 * i, true);
    const length = list.getUint32(8 + 8 * i, true);
    room.set(bytes.subarray(piece, piece + length), end);
    end += length;
  }
}
