// What the program has in pieces: worker/bridge/doc.go, "stream_pieces".
export const SCATTERED = 2 ** 29;

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
