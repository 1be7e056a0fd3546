// A simple translation of Messages to Chat Completions in hand-written JS, for text only: a
// baseline of the benchmark. It checks nothing, has no tools, images, reasoning, errors,
// keep-alives or limits, and does not notice disconnected clients.
const encoder = new TextEncoder();
const frame = (type, value) => `event: ${type}\ndata: ${JSON.stringify({ type, ...value })}\n\n`;
const reasons = { stop: "end_turn", length: "max_tokens" };

export default {
  async fetch(request, env) {
    const asked = await request.json();
    const messages = asked.messages.map(({ role, content }) => ({ role, content }));
    if (asked.system) messages.unshift({ role: "system", content: asked.system });
    const response = await fetch(env.UPSTREAM_URL + "/chat/completions", {
      method: "POST",
      headers: { "content-type": "application/json", authorization: `Bearer ${env.UPSTREAM_KEY}` },
      body: JSON.stringify({
        model: asked.model,
        max_tokens: asked.max_tokens,
        stream: asked.stream,
        messages,
      }),
    });
    if (!asked.stream) return Response.json(messageOf(await response.json()));
    const { readable, writable } = new IdentityTransformStream();
    pump(response.body.getReader(), writable.getWriter());
    return new Response(readable, { headers: { "content-type": "text/event-stream" } });
  },
};

const messageOf = ({ id, model, choices: [{ message, finish_reason }], usage }) => ({
  id,
  type: "message",
  role: "assistant",
  model,
  content: [{ type: "text", text: message.content }],
  stop_reason: reasons[finish_reason],
  stop_sequence: null,
  usage: { input_tokens: usage.prompt_tokens, output_tokens: usage.completion_tokens },
});

async function pump(reader, writer) {
  const decoder = new TextDecoder();
  const state = { begun: false, open: false, reason: null, usage: null };
  let rest = "";
  for (;;) {
    const { done, value } = await reader.read();
    if (done) break;
    rest += decoder.decode(value, { stream: true });
    let out = "";
    for (let end; (end = rest.indexOf("\n\n")) >= 0; rest = rest.slice(end + 2)) {
      const line = rest.slice(0, end);
      if (line.startsWith("data: ")) out += translated(line.slice(6), state);
    }
    if (out !== "") await writer.write(encoder.encode(out));
  }
  await writer.close();
}

function translated(data, state) {
  if (data === "[DONE]") {
    const close = state.open ? frame("content_block_stop", { index: 0 }) : "";
    const delta = {
      delta: { stop_reason: reasons[state.reason], stop_sequence: null },
      usage: { output_tokens: state.usage?.completion_tokens ?? 0 },
    };
    return close + frame("message_delta", delta) + frame("message_stop", {});
  }
  const { id, model, choices, usage } = JSON.parse(data);
  let out = "";
  if (!state.begun) {
    state.begun = true;
    const message = {
      id,
      type: "message",
      role: "assistant",
      model,
      content: [],
      stop_reason: null,
      stop_sequence: null,
      usage: { input_tokens: 0, output_tokens: 0 },
    };
    out += frame("message_start", { message });
  }
  if (usage) state.usage = usage;
  for (const { delta, finish_reason } of choices) {
    if (delta.content) {
      if (!state.open)
        out += frame("content_block_start", { index: 0, content_block: { type: "text", text: "" } });
      state.open = true;
      out += frame("content_block_delta", { index: 0, delta: { type: "text_delta", text: delta.content } });
    }
    state.reason = finish_reason ?? state.reason;
  }
  return out;
}
