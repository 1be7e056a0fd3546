// The golden corpus through the library for JavaScript, in any runtime: the module uses nothing of
// Node.

const SIZES = [1, 2, 3, 5, 8, 13, 89, 610]; // sizes of the chunks of an upstream's stream
const decoder = new TextDecoder("utf-8", { ignoreBOM: true });

const bytes = (base64) => Uint8Array.from(atob(base64 ?? ""), (c) => c.charCodeAt(0));
const text = (base64) => decoder.decode(bytes(base64));
const parsed = (json) => json && JSON.parse(json);

// timeless returns a body with the corpus's time instead of times since began, the start of the run
// in seconds.
const timeless = (body, began) => {
  const now = (seconds) => began <= seconds && seconds <= Date.now() / 1000;
  return body
    .replace(/(?<!\d)\d{10}(?!\d)/g, (n) => (now(n) ? "1700000000" : n))
    .replace(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ/g, (date) =>
      now(Date.parse(date) / 1000) ? "2023-11-14T22:13:20Z" : date,
    );
};

// streamOf returns a body as a stream of small chunks.
function streamOf(body) {
  let [at, i] = [0, 0];
  return new ReadableStream({
    pull(controller) {
      if (at === body.length) return controller.close();
      const chunk = body.slice(at, at + SIZES[i++ % SIZES.length]);
      at += chunk.length;
      controller.enqueue(chunk);
    },
  });
}

// answered translates the upstream's answer, and returns the client's answer.
async function answered(exchange, { streamed, answer }) {
  const body = bytes(answer.body);
  if (answer.status >= 300) throw exchange.error(answer.status, body);
  if (!(streamed && answer.sse)) return exchange.body(body);
  let got = "";
  const all = new TextDecoder("utf-8", { ignoreBOM: true });
  const reader = streamOf(body).pipeThrough(exchange.stream()).getReader();
  for (let part = await reader.read(); !part.done; part = await reader.read())
    got += all.decode(part.value, { stream: true });
  return got;
}

// resultOf runs an exchange of wasmtest/corpus, and returns the result in the form of the
// exchange's member want.
async function resultOf(load, began, { settings, client, upstream, streamed, path, request, answer }) {
  const { UPSTREAM_URL, MODELS, OPTIONS, UPSTREAM_OPTIONS } = settings;
  const of = {
    client,
    upstream,
    url: UPSTREAM_URL,
    models: parsed(MODELS),
    options: parsed(OPTIONS),
    upstreamOptions: parsed(UPSTREAM_OPTIONS),
  };
  const got = { url: "", request: "", status: 200, lost: [], body: "" };
  try {
    const call = await (await load()).request(of, path, bytes(request));
    Object.assign(got, { url: call.url, request: call.body, lost: call.lost });
    got.body = await answered(call.exchange, { streamed, answer });
    if (!(streamed && answer.sse)) got.lost = call.exchange.lost;
  } catch (error) {
    if (error.name !== "TranslationError") throw error;
    got.status = error.status;
    got.body = error.body;
  }
  return { ...got, lost: got.lost.join(","), body: timeless(got.body, began) };
}

// check runs exchanges, one per line, and returns the number of exchanges and the first
// differences.
export async function check(load, lines) {
  const exchanges = lines
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line));
  const began = Math.floor(Date.now() / 1000); // not at the top level: a Worker has no clock there
  const differ = [];
  for (const x of exchanges) {
    const want = {
      url: x.want.url,
      request: text(x.want.request),
      status: x.want.status,
      lost: x.want.lost,
      body: text(x.want.body),
    };
    const got = await resultOf(load, began, x);
    if (JSON.stringify(got) !== JSON.stringify(want))
      differ.push({
        scenario: `${x.scenario}: ${x.client} to ${x.upstream}, ${x.streamed ? "streamed" : "plain"}`,
        got,
        want,
      });
  }
  return { checked: exchanges.length, differing: differ.length, differ: differ.slice(0, 3) };
}
