// A client like Codex (lib/strict/codex.mjs) before upstreams that refuse what their vendors refuse.
import { describe } from "node:test";
import { vendors } from "./lib/strict/upstreams.mjs";
import { content } from "./strict/codex_content.mjs";
import { ends } from "./strict/codex_ends.mjs";
import { tools } from "./strict/codex_tools.mjs";

describe("Codex", () => {
  const upstreams = vendors();
  tools(upstreams);
  content(upstreams);
  ends(upstreams);
});
