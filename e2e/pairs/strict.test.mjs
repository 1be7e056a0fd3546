// The official SDKs with upstreams that refuse what their vendors refuse (lib/strict): the translator's requests are good, and an
// upstream gets back what it gave, unchanged.
import { describe } from "node:test";
import { upstream } from "../lib/strict/upstreams.mjs";
import { content } from "./strict/content.mjs";
import { ends } from "./strict/ends.mjs";
import { hosted } from "./strict/hosted.mjs";
import { reasoning } from "./strict/reasoning.mjs";
import { tools } from "./strict/tools.mjs";

describe("strict upstreams", () => {
  const upstreams = {
    anthropic: upstream("anthropic", "anthropic", { adaptive: "claude-opus-4-7", "*": "claude-sonnet-4-5" }, { host: "api.anthropic.com" }),
    chat: upstream("chat", "chat", {}),
    deepSeek: upstream("chat with reasoning_content", "chat", {}, { host: "api.deepseek.com", check: { reasoning: "reasoning_content" } }),
    openRouter: upstream("chat with reasoning_details", "chat", {}, { host: "openrouter.ai", check: { reasoning: "reasoning_details" } }),
    responses: upstream("responses", "responses", { "*": "gpt-5.5" }, { host: "api.openai.com" }),
  };
  tools(upstreams);
  reasoning(upstreams);
  content(upstreams);
  ends(upstreams);
  hosted(upstreams);
});
