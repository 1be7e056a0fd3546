// Genkit with its plugins for each protocol.
import { anthropic } from "@genkit-ai/anthropic";
import { openAICompatible } from "@genkit-ai/compat-oai";
import { googleAI } from "@genkit-ai/google-genai";
import { genkit } from "genkit";

// plugins has a function per protocol. The function returns a plugin, a model, and the options for
// requesting reasoning.
const plugins = {
  anthropic: ({ url, apiKey, model, display = "summarized" }) => {
    process.env.ANTHROPIC_BASE_URL = url; // the plugin has no option for a URL
    return {
      plugin: anthropic({ apiKey }),
      model: anthropic.model(model),
      config: { thinking: { adaptive: true, display } },
    };
  },
  chat: ({ url, apiKey, model, effort }) => ({
    plugin: openAICompatible({ name: "edgelingua", baseURL: `${url}/v1`, apiKey }),
    model: `edgelingua/${model}`,
    config: { reasoning_effort: effort },
  }),
  gemini: ({ url, apiKey, model }) => ({
    plugin: googleAI({ baseUrl: url, apiKey }),
    model: googleAI.model(model),
    config: { thinkingConfig: { includeThoughts: true } },
  }),
};

export const run = (protocol) => async (job) => {
  const { plugin, model, config } = plugins[protocol](job);
  const ai = genkit({ plugins: [plugin] });
  const tools = job.tools.map(({ name, description, schema, run }) =>
    ai.defineTool({ name, description, inputJsonSchema: schema }, async (input) => run(input)),
  );
  const outcome = { texts: [], thoughts: "" };
  let messages = [];
  for (const prompt of job.questions) {
    const request = {
      model,
      config,
      ...(messages.length === 0 && { system: job.system }),
      messages,
      prompt,
      tools,
      maxTurns: 8,
      ...(job.schema && { output: { jsonSchema: job.schema } }),
    };
    let answer;
    if (job.stream) {
      const { stream, response } = ai.generateStream(request);
      for await (const chunk of stream);
      answer = await response;
    } else {
      answer = await ai.generate(request);
    }
    outcome.texts.push(answer.text);
    outcome.thoughts += answer.messages
      .flatMap(({ content }) => content.map(({ reasoning }) => reasoning ?? ""))
      .join("");
    if (job.schema) outcome.object = answer.output;
    messages = answer.messages;
  }
  return outcome;
};
