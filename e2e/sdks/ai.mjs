// The AI SDK 7 with the providers of each protocol.
import { createAnthropic } from "@ai-sdk/anthropic";
import { createGoogleGenerativeAI } from "@ai-sdk/google";
import { createOpenAI } from "@ai-sdk/openai";
import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { generateText, jsonSchema, Output, stepCountIs, streamText, tool } from "ai";

// warnings about settings that the SDK does not send for an unknown model
globalThis.AI_SDK_LOG_WARNINGS = false;

// models has a function per provider, which returns a model and the options that ask for reasoning.
export const models = {
  anthropic: ({ url, apiKey, model }) => ({
    model: createAnthropic({ baseURL: `${url}/v1`, apiKey })(model),
    providerOptions: { anthropic: { thinking: { type: "adaptive", display: "summarized" } } },
  }),
  chat: ({ url, apiKey, model, effort }) => ({
    model: createOpenAI({ baseURL: `${url}/v1`, apiKey }).chat(model),
    providerOptions: { openai: { reasoningEffort: effort } },
  }),
  compatible: ({ url, apiKey, model, effort }) => ({
    model: createOpenAICompatible({
      name: "edgelingua",
      baseURL: `${url}/v1`,
      apiKey,
      includeUsage: true,
      supportsStructuredOutputs: true,
    })(model),
    providerOptions: { edgelingua: { reasoningEffort: effort } },
  }),
  responses: ({ url, apiKey, model }) => ({
    model: createOpenAI({ baseURL: `${url}/v1`, apiKey }).responses(model),
    providerOptions: { openai: { reasoningEffort: "high", reasoningSummary: "auto", store: false } },
  }),
  gemini: ({ url, apiKey, model }) => ({
    model: createGoogleGenerativeAI({ baseURL: `${url}/v1beta`, apiKey })(model),
    providerOptions: { google: { thinkingConfig: { includeThoughts: true } } },
  }),
};

export const run = (provider) => async (job) => {
  const request = {
    ...models[provider](job),
    messages: [],
    system: job.system,
    tools: Object.fromEntries(
      job.tools.map(({ name, description, schema, run }) => [
        name,
        tool({ description, inputSchema: jsonSchema(schema), execute: run }),
      ]),
    ),
    stopWhen: stepCountIs(8),
    maxRetries: 0,
    ...(job.schema && { output: Output.object({ schema: jsonSchema(job.schema) }) }),
  };
  const outcome = { texts: [], thoughts: "" };
  for (const content of job.questions) {
    request.messages.push({ role: "user", content });
    let failed;
    const answer = job.stream
      ? streamText({ ...request, onError: ({ error }) => void (failed ??= error) })
      : await generateText(request);
    if (job.stream) {
      for await (const part of answer.fullStream) if (part.type === "error") failed ??= part.error;
      if (failed) throw failed;
    }
    outcome.texts.push(await answer.text);
    for (const step of await answer.steps) outcome.thoughts += step.reasoningText ?? "";
    if (job.schema) outcome.object = await (answer.output ?? answer.experimental_output);
    request.messages.push(...(await answer.responseMessages));
  }
  return outcome;
};
