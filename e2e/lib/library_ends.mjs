// The ends of streams of the library for JavaScript, in any runtime: the module uses nothing of
// Node.

const settings = { client: "anthropic", upstream: "chat", url: "https://upstream.example/v1" };
const question = JSON.stringify({
  model: "m",
  max_tokens: 9,
  top_k: 5,
  stream: true,
  messages: [{ role: "user", content: "Hi" }],
});
const same = JSON.stringify({ model: "m", stream: true, messages: [{ role: "user", content: "Hi" }] });
const encoder = new TextEncoder();
const event = (value) => encoder.encode(`data: ${JSON.stringify(value)}\n\n`);
const said = event({ choices: [{ delta: { content: "x" } }] });
const stopped = event({
  choices: [{ delta: {}, finish_reason: "stop" }],
  usage: { prompt_tokens: 3, completion_tokens: 4 },
});
const done = encoder.encode("data: [DONE]\n\n");

// open returns an exchange, the upstream's controller, a promise of the upstream's cancellation,
// and a reader of the client's stream.
async function open(load, more = {}, body = question) {
  const { exchange } = await (await load()).request({ ...settings, ...more }, "/v1/messages", body);
  const up = { exchange };
  up.cancelled = new Promise((resolve) => {
    const stream = new ReadableStream({
      start: (controller) => (up.controller = controller),
      cancel: () => resolve("the upstream is cancelled"),
    });
    up.reader = stream.pipeThrough(exchange.stream()).getReader();
  });
  return up;
}

// rest returns the name of a stream's last event and the kind of the stream's end.
async function rest(reader) {
  const decoder = new TextDecoder();
  let text = "";
  for (let part = await reader.read(); !part.done; part = await reader.read())
    text += decoder.decode(part.value, { stream: true });
  return `${/.*(event: \w+)\n.*\n\n$/s.exec(text)?.[1]}, and the end`;
}

// ends returns the client's result for each kind of end.
export async function ends(load) {
  const cut = await open(load);
  cut.controller.enqueue(said);
  await cut.reader.read();
  cut.controller.error(new Error("reset"));

  const ended = await open(load);
  ended.controller.enqueue(said);
  ended.controller.close();

  const complete = await open(load);
  for (const chunk of [said, stopped, done]) complete.controller.enqueue(chunk);
  const whole = await rest(complete.reader);

  const left = await open(load);
  left.controller.enqueue(said);
  await left.reader.read();
  await left.reader.cancel("gone");

  const passed = await open(load, { client: "chat" }, same);
  passed.controller.enqueue(said);
  await passed.reader.read();
  passed.controller.error(new Error("reset"));

  return {
    cut: await rest(cut.reader),
    ended: await rest(ended.reader),
    complete: `${whole}; ${await complete.cancelled}`,
    left: await left.cancelled,
    passed: await passed.reader.read().then(
      () => "no error",
      (error) => error.message,
    ),
    known: { lost: left.exchange.lost, output: complete.exchange.usage.output },
  };
}
