// OpenAI's Agents SDK, with Chat Completions and with Responses.
import { Agent, OpenAIChatCompletionsModel, OpenAIResponsesModel, Runner, tool, user } from "@openai/agents";
import OpenAI from "openai";

const models = {
  chat: (client, { model, effort }) => [
    new OpenAIChatCompletionsModel(client, model),
    effort ? { reasoning: { effort } } : {},
  ],
  responses: (client, { model }) => [
    new OpenAIResponsesModel(client, model),
    {
      store: false,
      reasoning: { effort: "high", summary: "auto" },
      providerData: { include: ["reasoning.encrypted_content"] },
    },
  ],
};

export const run = (protocol) => async (job) => {
  const client = new OpenAI({ baseURL: `${job.url}/v1`, apiKey: job.apiKey, maxRetries: 0 });
  const [model, modelSettings] = models[protocol](client, job);
  const agent = new Agent({
    name: "weather",
    instructions: job.system,
    model,
    modelSettings,
    tools: job.tools.map(({ name, description, schema, run }) =>
      tool({ name, description, parameters: schema, strict: true, execute: run }),
    ),
    ...(job.schema && {
      outputType: { type: "json_schema", name: "weather", strict: true, schema: job.schema },
    }),
  });
  const runner = new Runner({ tracingDisabled: true });
  const outcome = { texts: [], thoughts: "" };
  let history = [];
  for (const question of job.questions) {
    const answer = await runner.run(agent, [...history, user(question)], { stream: job.stream, maxTurns: 8 });
    if (job.stream) {
      for await (const event of answer);
      await answer.completed;
    }
    history = answer.history;
    if (job.schema) outcome.object = answer.finalOutput;
    else outcome.texts.push(answer.finalOutput);
    for (const { type, content, rawContent } of history)
      if (type === "reasoning")
        outcome.thoughts += [...(content ?? []), ...(rawContent ?? [])].map(({ text }) => text).join("");
  }
  return outcome;
};
