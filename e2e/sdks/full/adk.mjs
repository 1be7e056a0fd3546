// Google's Agent Development Kit.
import { FunctionTool, Gemini, InMemoryRunner, LlmAgent, StreamingMode } from "@google/adk";

// With Interactions the class has no option for thoughts, and its history has no texts of thoughts.
export const run = (provider) => async (job) => {
  const useInteractionsApi = provider === "interactions";
  process.env.GOOGLE_GEMINI_BASE_URL = job.url; // the class has no option for a URL
  const model = new Gemini({ model: job.model, apiKey: job.apiKey, useInteractionsApi });
  model.apiClient; // reads the variable
  const agent = new LlmAgent({
    name: "weather",
    instruction: job.system,
    model,
    generateContentConfig: { thinkingConfig: { includeThoughts: true } },
    tools: job.tools.map(
      ({ name, description, schema: { additionalProperties, ...parameters }, run }) =>
        new FunctionTool({ name, description, parameters, execute: run }),
    ),
    ...(job.schema && { outputSchema: job.schema }),
  });
  const runner = new InMemoryRunner({ agent, appName: "weather" });
  const { id: sessionId } = await runner.sessionService.createSession({ appName: "weather", userId: "u" });
  const outcome = { texts: [], thoughts: "" };
  for (const text of job.questions) {
    let said = "";
    for await (const event of runner.runAsync({
      userId: "u",
      sessionId,
      newMessage: { role: "user", parts: [{ text }] },
      runConfig: { streamingMode: job.stream ? StreamingMode.SSE : StreamingMode.NONE },
    })) {
      if (event.errorCode) throw new Error(`${event.errorCode}: ${event.errorMessage}`);
      if (event.partial) continue;
      const parts = event.content?.parts ?? [];
      said = parts.map(({ text, thought }) => (thought ? "" : (text ?? ""))).join("") || said;
      outcome.thoughts += parts.map(({ text, thought }) => (thought ? text : "")).join("");
    }
    outcome.texts.push(said);
  }
  if (job.schema) outcome.object = JSON.parse(outcome.texts.at(-1));
  return outcome;
};
