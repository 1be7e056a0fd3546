// How the pump reads a stream that is fast: it lets some milliseconds pass, in which nothing wakes
// the process, and then takes all that has come.

const SLOW = 50; // ms from one chunk to the next: at 20 chunks a second and fewer none waits
const SHORT = 1; // ms for which the pump waits for chunks that may be there already
const MANY = 8; // chunks that came within SHORT: there may be more
const MOST = 16 << 10; // bytes that are taken at once

const TIMERS = {
  now: () => Date.now(),
  after: (ms, then) => setTimeout(then, ms),
  drop: (timer) => clearTimeout(timer),
};

// Batches reads chunks of bytes from a ReadableStreamDefaultReader. window is how long a chunk may
// wait, in ms; with what SHORT adds it never waits for twice as long.
export class Batches {
  #reader;
  #window;
  #timers;
  #room = new Uint8Array(MOST);
  #fast = false; // the next read takes what has come in a window
  #full = false; // more has come than the last read took, so that the next one lets no window pass
  #last = -Infinity; // when the last chunk came

  #asked = false; // the reader has been asked for a chunk
  #kept; // what the reader has answered, and no read has returned
  #wake; // takes the reader's answer; undefined where nothing waits for it

  // Of the chunks that are gathered now.
  #deliver; // ends the gathering; undefined where there is none
  #size;
  #count;
  #timer;
  #counted; // how many they were when the timer began
  #slices; // how often it began

  constructor(reader, window, timers = TIMERS) {
    this.#reader = reader;
    this.#window = window;
    this.#timers = timers;
  }

  // hurry ends the waiting: each chunk that comes now is read at once.
  hurry() {
    this.#window = 0;
  }

  // read resolves as the reader's does, with a value of one chunk or of several. The value is good
  // until the next read.
  async read() {
    if (this.#fast && !this.#full && this.#window > 0)
      await new Promise((resolve) => this.#timers.after(this.#window, resolve));
    const chunk = this.#kept ?? (await this.#answer());
    this.#kept = undefined;
    if (chunk.error) throw chunk.error;
    if (chunk.done) return chunk;
    return this.#fast && this.#window > 0 && chunk.value.length <= MOST
      ? this.#gather(chunk.value)
      : this.#alone(chunk);
  }

  #answer() {
    return new Promise((resolve) => {
      this.#wake = resolve;
      this.#ask();
    });
  }

  #ask() {
    if (this.#asked) return;
    this.#asked = true;
    this.#reader.read().then(this.#came, this.#broke);
  }

  #broke = (error) => this.#came({ done: true, error });

  // #came takes the reader's answer: for the chunks that are gathered, for who waits, or for the
  // next read.
  #came = (chunk) => {
    this.#asked = false;
    if (this.#wake) {
      const wake = this.#wake;
      this.#wake = undefined;
      wake(chunk);
    } else if (this.#deliver && !chunk.done && this.#size + chunk.value.length <= MOST) {
      this.#add(chunk.value);
      this.#ask();
    } else {
      this.#kept = chunk;
      if (this.#deliver) this.#gathered(true);
    }
  };

  // #alone returns a chunk for which nothing has waited, and sees whether the stream is fast.
  #alone(chunk) {
    const now = this.#timers.now();
    this.#fast = now - this.#last < Math.min(this.#window, SLOW);
    this.#full = chunk.value.length > MOST;
    this.#last = now;
    return chunk;
  }

  // #gather resolves with a chunk and all that are there behind it.
  #gather(bytes) {
    this.#size = this.#count = this.#slices = this.#counted = 0;
    this.#add(bytes);
    return new Promise((resolve) => {
      this.#deliver = resolve;
      this.#timer = this.#timers.after(SHORT, this.#late);
      this.#ask();
    });
  }

  #add(bytes) {
    this.#room.set(bytes, this.#size);
    this.#size += bytes.length;
    this.#count++;
  }

  #late = () => {
    const many = this.#count - this.#counted >= MANY;
    if (!many || ++this.#slices >= this.#window) return this.#gathered(many);
    this.#counted = this.#count;
    this.#timer = this.#timers.after(SHORT, this.#late);
  };

  #gathered(full) {
    this.#timers.drop(this.#timer);
    this.#full = full;
    this.#fast = full || this.#count > 1;
    this.#last = this.#timers.now();
    const deliver = this.#deliver;
    this.#deliver = undefined;
    deliver({ done: false, value: this.#room.subarray(0, this.#size) });
  }
}
