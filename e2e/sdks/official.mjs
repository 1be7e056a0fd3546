// The vendors' own SDKs for JavaScript, with a loop around them that runs the tools.
import { talker } from "../lib/turns.mjs";

// asking has each protocol's options for the instructions, for reasoning and for an object as the
// answer.
const asking = {
  anthropic: ({ model, system, schema }) => ({
    model,
    system,
    max_tokens: 4096,
    thinking: { type: "adaptive", display: "summarized" },
    ...(schema && { output_config: { format: { type: "json_schema", schema } } }),
  }),
  chat: ({ model, effort, schema }) => ({
    model,
    reasoning_effort: effort,
    ...(schema && {
      response_format: { type: "json_schema", json_schema: { name: "weather", strict: true, schema } },
    }),
  }),
  responses: ({ model, system, schema }) => ({
    model,
    instructions: system,
    reasoning: { effort: "high", summary: "auto" },
    include: ["reasoning.encrypted_content"],
    ...(schema && { text: { format: { type: "json_schema", name: "weather", strict: true, schema } } }),
  }),
  interactions: ({ system, schema }) => ({
    system_instruction: system,
    generation_config: { thinking_summaries: "auto" },
    ...(schema && { response_format: { type: "text", mime_type: "application/json", schema } }),
  }),
  gemini: ({ system, schema }) => ({
    systemInstruction: system,
    thinkingConfig: { includeThoughts: true },
    ...(schema && { responseMimeType: "application/json", responseJsonSchema: schema }),
  }),
};

// thoughtsOf returns the reasoning in an element of the history. OpenAI's helper for streams of Chat
// Completions retains only the last piece of it.
const thoughtsOf = ({ content, summary, parts }) =>
  [
    ...(Array.isArray(content) ? content.map(({ thinking }) => thinking) : []),
    ...(summary ?? []).map(({ text }) => text),
    ...(parts ?? []).map(({ text, thought }) => thought && text),
  ].join("");

export const run = (protocol) => async (job) => {
  const talk = talker(protocol, job.url, {
    stream: job.stream,
    tools: job.tools,
    more: asking[protocol](job),
  });
  if (protocol === "chat") talk.history.push({ role: "system", content: job.system });
  const outcome = { texts: [] };
  for (const question of job.questions) {
    let turn = await talk.say(question);
    while (turn.calls.length > 0) {
      const ran = turn.calls.map(async ({ id, name, input }) => ({
        id,
        text: await job.tools.find((tool) => tool.name === name).run(input),
      }));
      turn = await talk.answer(await Promise.all(ran));
    }
    outcome.texts.push(turn.text);
  }
  outcome.thoughts = talk.history.map(thoughtsOf).join("");
  if (job.schema) outcome.object = JSON.parse(outcome.texts.at(-1));
  return outcome;
};
