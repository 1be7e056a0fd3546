// The official SDKs before upstreams that refuse what their vendors refuse (lib/strict): what the translator sends is good, and
// what an upstream gave is given back to it as it was.
import { describe } from "node:test";
import { fixture } from "./lib/fixture.mjs";
import { vendor } from "./lib/strict/vendor.mjs";
import { content } from "./strict/content.mjs";
import { ends } from "./strict/ends.mjs";
import { reasoning } from "./strict/reasoning.mjs";
import { tools } from "./strict/tools.mjs";

// upstream is one upstream with its worker. serve starts it with the turns that it plays.
function upstream(name, protocol, models, options, check) {
  const f = fixture({ UPSTREAM_PROTOCOL: protocol, MODELS: JSON.stringify(models), UPSTREAM_OPTIONS: options && JSON.stringify(options) });
  return {
    name,
    protocol,
    get url() {
      return f.url;
    },
    serve: (turns) => vendor(f.up, protocol, turns, check),
  };
}

describe("strict upstreams", () => {
  const upstreams = {
    anthropic: upstream("anthropic", "anthropic", { adaptive: "claude-opus-4-7", "*": "claude-sonnet-4-5" }),
    chat: upstream("chat", "chat", {}),
    deepSeek: upstream("chat with reasoning_content", "chat", {}, { reasoning_echo: "reasoning_content" }, { reasoning: "reasoning_content" }),
    openRouter: upstream("chat with reasoning_details", "chat", {}, { reasoning_echo: "reasoning_details" }, { reasoning: "reasoning_details" }),
    responses: upstream("responses", "responses", { "*": "gpt-5.5" }),
  };
  tools(upstreams);
  reasoning(upstreams);
  content(upstreams);
  ends(upstreams);
});
