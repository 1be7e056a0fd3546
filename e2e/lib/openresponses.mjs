// The requirements of Open Responses (https://www.openresponses.org) for a Responses API: its
// schemas rewritten here, and its public suite if the suite is installed.
import { existsSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import {
  anyObject,
  anything,
  boolean,
  either,
  integer,
  list,
  nullable,
  number,
  oneOf,
  refuse,
  tagged,
  text,
} from "./shape.mjs";

// folder has the suite. The suite is not part of the repository.
export const folder =
  process.env.OPENRESPONSES ?? fileURLToPath(new URL("../../../shared/openresponses", import.meta.url));

// suite resolves with the modules of the suite as one object: testTemplates, runAllTests, and
// parseStreamingEventData, which checks an event against its schema. Without an installed suite it
// resolves with null.
export async function suite() {
  if (!existsSync(join(folder, "src"))) return null;
  const { build } = await import("esbuild");
  const out = await mkdtemp(join(tmpdir(), "openresponses-"));
  try {
    const { outputFiles } = await build({
      stdin: {
        contents: 'export * from "./compliance-tests"; export * from "./sse-parser";',
        resolveDir: join(folder, "src/lib"),
      },
      bundle: true,
      platform: "node",
      format: "esm",
      alias: { zod: fileURLToPath(new URL("../node_modules/zod3", import.meta.url)) },
      write: false,
    });
    await writeFile(join(out, "suite.mjs"), outputFiles[0].contents);
    return await import(pathToFileURL(join(out, "suite.mjs")));
  } finally {
    await rm(out, { recursive: true });
  }
}

// open is an object with the given members and any additional members.
const open = (members) => (value, path) => {
  anyObject(value, path);
  for (const [name, shape] of Object.entries(members)) {
    const bare = name.replace("?", "");
    if (bare in value) shape(value[bare], `${path}.${bare}`);
    else if (bare === name) refuse(`${path}.${bare}`, "required");
  }
};

const status = oneOf("in_progress", "completed", "incomplete");
const count = integer(0);
const any = number(-Infinity, Infinity);
const token = { token: text(), logprob: any, bytes: list(count) };
const logprobs = list(open({ ...token, top_logprobs: list(open(token)) }));
const citation = open({
  type: oneOf("url_citation"),
  url: text(),
  start_index: count,
  end_index: count,
  title: text(),
});
const part = tagged("type", {
  output_text: open({ text: text(), annotations: list(citation), "logprobs?": logprobs }),
  refusal: open({ refusal: text() }),
  summary_text: open({ text: text() }),
  reasoning_text: open({ text: text() }),
});
const described = {
  message: open({
    id: text(),
    status,
    role: oneOf("assistant"),
    content: list(part),
    "phase?": oneOf("commentary", "final_answer"),
  }),
  function_call: open({ id: text(), call_id: text(), name: text(), arguments: text(), status }),
  reasoning: open({ id: text(), summary: list(part), "content?": list(part), "encrypted_content?": text() }),
  compaction: open({ id: text(), encrypted_content: text() }),
};

// item accepts items of types unknown to Open Responses: calls of tools with a type of OpenAI, such
// as custom_tool_call.
const item = (value, path) => (described[value.type] ?? open({ type: text({ filled: true }) }))(value, path);
const tool = (value, path) =>
  isFunction(value) &&
  open({
    name: text(),
    description: nullable(text()),
    parameters: nullable(anyObject),
    strict: nullable(boolean),
  })(value, path);

const response = open({
  id: text({ filled: true }),
  object: oneOf("response"),
  created_at: count,
  completed_at: nullable(count),
  status: oneOf("in_progress", "completed", "incomplete", "failed"),
  incomplete_details: nullable(open({ reason: text() })),
  model: text(),
  previous_response_id: nullable(text()),
  instructions: nullable(text()),
  output: list(item),
  error: nullable(open({ code: text(), message: text() })),
  tools: list(tool),
  tool_choice: either(oneOf("none", "auto", "required"), anyObject),
  truncation: oneOf("auto", "disabled"),
  parallel_tool_calls: boolean,
  text: open({
    format: tagged("type", {
      text: anything,
      json_object: anything,
      // for "schema" the schema allows only null
      json_schema: open({ name: text(), description: nullable(text()), strict: boolean }),
    }),
    "verbosity?": oneOf("low", "medium", "high"),
  }),
  top_p: any,
  temperature: any,
  presence_penalty: any,
  frequency_penalty: any,
  top_logprobs: count,
  reasoning: nullable(open({ effort: nullable(text()), summary: nullable(text()) })),
  usage: nullable(
    open({
      input_tokens: count,
      output_tokens: count,
      total_tokens: count,
      input_tokens_details: open({ cached_tokens: count }),
      output_tokens_details: open({ reasoning_tokens: count }),
    }),
  ),
  max_output_tokens: nullable(count),
  max_tool_calls: nullable(count),
  store: boolean,
  background: boolean,
  service_tier: text(),
  metadata: anyObject,
  safety_identifier: nullable(text()),
  prompt_cache_key: nullable(text()),
});

const inItem = { item_id: text(), output_index: count };
const inPart = { ...inItem, content_index: count };
const inSummary = { ...inItem, summary_index: count };
const about = Object.fromEntries(
  ["created", "in_progress", "completed", "incomplete", "failed"].map((name) => [
    `response.${name}`,
    { response },
  ]),
);
const events = {
  ...about,
  "response.output_item.added": { output_index: count, item },
  "response.output_item.done": { output_index: count, item },
  "response.content_part.added": { ...inPart, part },
  "response.content_part.done": { ...inPart, part },
  "response.output_text.delta": { ...inPart, delta: text(), "logprobs?": logprobs },
  "response.output_text.done": { ...inPart, text: text(), "logprobs?": logprobs },
  "response.output_text.annotation.added": { ...inPart, annotation_index: count, annotation: citation },
  "response.refusal.delta": { ...inPart, delta: text() },
  "response.refusal.done": { ...inPart, refusal: text() },
  "response.reasoning_summary_part.added": { ...inSummary, part },
  "response.reasoning_summary_part.done": { ...inSummary, part },
  "response.reasoning_summary_text.delta": { ...inSummary, delta: text() },
  "response.reasoning_summary_text.done": { ...inSummary, text: text() },
  "response.function_call_arguments.delta": { ...inItem, delta: text() },
  "response.function_call_arguments.done": { ...inItem, arguments: text() },
  error: { error: open({ type: text(), code: nullable(text()), message: text(), param: nullable(text()) }) },
};

// beyond matches the events that Open Responses does not describe: events of calls of unknown
// types, and of submitted outputs.
export const beyond = /^response\.(custom_tool_call_input|web_search_call|required_action)\b/;

// checkResponse throws if a response is not complete.
export const checkResponse = (value) => response(value, "response");

// checkEvent throws if an event of a stream does not match its schema.
export function checkEvent(event) {
  if (beyond.test(event.type)) return;
  if (!events[event.type]) refuse("type", `unknown value ${event.type}`);
  open({ sequence_number: count, ...events[event.type] })(event, event.type);
}

const isFunction = ({ type = "function" }) => type === "function";

function choice(value) {
  if (value.type === "allowed_tools") return { ...value, tools: value.tools.filter(isFunction) };
  return typeof value === "string" || isFunction(value) ? value : "auto";
}

// standard returns an event without the parts that Open Responses does not describe, or null for an
// event of an unknown type. The removed parts are tools and items of OpenAI's own types, and the
// schema of a format: Open Responses allows only null for the schema.
export function standard(event) {
  if (beyond.test(event.type) || (event.item && !described[event.item.type])) return null;
  if (!event.response) return event;
  const {
    tools,
    tool_choice,
    output,
    text: { format, ...more },
    ...rest
  } = event.response;
  return {
    ...event,
    response: {
      ...rest,
      tools: tools.filter(isFunction),
      tool_choice: choice(tool_choice),
      output: output.filter(({ type }) => described[type]),
      text: { ...more, format: format.schema ? { ...format, schema: null } : format },
    },
  };
}
