// The strict upstreams of lib/strict are tested themselves: a good request of each protocol passes; with one thing changed it is
// refused.
import * as chat from "../lib/strict/chat.mjs";
import * as messages from "../lib/strict/messages.mjs";
import * as responses from "../lib/strict/responses.mjs";
import { rules } from "../lib/strict/rules.mjs";
import { Issued } from "../lib/strict/vendor.mjs";

const schema = { type: "object", properties: { city: { type: "string" } }, required: ["city"], additionalProperties: false };
const nullSchema = { type: "object", properties: { city: { type: "string" } } };
const union = { ...schema, anyOf: [{}] };
const png = "iVBORw0KGgo=";

const issued = new Issued();
issued.note({ reasoning: [{ text: "thought", blob: "sig1" }, { blob: "data1", redacted: true }], calls: [{ id: "toolu_1" }] });

rules(
  "anthropic",
  messages,
  issued,
  () => ({
    model: "m",
    max_tokens: 4096,
    thinking: { type: "enabled", budget_tokens: 1024 },
    system: [{ type: "text", text: "Be brief.", cache_control: { type: "ephemeral" } }],
    messages: [
      { role: "user", content: [{ type: "text", text: "hi" }, { type: "image", source: { type: "base64", media_type: "image/png", data: png } }] },
      {
        role: "assistant",
        content: [
          { type: "thinking", thinking: "thought", signature: "sig1" },
          { type: "redacted_thinking", data: "data1" },
          { type: "text", text: "Let me see." },
          { type: "tool_use", id: "toolu_1", name: "get", input: {} },
          { type: "tool_use", id: "toolu_2", name: "get", input: {} },
        ],
      },
      {
        role: "user",
        content: [
          { type: "tool_result", tool_use_id: "toolu_2", content: "two" },
          { type: "tool_result", tool_use_id: "toolu_1", content: [{ type: "text", text: "one" }] },
          { type: "text", text: "And?" },
        ],
      },
    ],
    tools: [{ name: "get", input_schema: schema }],
    tool_choice: { type: "auto" },
  }),
  [
    ["an unknown field", (r) => (r.store = false), /store: unknown field/],
    ["an unknown field of a block", (r) => (r.messages[1].content[2].id = "x"), /content\[2\]\.id: unknown field/],
    ["no max_tokens", (r) => delete r.max_tokens, /max_tokens: required/],
    ["max_tokens as a string", (r) => (r.max_tokens = "4096"), /max_tokens: must be number/],
    ["max_tokens of zero", (r) => (r.max_tokens = 0), /max_tokens: must be from 1/],
    ["half a token", (r) => (r.max_tokens = 2000.5), /must be an integer/],
    ["no messages", (r) => (r.messages = []), /at least 1/],
    ["role system", (r) => r.messages.push({ role: "system", content: "x" }), /messages\[3\]\.role: Input should be 'user' or 'assistant'/],
    ["role tool", (r) => (r.messages[2].role = "tool"), /role: unknown value "tool"/],
    ["the assistant first", (r) => r.messages.shift(), /the first message must be the user's/],
    ["an empty text", (r) => (r.messages[0].content[0].text = ""), /must not be empty/],
    ["a text of white space", (r) => (r.messages[0].content[0].text = " \n"), /must not be empty/],
    ["an empty text in a result", (r) => (r.messages[2].content[1].content[0].text = ""), /must not be empty/],
    ["an empty message", (r) => (r.messages[0].content = ""), /must not be empty/],
    ["a message without blocks", (r) => (r.messages[0].content = []), /at least 1/],
    ["an unknown block", (r) => (r.messages[0].content[0].type = "input_text"), /unknown value "input_text"/],
    ["a bad media type", (r) => (r.messages[0].content[1].source.media_type = "image/bmp"), /media_type: must be one of/],
    ["an image that is no base64", (r) => (r.messages[0].content[1].source.data = "data:image/png;base64,AAAA"), /must match/],
    ["an URL without a scheme", (r) => (r.messages[0].content[1].source = { type: "url", url: "x.png" }), /must match/],
    ["a bad id", (r) => (r.messages[1].content[3].id = "call.1"), /must match/],
    ["a bad name", (r) => (r.messages[1].content[3].name = "a.b"), /must match/],
    ["a long name", (r) => (r.tools[0].name = "x".repeat(129)), /must match/],
    ["an input that is a string", (r) => (r.messages[1].content[3].input = "{}"), /must be object/],
    ["an id twice", (r) => (r.messages[1].content[4].id = "toolu_1"), /ids must be unique/],
    ["a result twice", (r) => (r.messages[2].content[0].tool_use_id = "toolu_1"), /single result/],
    ["a call without a result", (r) => r.messages[2].content.shift(), /without `tool_result` blocks immediately after: toolu_2/],
    ["calls at the end", (r) => r.messages.pop(), /without `tool_result`/],
    ["a result without a call", (r) => r.messages[1].content.pop(), /unexpected `tool_use_id`/],
    ["a text in front of results", (r) => r.messages[2].content.unshift(r.messages[2].content.pop()), /must come first/],
    ["calls without tools", (r) => (delete r.tools, delete r.tool_choice), /must define tools/],
    ["a tool twice", (r) => r.tools.push(r.tools[0]), /tool names must be unique/],
    ["a tool without a schema", (r) => delete r.tools[0].input_schema, /input_schema: required/],
    ["a schema without a type", (r) => (r.tools[0].input_schema = {}), /must be 'object'/],
    ["a union at a schema's root", (r) => (r.tools[0].input_schema = union), /does not support anyOf/],
    ["a choice without tools", (r) => ((r.messages.length = 1), (r.tools = [])), /while providing tools/],
    ["a choice of an unknown tool", (r) => (r.tool_choice = { type: "tool", name: "other" }), /'other' not found/],
    ["a forced tool with thinking", (r) => (r.tool_choice = { type: "any" }), /forces tool use/],
    ["a temperature with thinking", (r) => (r.temperature = 0.5), /temperature/],
    ["top_k with thinking", (r) => (r.top_k = 5), /top_k/],
    ["top_p with thinking", (r) => (r.top_p = 0.5), /top_p/],
    ["a temperature over 1", (r) => (r.temperature = 1.5), /from 0 to 1/],
    ["a budget over the limit", (r) => (r.thinking.budget_tokens = 4096), /must be greater than/],
    ["a budget that is too small", (r) => (r.thinking.budget_tokens = 500), /from 1024/],
    ["a begun answer with thinking", (r) => r.messages.push({ role: "assistant", content: "So" }), /beginning of the answer/],
    ["an end in white space", (r) => (delete r.thinking, r.messages.push({ role: "assistant", content: "So " })), /trailing whitespace/],
    ["a foreign signature", (r) => (r.messages[1].content[0].signature = "gAAA"), /Invalid `signature`/],
    ["a changed thought", (r) => (r.messages[1].content[0].thinking += "."), /Invalid `signature`/],
    ["no signature", (r) => (r.messages[1].content[0].signature = ""), /must not be empty/],
    ["foreign redacted thinking", (r) => (r.messages[1].content[1].data = "gAAA"), /Invalid `data`/],
    ["a block of thinking less", (r) => r.messages[1].content.splice(1, 1), /must remain as they were/],
    ["no thinking in front of a call", (r) => (r.messages[1].content.splice(0, 4), r.messages[2].content.splice(1, 1)), /Expected `thinking`/],
    ["five cache_control", (r) => r.messages[2].content.forEach((b) => (b.cache_control = r.messages[0].content[0].cache_control = r.messages[0].content[1].cache_control = { type: "ephemeral" })), /maximum of 4/],
    ["a bad cache_control", (r) => (r.system[0].cache_control.type = "forever"), /must be one of ephemeral/],
    ["cache_control on thinking", (r) => (r.messages[1].content[0].cache_control = { type: "ephemeral" }), /unknown field/],
    ["a tuple of an older draft", (r) => (r.tools[0].input_schema = { ...schema, properties: { city: { type: "array", items: [{}] } } }), /draft 2020-12/],
    ["a bound in the schema of the answer", (r) => (r.output_config = { format: { type: "json_schema", schema: { ...schema, properties: { city: { type: "integer", minimum: 1 } } } } }), /'minimum' is not permitted/],
    ["an open schema of the answer", (r) => (r.output_config = { format: { type: "json_schema", schema: nullSchema } }), /additionalProperties/],
    ["an unknown effort", (r) => (r.output_config = { effort: "minimal" }), /effort: must be one of/],
    ["an empty stop sequence", (r) => (r.stop_sequences = [" "]), /must not be empty/],
    ["a long user_id", (r) => (r.metadata = { user_id: "x".repeat(257) }), /too long/],
    ["parallel_tool_calls", (r) => (r.parallel_tool_calls = false), /unknown field/],
    ["a thread", (r) => (r.thread = { type: "create" }), /threads are not supported/],
    ["adaptive thinking of an older model", (r) => ((r.model = "claude-sonnet-4-5"), (r.thinking = { type: "adaptive" })), /adaptive thinking is not supported/],
    ["an effort for an older model", (r) => ((r.model = "claude-sonnet-4-5"), (r.output_config = { effort: "low" })), /effort parameter/],
    ["a budget for a newer model", (r) => (r.model = "claude-opus-4-7"), /enabled is not supported/],
    ["a temperature for a newer model", (r) => ((r.model = "claude-opus-4-7"), delete r.thinking, (r.temperature = 1)), /temperature: is deprecated/],
  ],
);

const chatBody = () => ({
  model: "m",
  max_completion_tokens: 64,
  messages: [
    { role: "system", content: "Be brief." },
    { role: "user", content: [{ type: "text", text: "hi" }, { type: "image_url", image_url: { url: `data:image/png;base64,${png}` } }] },
    {
      role: "assistant",
      content: null,
      tool_calls: ["call_1", "call_2"].map((id) => ({ id, type: "function", function: { name: "get", arguments: "{}" } })),
    },
    { role: "tool", tool_call_id: "call_2", content: "two" },
    { role: "tool", tool_call_id: "call_1", content: "one" },
    { role: "user", content: "And?" },
  ],
  tools: [{ type: "function", function: { name: "get", parameters: schema, strict: true } }],
  tool_choice: "auto",
  parallel_tool_calls: true,
  stream: true,
  stream_options: { include_usage: true },
});

rules("chat", chat, new Issued(), chatBody, [
  ["an unknown field", (r) => (r.system = "x"), /system: unknown field/],
  ["cache_control", (r) => (r.messages[1].content[0].cache_control = { type: "ephemeral" }), /unknown field/],
  ["reasoning_content", (r) => (r.messages[2].reasoning_content = "x"), /unknown field/],
  ["reasoning_details", (r) => (r.messages[2].reasoning_details = [{}]), /unknown field/],
  ["an unknown role", (r) => (r.messages[1].role = "human"), /unknown value "human"/],
  ["no content", (r) => delete r.messages[1].content, /content: required/],
  ["an assistant who says nothing", (r) => r.messages.push({ role: "assistant", content: null }), /must be set/],
  ["no parts", (r) => (r.messages[1].content = []), /at least 1/],
  ["a part of Anthropic's", (r) => (r.messages[1].content[1].type = "image"), /unknown value "image"/],
  ["an image in a result", (r) => (r.messages[3].content = [r.messages[1].content[1]]), /image_url: unknown field/],
  ["a bad data URL", (r) => (r.messages[1].content[1].image_url.url = "data:image/bmp;base64,AAAA"), /must match/],
  ["a file without a name", (r) => (r.messages[1].content[1] = { type: "file", file: { file_data: "data:application/pdf;base64,AAAA" } }), /filename: required/],
  ["a long id", (r) => (r.messages[2].tool_calls[0].id = "x".repeat(41)), /too long/],
  ["an id twice", (r) => (r.messages[2].tool_calls[1].id = "call_1"), /must be unique/],
  ["a bad name", (r) => (r.tools[0].function.name = "a.b"), /must match/],
  ["a long name", (r) => (r.messages[2].tool_calls[0].function.name = "x".repeat(65)), /must match/],
  ["arguments as an object", (r) => (r.messages[2].tool_calls[0].function.arguments = {}), /must be string/],
  ["arguments that are no JSON", (r) => (r.messages[2].tool_calls[0].function.arguments = ""), /must be a JSON object/],
  ["no calls, said as a list", (r) => r.messages.push({ role: "assistant", content: "x", tool_calls: [] }), /at least 1/],
  ["a call without a result", (r) => r.messages.splice(3, 1), /responding to each 'tool_call_id': call_2/],
  ["calls at the end", (r) => r.messages.splice(3), /responding to each/],
  ["a result without a call", (r) => (r.messages[3].tool_call_id = "call_3"), /must be a response to a preceding/],
  ["a result twice", (r) => r.messages.splice(5, 0, r.messages[4]), /must be a response to a preceding/],
  ["a text between call and result", (r) => r.messages.splice(4, 0, r.messages[5]), /responding to each/],
  ["no tools, said as a list", (r) => (r.tools = []), /at least 1/],
  ["tool_choice without tools", (r) => delete r.tools, /tool_choice: is only allowed/],
  ["parallel_tool_calls without tools", (r) => (delete r.tools, delete r.tool_choice), /parallel_tool_calls: is only allowed/],
  ["a choice of an unknown tool", (r) => (r.tool_choice = { type: "function", function: { name: "other" } }), /'other' is not in/],
  ["a choice in Anthropic's words", (r) => (r.tool_choice = "any"), /must be one of/],
  ["a tool twice", (r) => r.tools.push(r.tools[0]), /tool names must be unique/],
  ["a strict tool with an open schema", (r) => (r.tools[0].function.parameters = nullSchema), /additionalProperties/],
  ["a strict tool with an optional parameter", (r) => (r.tools[0].function.parameters = { ...schema, required: [] }), /'required' must include/],
  ["a union at a schema's root", (r) => (r.tools[0].function.parameters = union), /does not support anyOf/],
  ["a strict tool with a keyword too much", (r) => (r.tools[0].function.parameters = { ...schema, properties: { city: { type: "string", minLength: 1 } } }), /'minLength' is not permitted/],
  ["an array of nothing", (r) => (r.tools[0].function.parameters = { ...schema, properties: { city: { anyOf: [{ type: "array" }] } } }), /array schema missing items/],
  ["an array of nothing in a format", (r) => (r.response_format = { type: "json_schema", json_schema: { name: "n", schema: { type: "array" } } }), /array schema missing items/],
  ["two limits", (r) => (r.max_tokens = 64), /together/],
  ["stream_options without a stream", (r) => (r.stream = false), /stream_options/],
  ["five stops", (r) => (r.stop = ["a", "b", "c", "d", "e"]), /at most 4/],
  ["a format without a name", (r) => (r.response_format = { type: "json_schema", json_schema: { schema } }), /name: required/],
  ["an unknown effort", (r) => (r.reasoning_effort = "max"), /must be one of/],
]);

const details = [{ type: "reasoning.text", text: "thought", signature: "sig1" }, { type: "reasoning.encrypted", data: "data1" }];
const openRouter = new Issued();
openRouter.note({ reasoning: [{ text: "thought", blob: "sig1" }, { blob: "data1", redacted: true }], calls: [{ id: "call_1" }] });
rules(
  "chat with reasoning_details",
  chat,
  openRouter,
  () => {
    const body = chatBody();
    body.messages[2].reasoning_details = structuredClone(details);
    return body;
  },
  [
    ["a foreign signature", (r) => (r.messages[2].reasoning_details[0].signature = "x"), /none of this upstream's/],
    ["a changed text", (r) => (r.messages[2].reasoning_details[0].text = "x"), /none of this upstream's/],
    ["foreign data", (r) => (r.messages[2].reasoning_details[1].data = "x"), /none of this upstream's/],
    ["an element less", (r) => r.messages[2].reasoning_details.pop(), /must be passed back/],
    ["none", (r) => delete r.messages[2].reasoning_details, /must be passed back/],
    ["no elements", (r) => (r.messages[2].reasoning_details = []), /at least 1/],
  ],
  { reasoning: "reasoning_details" },
);

const deepSeek = new Issued();
deepSeek.note({ reasoning: [{ text: "thought" }], calls: [{ id: "call_1" }] });
rules(
  "chat with reasoning_content",
  chat,
  deepSeek,
  () => {
    const body = chatBody();
    body.messages[2].reasoning_content = "thought";
    return body;
  },
  [
    ["another text", (r) => (r.messages[2].reasoning_content = "x"), /must be passed back/],
    ["none", (r) => delete r.messages[2].reasoning_content, /required/],
    ["an empty one", (r) => (r.messages[2].reasoning_content = ""), /reasoning_content/],
  ],
  { reasoning: "reasoning_content" },
);

const encrypted = new Issued();
encrypted.note({ reasoning: [{ id: "rs_1", text: "thought", blob: "gAAA" }], calls: [{ id: "call_1" }] });
rules(
  "responses",
  responses,
  encrypted,
  () => ({
    model: "m",
    store: false,
    include: ["reasoning.encrypted_content"],
    input: [
      { role: "user", content: [{ type: "input_text", text: "hi" }, { type: "input_image", image_url: `data:image/png;base64,${png}` }] },
      { type: "reasoning", id: "rs_1", summary: [{ type: "summary_text", text: "thought" }], encrypted_content: "gAAA" },
      { type: "message", role: "assistant", id: "msg_1", content: [{ type: "output_text", text: "Let me see." }] },
      { type: "function_call", id: "fc_1", call_id: "call_1", name: "get", arguments: "{}" },
      { type: "function_call", call_id: "call_2", name: "get", arguments: "{}" },
      { type: "function_call_output", call_id: "call_2", output: "two" },
      { type: "function_call_output", call_id: "call_1", output: [{ type: "input_text", text: "one" }] },
    ],
    tools: [{ type: "function", name: "get", parameters: schema, strict: true }],
    tool_choice: "auto",
    parallel_tool_calls: true,
  }),
  [
    ["an unknown field", (r) => (r.messages = []), /messages: unknown field/],
    ["an unknown item", (r) => (r.input[0].type = "tool_result"), /unknown value "tool_result"/],
    ["an item of the server's", (r) => r.input.push({ type: "item_reference", id: "msg_1" }), /unknown value "item_reference"/],
    ["an earlier response", (r) => (r.previous_response_id = "resp_1"), /unknown field/],
    ["an unknown role", (r) => (r.input[0].role = "tool"), /role: must be one of/],
    ["a part of Chat's", (r) => (r.input[0].content[0].type = "text"), /unknown value "text"/],
    ["an input part in the assistant's message", (r) => (r.input[2].content[0].type = "input_text"), /unknown value "input_text"/],
    ["an output part in the user's message", (r) => (r.input[0].content[0].type = "output_text"), /unknown value "output_text"/],
    ["an image as an object", (r) => (r.input[0].content[1].image_url = { url: "https://x/" }), /must be string/],
    ["a file without a name", (r) => (r.input[0].content[1] = { type: "input_file", file_data: "data:application/pdf;base64,AAAA" }), /filename: required/],
    ["a message's id", (r) => (r.input[2].id = "item_1"), /must match \/\^msg_/],
    ["a call's id", (r) => (r.input[3].id = "call_1"), /must match \/\^fc_/],
    ["an id twice", (r) => r.input.push({ ...r.input[2] }), /item ids must be unique/],
    ["a long call_id", (r) => (r.input[3].call_id = "x".repeat(65)), /too long/],
    ["a call_id twice", (r) => (r.input[4].call_id = "call_1"), /must be unique/],
    ["a bad name", (r) => (r.tools[0].name = "a.b"), /must match/],
    ["arguments as an object", (r) => (r.input[3].arguments = {}), /must be string/],
    ["a call without an output", (r) => r.input.splice(5, 1), /No tool output found for function call call_2/],
    ["an output without a call", (r) => r.input.splice(4, 1), /no tool call found/],
    ["an output twice", (r) => r.input.push(r.input[6]), /second output/],
    ["foreign reasoning", (r) => (r.input[1].encrypted_content = "sig"), /could not be verified/],
    ["reasoning under another id", (r) => (r.input[1].id = "rs_2"), /could not be verified/],
    ["reasoning that is only stored", (r) => delete r.input[1].encrypted_content, /encrypted_content: required/],
    ["reasoning without what follows", (r) => r.input.push(...r.input.splice(1, 1)), /required 'reasoning' item/],
    ["reasoning at the end", (r) => (r.input = r.input.slice(0, 2)), /required following item/],
    ["a call without its reasoning", (r) => r.input.splice(1, 1), /required 'reasoning' item: 'rs_1'/],
    ["a choice of an unknown tool", (r) => (r.tool_choice = { type: "function", name: "other" }), /'other' not found/],
    ["a tool in Chat's shape", (r) => (r.tools[0] = { type: "function", function: { name: "get" } }), /unknown field/],
    ["a tool twice", (r) => r.tools.push(r.tools[0]), /tool names must be unique/],
    ["a strict tool with an open schema", (r) => (r.tools[0].parameters = nullSchema), /additionalProperties/],
    ["a tool that does not say whether it is strict", (r) => delete r.tools[0].strict, /strict: required/],
    ["a limit below 16", (r) => (r.max_output_tokens = 15), /from 16/],
    ["a format without a name", (r) => (r.text = { format: { type: "json_schema", schema } }), /name: required/],
    ["stop", (r) => (r.stop = ["x"]), /unknown field/],
    ["max_tokens", (r) => (r.max_tokens = 64), /unknown field/],
    ["what is stored", (r) => (r.store = true), /store: must be one of false/],
  ],
);
