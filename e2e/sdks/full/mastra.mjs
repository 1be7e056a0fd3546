// Mastra with the models of the AI SDK.
import { Agent } from "@mastra/core/agent";
import { createTool } from "@mastra/core/tools";
import { models } from "../ai.mjs";

export const run = (provider) => async (job) => {
  const { model, providerOptions } = models[provider](job);
  const agent = new Agent({
    id: "weather",
    name: "weather",
    instructions: job.system,
    model,
    tools: Object.fromEntries(
      job.tools.map(({ name, description, schema, run }) => [
        name,
        createTool({ id: name, description, inputSchema: schema, execute: async (input) => run(input) }),
      ]),
    ),
  });
  const outcome = { texts: [], thoughts: "" };
  const messages = [];
  for (const content of job.questions) {
    messages.push({ role: "user", content });
    const options = {
      maxSteps: 8,
      providerOptions,
      modelSettings: { maxRetries: 0 },
      ...(job.schema && { structuredOutput: { schema: job.schema } }),
    };
    const answer = await (job.stream ? agent.stream(messages, options) : agent.generate(messages, options));
    if (job.stream)
      for await (const part of answer.fullStream) if (part.type === "error") throw part.payload.error;
    const steps = await answer.steps;
    outcome.texts.push(steps.at(-1).text); // answer.text has the texts of all steps
    outcome.thoughts += steps.map(({ reasoningText }) => reasoningText ?? "").join("");
    if (job.schema) outcome.object = await answer.object;
    messages.push(...(await answer.response).messages);
  }
  return outcome;
};
