#!/usr/bin/env node
// A program of the Claude Agent SDK. Its tool "run" is in the process of the program, and runs shell
// commands. The arguments are the model and the prompt. It prints each message as a line of JSON.
import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { createSdkMcpServer, query, tool } from "@anthropic-ai/claude-agent-sdk";
import { z } from "zod";

const run = tool(
  "run",
  "Runs a shell command and returns its output.",
  { command: z.string() },
  async ({ command }) => ({
    content: [{ type: "text", text: (await promisify(execFile)("sh", ["-c", command])).stdout }],
  }),
  { alwaysLoad: true }, // in the first request, without a search for tools
);

const [model, prompt] = process.argv.slice(2);
const messages = query({
  prompt,
  options: {
    model,
    mcpServers: { shell: createSdkMcpServer({ name: "shell", tools: [run] }) },
    allowedTools: ["mcp__shell__run"],
    settingSources: [],
  },
});
for await (const message of messages) console.log(JSON.stringify(message));
