// LangGraph with the models of LangChain.
import { ChatAnthropic } from "@langchain/anthropic";
import { tool } from "@langchain/core/tools";
import { ChatGoogleGenerativeAI } from "@langchain/google-genai";
import { createReactAgent } from "@langchain/langgraph/prebuilt";
import { ChatOpenAI } from "@langchain/openai";

const models = {
  anthropic: ({ url, apiKey, model }) =>
    new ChatAnthropic({
      model,
      apiKey,
      anthropicApiUrl: url,
      maxRetries: 0,
      maxTokens: 4096,
      thinking: { type: "adaptive", display: "summarized" },
    }),
  chat: ({ url, apiKey, model, effort }) =>
    new ChatOpenAI({
      model,
      apiKey,
      configuration: { baseURL: `${url}/v1` },
      maxRetries: 0,
      useResponsesApi: false,
      ...(effort && { reasoning: { effort } }),
    }),
  responses: ({ url, apiKey, model }) =>
    new ChatOpenAI({
      model,
      apiKey,
      configuration: { baseURL: `${url}/v1` },
      maxRetries: 0,
      useResponsesApi: true,
      zdrEnabled: true,
      reasoning: { effort: "high", summary: "auto" },
    }),
  gemini: ({ url, apiKey, model }) =>
    new ChatGoogleGenerativeAI({
      model,
      apiKey,
      baseUrl: url,
      maxRetries: 0,
      thinkingConfig: { includeThoughts: true },
    }),
};

export const run = (protocol) => async (job) => {
  const llm = models[protocol](job);
  const agent = createReactAgent({
    llm,
    prompt: job.system,
    tools: job.tools.map(({ name, description, schema, run }) => tool(run, { name, description, schema })),
  });
  const outcome = { texts: [], thoughts: "" };
  let messages = [];
  for (const content of job.questions) {
    const input = { messages: [...messages, { role: "user", content }] };
    if (job.stream) {
      for await (const [mode, chunk] of await agent.stream(input, { streamMode: ["messages", "values"] }))
        if (mode === "values") messages = chunk.messages;
    } else {
      ({ messages } = await agent.invoke(input));
    }
    outcome.texts.push(messages.at(-1).text);
  }
  for (const message of messages)
    for (const block of message.contentBlocks ?? [])
      if (block.type === "reasoning") outcome.thoughts += block.reasoning;
  if (job.schema)
    outcome.object = await llm
      .withStructuredOutput(job.schema, { name: "weather", method: "jsonSchema" })
      .invoke("As an object, please.");
  return outcome;
};
