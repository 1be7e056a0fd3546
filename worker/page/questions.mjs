// The same question in each protocol, with a tool.

const name = "get_weather";
const description = "The weather in a city now.";
const schema = { type: "object", properties: { city: { type: "string" } }, required: ["city"] };

export const questions = {
  anthropic: (model, text) => ({
    model,
    max_tokens: 1024,
    stream: true,
    tools: [{ name, description, input_schema: schema }],
    messages: [{ role: "user", content: text }],
  }),
  chat: (model, text) => ({
    model,
    stream: true,
    stream_options: { include_usage: true },
    tools: [{ type: "function", function: { name, description, parameters: schema } }],
    messages: [{ role: "user", content: text }],
  }),
  responses: (model, text) => ({
    model,
    stream: true,
    tools: [{ type: "function", name, description, parameters: schema }],
    input: [{ role: "user", content: text }],
  }),
};

// paths are where clients of each protocol send them.
export const paths = { anthropic: "/v1/messages", chat: "/v1/chat/completions", responses: "/v1/responses" };
