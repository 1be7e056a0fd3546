// The JS side of a TinyGo program: the functions that TinyGo's runtime and syscall/js import. It
// replaces TinyGo's wasm_exec.js, which needs twice the time, because it makes a new view of the
// memory and compares big integers at every call.
//
// A reference has 64 bits. It is a number, or a NaN with the id of a value in the low half and the
// type of the value in the high half. undefined is 64 zero bits, so the number 0 has an id as well.
// (TinyGo, src/syscall/js/js.go.)

const NAN = 0x7ff80000;
const [OBJECT, STRING, SYMBOL, FUNCTION] = [1, 2, 3, 4];
const TYPES = { string: STRING, symbol: SYMBOL, function: FUNCTION };

const decoder = new TextDecoder();
const encoder = new TextEncoder();
const half = new DataView(new ArrayBuffer(8)); // for splitting a reference into halves and joining halves

export class Go {
  #exports;
  #memory; // view of the program's memory; shares a buffer with #bytes
  #bytes = new Uint8Array(0);
  #values; // the values by id
  #counts = []; // how many references the program holds, by id
  #ids = new Map();
  #free = [];
  #line = ""; // the last line of output, not finished

  // context becomes the program's global variable context.
  constructor(context) {
    this.#values = [NaN, 0, null, true, false, globals(context), this];
    this.imports = { gojs: this.#gojs(), wasi_snapshot_preview1: this.#wasi() };
  }

  // run starts the program in an instance with the imports. resume and schedule are functions that
  // call the instance's exports resume and go_scheduler.
  run(exports, resume, schedule) {
    this.#exports = exports;
    this.resume = resume;
    this.schedule = schedule;
    exports._start();
  }

  // _makeFuncWrapper and _pendingEvent are used by syscall/js to make functions.
  _makeFuncWrapper(id) {
    const go = this;
    return function (...args) {
      const event = { id, this: this, args };
      go._pendingEvent = event;
      go.resume();
      return event.result;
    };
  }

  // #view returns a view of the memory. When the memory grows, the old view is detached, and its
  // length becomes 0.
  #view() {
    if (this.#bytes.length === 0) {
      this.#memory = new DataView(this.#exports.memory.buffer);
      this.#bytes = new Uint8Array(this.#exports.memory.buffer);
    }
    return this.#memory;
  }

  #slice(at, length) {
    this.#view();
    return this.#bytes.subarray(at, at + length);
  }

  #string(at, length) {
    at >>>= 0;
    this.#view();
    if (length > 64) return decoder.decode(this.#bytes.subarray(at, at + length));
    let text = "";
    for (let i = at; i < at + length; i++) {
      const c = this.#bytes[i];
      if (c > 127) return decoder.decode(this.#bytes.subarray(at, at + length));
      text += String.fromCharCode(c);
    }
    return text;
  }

  // #value returns the value of a reference.
  #value(ref) {
    half.setBigInt64(0, ref, true);
    return this.#load(half, 0);
  }

  #load(view, at) {
    if ((view.getUint32(at + 4, true) & NAN) === NAN) return this.#values[view.getUint32(at, true)];
    const number = view.getFloat64(at, true);
    return number === 0 ? undefined : number;
  }

  // #ref returns a reference to a value and counts the program as a holder of the value.
  #ref(value) {
    this.#store(half, 0, value);
    return half.getBigInt64(0, true);
  }

  #store(view, at, value) {
    if (typeof value === "number" && value !== 0 && value === value) return view.setFloat64(at, value, true);
    let id, type;
    if (value === undefined) [id, type] = [0, -NAN];
    else if (value !== value) [id, type] = [0, 0];
    else if (value === 0) [id, type] = [1, 0];
    else if (value === null) [id, type] = [2, 0];
    else if (value === true) [id, type] = [3, 0];
    else if (value === false) [id, type] = [4, 0];
    else [id, type] = [this.#hold(value), TYPES[typeof value] ?? OBJECT];
    view.setUint32(at, id, true);
    view.setUint32(at + 4, NAN + type, true);
  }

  #hold(value) {
    let id = this.#ids.get(value);
    if (id === undefined) {
      id = this.#free.pop() ?? this.#values.length;
      this.#values[id] = value;
      this.#counts[id] = 0;
      this.#ids.set(value, id);
    }
    this.#counts[id]++;
    return id;
  }

  #release(ref) {
    half.setBigInt64(0, ref, true);
    const id = half.getUint32(0, true);
    if (--this.#counts[id] > 0) return;
    this.#ids.delete(this.#values[id]);
    this.#values[id] = null;
    this.#free.push(id);
  }

  #arguments(at, length) {
    const values = new Array(length);
    for (let i = 0; i < length; i++) values[i] = this.#load(this.#view(), at + 8 * i);
    return values;
  }

  // #outcome stores a call's result or exception, and a flag that tells them apart.
  #outcome(at, call) {
    let value;
    let ok = 1;
    try {
      value = call();
    } catch (error) {
      value = error;
      ok = 0;
    }
    this.#store(this.#view(), at, value);
    this.#view().setUint8(at + 8, ok);
  }

  // #copied copies as much as fits, and stores the number of bytes and a 1 for success.
  #copied(at, from, to) {
    const part = from.subarray(0, to.length);
    to.set(part);
    this.#view().setUint32(at, part.length, true);
    this.#view().setUint8(at + 4, 1);
  }

  #gojs() {
    return {
      "runtime.ticks": () => BigInt(Date.now()) * 1000000n,
      "runtime.sleepTicks": (nanoseconds) => setTimeout(() => this.schedule(), Number(nanoseconds) / 1e6),
      "syscall/js.finalizeRef": (ref) => this.#release(ref),
      "syscall/js.stringVal": (at, length) => this.#ref(this.#string(at, length)),
      "syscall/js.valueGet": (ref, at, length) => this.#ref(this.#value(ref)[this.#string(at, length)]),
      "syscall/js.valueSet": (ref, at, length, x) => {
        this.#value(ref)[this.#string(at, length)] = this.#value(x);
      },
      "syscall/js.valueDelete": (ref, at, length) => {
        delete this.#value(ref)[this.#string(at, length)];
      },
      "syscall/js.valueIndex": (ref, i) => this.#ref(this.#value(ref)[i]),
      "syscall/js.valueSetIndex": (ref, i, x) => {
        this.#value(ref)[i] = this.#value(x);
      },
      "syscall/js.valueCall": (at, ref, name, length, args, n) => {
        const value = this.#value(ref);
        this.#outcome(at, () =>
          Reflect.apply(value[this.#string(name, length)], value, this.#arguments(args, n)),
        );
      },
      "syscall/js.valueInvoke": (at, ref, args, n) => {
        this.#outcome(at, () => Reflect.apply(this.#value(ref), undefined, this.#arguments(args, n)));
      },
      "syscall/js.valueNew": (at, ref, args, n) => {
        this.#outcome(at, () => Reflect.construct(this.#value(ref), this.#arguments(args, n)));
      },
      "syscall/js.valueLength": (ref) => this.#value(ref).length,
      "syscall/js.valuePrepareString": (at, ref) => {
        const text = encoder.encode(String(this.#value(ref)));
        this.#store(this.#view(), at, text);
        this.#view().setInt32(at + 8, text.length, true);
      },
      "syscall/js.valueLoadString": (ref, at, length) => this.#slice(at, length).set(this.#value(ref)),
      "syscall/js.valueInstanceOf": (ref, type) => this.#value(ref) instanceof this.#value(type),
      "syscall/js.copyBytesToGo": (at, to, length, _, ref) =>
        this.#copied(at, this.#value(ref), this.#slice(to, length)),
      "syscall/js.copyBytesToJS": (at, ref, from, length) =>
        this.#copied(at, this.#slice(from, length), this.#value(ref)),
    };
  }

  #wasi() {
    return {
      fd_write: (_, vectors, n, written) => {
        let size = 0;
        for (let i = 0; i < n; i++) {
          const [at, length] = [
            this.#view().getUint32(vectors + 8 * i, true),
            this.#view().getUint32(vectors + 8 * i + 4, true),
          ];
          this.#line += decoder.decode(this.#slice(at, length));
          size += length;
        }
        const lines = this.#line.split("\n");
        this.#line = lines.pop();
        for (const line of lines) console.log(line);
        this.#view().setUint32(written, size, true);
        return 0;
      },
      fd_close: () => 0,
      fd_fdstat_get: () => 0,
      fd_seek: () => 0,
      proc_exit: (code) => {
        throw new Error(`the program is over, with status ${code}`);
      },
      random_get: (at, length) => {
        crypto.getRandomValues(this.#slice(at, length));
        return 0;
      },
    };
  }
}

// globals returns the program's global object: the real one with context added.
const globals = (context) =>
  new Proxy(globalThis, { get: (target, name) => (name === "context" ? context : target[name]) });
