// The output of an export: worker/bridge/doc.go, "An output".
export const [LAST, AGAIN, PIECES] = [1, 2, 4]; // its flags

// wordsAt returns the words of the output at an address: the address of its bytes, their number,
// and flags.
export const wordsAt = (memory, at) => new Uint32Array(memory.buffer, at >>> 0, 3);

// bytesAt returns a view of the bytes of the output at an address, which is in one piece; undefined
// for none.
export function bytesAt(memory, at) {
  const [from, length] = wordsAt(memory, at);
  return length > 0 ? new Uint8Array(memory.buffer, from, length) : undefined;
}

// gathered returns the pieces in a list of the program's, one behind the other.
export function gathered(memory, at) {
  const list = new DataView(memory.buffer, at);
  let length = 0;
  for (let i = 0; i < list.getUint32(0, true); i++) length += list.getUint32(8 + 8 * i, true);
  const whole = new Uint8Array(length);
  gather(memory, at, whole);
  return whole;
}

// gather copies the pieces in a list of the program's into room, which is large enough.
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
