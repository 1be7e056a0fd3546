// Packed statements and rows, in the form of worker/bridge/doc.go.

const encoder = new TextEncoder();
const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
const letter = (text) => text.charCodeAt(0);
const [NULL, NUMBER, STRING, BLOB, STATEMENT, ROWS] = ["n", "f", "s", "b", "q", "r"].map(letter);

// statementsOf returns the packed statements as { sql, args }.
export function statementsOf(packed) {
  const view = new DataView(packed.buffer, packed.byteOffset, packed.byteLength);
  const statements = [];
  let at = 0;
  const next = () => {
    const end = at + 4 + view.getUint32(at, true);
    const bytes = packed.subarray(at + 4, end);
    at = end;
    return bytes;
  };
  while (at < packed.length) {
    const kind = packed[at++];
    if (kind === STATEMENT) {
      statements.push({ sql: decoder.decode(next()), args: [] });
      continue;
    }
    const { args } = statements.at(-1);
    if (kind === NULL) args.push(null);
    else if (kind === STRING) args.push(decoder.decode(next()));
    else if (kind === BLOB) args.push(next());
    else {
      args.push(view.getFloat64(at, true));
      at += 8;
    }
  }
  return statements;
}

// Rows packs the result rows of statements.
export class Rows {
  #bytes = new Uint8Array(1024);
  #view = new DataView(this.#bytes.buffer);
  #length = 0;
  #values = 0; // how many of the #length bytes are values

  first; // the first value of the current statement's rows; undefined without a row

  // statement begins the rows of the next statement.
  statement(columns) {
    this.first = undefined;
    this.#room(5);
    this.#bytes[this.#length] = ROWS;
    this.#view.setUint32(this.#length + 1, columns, true);
    this.#length += 5;
  }

  // add adds a value of a row: null, a number, a string or an ArrayBuffer.
  add(value) {
    if (this.first === undefined) this.first = value;
    const from = this.#length;
    if (value === null) {
      this.#room(1);
      this.#bytes[this.#length++] = NULL;
    } else if (typeof value === "number") {
      this.#room(9);
      this.#bytes[this.#length] = NUMBER;
      this.#view.setFloat64(this.#length + 1, value, true);
      this.#length += 9;
    } else if (typeof value === "string") this.#put(STRING, encoder.encode(value));
    else this.#put(BLOB, new Uint8Array(value));
    this.#values += this.#length - from;
  }

  // size is the number of bytes of the values, without the heads of the statements.
  get size() {
    return this.#values;
  }

  get packed() {
    return this.#bytes.subarray(0, this.#length);
  }

  #put(kind, bytes) {
    this.#room(5 + bytes.length);
    this.#bytes[this.#length] = kind;
    this.#view.setUint32(this.#length + 1, bytes.length, true);
    this.#bytes.set(bytes, this.#length + 5);
    this.#length += 5 + bytes.length;
  }

  #room(more) {
    if (this.#length + more <= this.#bytes.length) return;
    const bytes = new Uint8Array(Math.max(2 * this.#bytes.length, this.#length + more));
    bytes.set(this.packed);
    this.#bytes = bytes;
    this.#view = new DataView(bytes.buffer);
  }
}
