// Clients that do what Codex and Claude Code do (lib/strict/codex.mjs, lib/strict/claudecode.mjs), with upstreams that refuse
// what their vendors refuse. clients_order.test.mjs and clients_tour.test.mjs have more of them: one file would run for minutes after all others.
import { describe } from "node:test";
import { vendors } from "../lib/strict.mjs";
import * as claudeCode from "./strict/claudecode_session.mjs";
import { side } from "./strict/claudecode_side.mjs";
import { content } from "./strict/codex_content.mjs";
import { ends } from "./strict/codex_ends.mjs";
import { tools } from "./strict/codex_tools.mjs";
import { sdkTools } from "./strict/sdk_tools.mjs";

describe("strict upstreams and whole clients", () => {
  const upstreams = vendors();
  describe("Codex", () => {
    tools(upstreams);
    content(upstreams);
    ends(upstreams);
  });
  describe("Claude Code", () => {
    claudeCode.session(upstreams);
    side(upstreams);
  });
  sdkTools(upstreams);
});
