// The items that OpenAI's Responses API takes as input.
import {
  anyObject, anything, dataURL, either, list, nullable, object, oneOf, tagged, text, webURL,
} from "./shape.mjs";
import { name, tool } from "./responses_tools.mjs";

const callID = text({ filled: true, max: 64 });
const itemID = (prefix) => text({ max: 64, pattern: new RegExp(`^${prefix}_[a-zA-Z0-9_-]+$`) });
const status = { "status?": nullable(oneOf("in_progress", "completed", "incomplete")) };

const input = {
  input_text: object({ type: oneOf("input_text"), text: text() }),
  input_image: object({
    type: oneOf("input_image"),
    image_url: (url, path) => (/^data:/.test(url) ? dataURL("image/(?:png|jpeg|gif|webp)") : webURL)(url, path),
    "detail?": nullable(oneOf("auto", "low", "high", "original")),
  }),
  input_file: (value, path) => {
    const named = { filename: text({ filled: true }), file_data: dataURL("[a-z]+/[a-z0-9.+-]+") };
    const stored = { file_id: text({ filled: true }) };
    const from = value.file_url ? { file_url: webURL } : value.file_id ? stored : named;
    object({ type: oneOf("input_file"), "detail?": oneOf("auto", "low", "high"), ...from })(value, path);
  },
};
const inputParts = either(text(), list(tagged("type", input)));

const message = (value, path) => {
  const said = value.role === "assistant";
  const output = tagged("type", {
    output_text: object({ type: oneOf("output_text"), text: text(), "annotations?": list(anyObject), "logprobs?": list(anyObject), "parsed?": anything }),
    refusal: object({ type: oneOf("refusal"), refusal: text() }),
  });
  object({
    "type?": oneOf("message"),
    role: oneOf("user", "system", "developer", "assistant"),
    content: said ? either(text(), list(output)) : inputParts,
    "id?": itemID("msg"),
    "phase?": nullable(oneOf("commentary", "final_answer")),
    ...status,
  })(value, path);
};

const called = { call_id: callID, name, "namespace?": name };
const action = object({
  type: oneOf("exec"), command: list(text()), env: anyObject, "timeout_ms?": nullable(anything), "user?": nullable(text()), "working_directory?": nullable(text()),
});
const execution = { "execution?": oneOf("client", "server"), ...status };

const items = {
  message,
  function_call: object({
    type: oneOf("function_call"), ...called, arguments: text({ filled: true }), "id?": itemID("fc"), "parsed_arguments?": anything, ...status,
  }),
  function_call_output: object({ type: oneOf("function_call_output"), call_id: callID, output: inputParts, "id?": itemID("fco"), ...status }),
  custom_tool_call: object({ type: oneOf("custom_tool_call"), ...called, input: text(), "id?": itemID("ctc"), ...status }),
  custom_tool_call_output: object({ type: oneOf("custom_tool_call_output"), call_id: callID, output: inputParts, "id?": itemID("ctco"), ...status }),
  mcp_call: object({
    type: oneOf("mcp_call"), id: itemID("mcp"), server_label: text({ filled: true }), name: text({ filled: true }), arguments: text({ filled: true }),
    "output?": nullable(text()), "error?": nullable(anyObject), "approval_request_id?": nullable(text()), "status?": oneOf("in_progress", "completed", "incomplete", "calling", "failed"),
  }),
  tool_search_call: object({ type: oneOf("tool_search_call"), call_id: nullable(callID), arguments: anything, "id?": itemID("tsc"), ...execution }),
  tool_search_output: object({ type: oneOf("tool_search_output"), call_id: nullable(callID), tools: list(tool), "id?": itemID("tso"), ...execution }),
  additional_tools: object({ type: oneOf("additional_tools"), role: oneOf("developer"), tools: list(tool), "id?": itemID("at") }),
  local_shell_call: object({ type: oneOf("local_shell_call"), call_id: callID, id: itemID("lsh"), action, ...status }),
  web_search_call: object({ type: oneOf("web_search_call"), id: itemID("ws"), action: anyObject, status: oneOf("in_progress", "searching", "completed", "failed") }),
  compaction: object({ type: oneOf("compaction"), encrypted_content: text({ filled: true }), "id?": itemID("cmp") }),
  compaction_trigger: object({ type: oneOf("compaction_trigger") }),
  reasoning: object({
    type: oneOf("reasoning"),
    id: itemID("rs"),
    summary: list(object({ type: oneOf("summary_text"), text: text() })),
    encrypted_content: text({ filled: true }),
    "content?": nullable(list(anyObject, { max: 0 })),
    ...status,
  }),
};

// item is any item. Codex 0.169.0 gives each that it sends to OpenAI, but a trigger, a member of its own.
export const item = (value, path) => {
  const { internal_chat_message_metadata_passthrough: own = {}, ...known } = value ?? {};
  anyObject(own, path);
  (known.type === undefined ? message : tagged("type", items))(known, path);
};
