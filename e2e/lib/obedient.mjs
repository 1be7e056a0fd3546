// A strict upstream (lib/vendor.mjs) that follows the instructions in the prompts of Open
// Responses' suite.
import { upstreams } from "./turns.mjs";
import { vendor } from "./vendor.mjs";

// obedient makes up, an upstream of lib/upstream.mjs, follow prompts. It returns the result of
// vendor. With lenient the upstream accepts any request: if client and upstream speak the same
// protocol, the worker does not repair the client's request.
export function obedient(up, protocol, { lenient } = {}) {
  if (lenient) {
    up.serve((x) => upstreams[protocol].play(x, turn(x.json, protocol)));
    return { refused: [] };
  }
  const strict = vendor(up, protocol, () => turn(strict.asked.at(-1), protocol));
  return strict;
}

const words = (content) =>
  typeof content === "string"
    ? content
    : (content ?? []).map(({ text, refusal }) => text ?? refusal ?? "").join("\n");

// turn returns a model's turn (lib/turns.mjs) for a request.
function turn({ messages, contents, input, tools = [] }, protocol) {
  const history = (
    messages ??
    contents?.map(({ role, parts }) => ({ role, content: parts })) ??
    [input].flat()
  ).map((item) =>
    typeof item === "string" ? { role: "user", text: item } : { role: item.role, text: words(item.content) },
  );
  const all = history.map(({ text }) => text).join("\n");
  const question = history.findLast(({ role }) => role === "user")?.text ?? "";
  const usage = { input: 20, cached: 0, output: 5 };
  if (tools.length > 0 && /weather/.test(question)) {
    const [name] = upstreams[protocol].offered({ messages, input, tools }).keys();
    return {
      text: "",
      calls: [
        {
          id: protocol === "anthropic" ? "toolu_1" : "call_1",
          name,
          input: { location: "San Francisco, CA" },
        },
      ],
      usage,
    };
  }
  const text =
    /Reply with exactly: (\w+)/.exec(question)?.[1] ??
    (/What is the code word/.test(question) && /code word: (\w+)/.exec(all)?.[1]) ??
    (/What is my name/.test(question) && /My name is (\w+)/.exec(all)?.[1]);
  return { text: text || "Very well then.", calls: [], usage };
}
