// Server-sent events as they come.

// Reader cuts a stream into events, however its chunks are cut.
export class Reader {
  #decoder = new TextDecoder();
  #rest = "";

  // push takes a chunk and returns the events that it completes: { event, data }.
  push(chunk) {
    this.#rest += this.#decoder.decode(chunk, { stream: true });
    const parts = this.#rest.split(/\r\n\r\n|\n\n|\r\r/);
    this.#rest = parts.pop();
    return parts.map(read).filter(({ data }) => data !== "");
  }
}

function read(text) {
  let event = "";
  const data = [];
  for (const line of text.split(/\r\n|\n|\r/)) {
    const at = line.indexOf(":");
    const value = line.slice(at + 1).replace(/^ /, "");
    if (line.startsWith("event:")) event = value;
    else if (line.startsWith("data:")) data.push(value);
  }
  return { event, data: data.join("\n") };
}
