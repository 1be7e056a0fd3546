// Outputs of the program that are in pieces: worker/bridge/doc.go, "stream_pieces".
export const SCATTERED = 2 ** 29;

// gather copies the pieces of the last output into room, which is large enough.
export function gather({ memory, stream_pieces }, room) {
  const at = stream_pieces() >>> 0;
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
