// The official SDKs before upstreams that refuse what their vendors refuse (lib/strict): what the translator sends is good, and
// what an upstream gave is given back to it as it was.
import { describe } from "node:test";
import { upstream } from "./lib/strict/upstreams.mjs";
import { content } from "./strict/content.mjs";
import { ends } from "./strict/ends.mjs";
import { reasoning } from "./strict/reasoning.mjs";
import { tools } from "./strict/tools.mjs";

describe("strict upstreams", () => {
  const upstreams = {
    anthropic: upstream("anthropic", "anthropic", { adaptive: "claude-opus-4-7", "*": "claude-sonnet-4-5" }),
    chat: upstream("chat", "chat", {}),
    deepSeek: upstream("chat with reasoning_content", "chat", {}, {
      options: { reasoning_echo: "reasoning_content" }, check: { reasoning: "reasoning_content" },
    }),
    openRouter: upstream("chat with reasoning_details", "chat", {}, {
      options: { reasoning_echo: "reasoning_details" }, check: { reasoning: "reasoning_details" },
    }),
    responses: upstream("responses", "responses", { "*": "gpt-5.5" }),
  };
  tools(upstreams);
  reasoning(upstreams);
  content(upstreams);
  ends(upstreams);
});
