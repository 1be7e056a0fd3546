// How the pump reads a fast stream: it waits some milliseconds, during which nothing wakes the
// process, and then reads everything that has arrived.

const SLOW = 50; // ms between chunks: at 20 chunks a second or fewer no chunk waits
const SHORT = 1; // ms for which the pump waits for chunks that may already be available
const MANY = 8; // chunks within SHORT: more may be available
const MOST = 16 << 10; // bytes of a batch

const TIMERS = {
  now: () => Date.now(),
  after: (ms, then) => setTimeout(then, ms),
  drop: (timer) => clearTimeout(timer),
};

// Batches reads chunks of bytes from a ReadableStreamDefaultReader, and joins chunks of a fast
// stream. window is how long a chunk may wait, in ms. Together with SHORT, no chunk waits for twice
// the window.
export class Batches {
  #reader;
  #window;
  #timers;
  #room = new Uint8Array(MOST);
  #fast = false; // the next read waits for a window and returns a batch
  #full = false; // more has arrived than the last read returned, so the next read does not wait
  #last = -Infinity; // when the last chunk came

  #asked = false; // a read of the reader is pending
  #kept; // the reader's result, not yet returned by read
  #wake; // receives the reader's result, if read waits for one; else undefined

  // The current batch.
  #deliver; // resolves the promise of the batch; undefined without a batch
  #size;
  #count;
  #timer;
  #counted; // #count at the start of the timer
  #slices; // how often the timer was restarted

  constructor(reader, window, timers = TIMERS) {
    this.#reader = reader;
    this.#window = window;
    this.#timers = timers;
  }

  // hurry stops batching: from now on each chunk is read at once.
  hurry() {
    this.#window = 0;
  }

  // read resolves like the reader's read, with a value of one or several chunks. The value is valid
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

  // #came passes on the reader's result: to the waiting read, to the current batch, or to the next
  // read.
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

  // #alone returns a chunk unbatched, and decides whether the stream is fast.
  #alone(chunk) {
    const now = this.#timers.now();
    this.#fast = now - this.#last < Math.min(this.#window, SLOW);
    this.#full = chunk.value.length > MOST;
    this.#last = now;
    return chunk;
  }

  // #gather resolves with a batch of a chunk and the available chunks after it.
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
