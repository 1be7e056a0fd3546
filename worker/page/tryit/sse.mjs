// Reads server-sent events from a stream.

const MOST = 1 << 20; // characters of an event

// Reader splits a stream of chunks into events.
export class Reader {
  #decoder = new TextDecoder();
  #rest = "";
  #seen = 0; // characters of #rest without the end of an event

  // push takes a chunk and returns the events that are complete now, as { event, data }. A note
  // replaces an event of more than MOST characters.
  push(chunk) {
    this.#rest += this.#decoder.decode(chunk, { stream: true });
    const events = [];
    const end = /\r\n\r\n|\n\n|\r\r/g;
    let from = 0;
    end.lastIndex = Math.max(0, this.#seen - 3);
    for (let found = end.exec(this.#rest); found; found = end.exec(this.#rest)) {
      events.push(read(this.#rest.slice(from, found.index)));
      from = end.lastIndex;
    }
    this.#rest = this.#rest.slice(from);
    this.#seen = this.#rest.length;
    if (this.#seen > MOST) {
      events.push({ event: "", data: "an event of more than 1 MB" });
      this.#rest = "";
      this.#seen = 0;
    }
    return events.filter(({ data }) => data !== "");
  }
}

function read(text) {
  let event = "";
  const data = [];
  for (const line of text.split(/\r\n|\n|\r/)) {
    const value = line.slice(line.indexOf(":") + 1).replace(/^ /, "");
    if (line.startsWith("event:")) event = value;
    else if (line.startsWith("data:")) data.push(value);
  }
  return { event, data: data.join("\n") };
}
