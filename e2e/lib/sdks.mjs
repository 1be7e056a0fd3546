// The SDKs and agent frameworks of e2e/sdks, with their ways of using edgelingua: a function run for
// each API. A way that forgets does not send back reasoning, and a way that hides does not show all
// of it. translates is for an SDK whose own vendor refuses its requests: edgelingua must translate
// them even for an upstream of the same API. fails has upstreams with which the SDK fails, and why.
// failsAlone is its error at a server of its own vendor, without edgelingua. An SDK that repeats runs
// each call of a stream several times: ADK 2.0 yields a call at step.stop, at interaction.completed and
// at the end of the stream (models/interactions_utils.js).
import { readFile } from "node:fs/promises";

const folders = ["..", "../sdks", "../sdks/full"];
const goMod = await readFile(new URL("../sdks/full/golang/go.mod", import.meta.url), "utf8");

// versionOf resolves with the installed version of a package, or null; for a Go module, with the
// version in go.mod.
async function versionOf(name) {
  const go = new RegExp(`^\\t${name} v(\\S+)`, "m").exec(goMod);
  if (go) return go[1];
  for (const folder of folders) {
    const file = new URL(`${folder}/node_modules/${name}/package.json`, import.meta.url);
    const text = await readFile(file, "utf8").catch(() => null);
    if (text) return JSON.parse(text).version;
  }
  return null;
}

const EVERY = ["anthropic", "chat", "responses", "gemini"];

// ./build.sh test --full sets FULL. It installs the packages of sdks/full, and compiles the SDKs for
// Go, which takes minutes.
export const FULL = process.env.FULL || process.env.UPDATE;

// ways returns the ways of an SDK: for each API, the properties that differ from the others.
async function ways(name, pkg, file, apis) {
  const version = await versionOf(pkg);
  const lacking =
    (file.startsWith("full/") && !FULL && "./build.sh test --full runs it") ||
    (version === null && `npm install has not installed ${pkg}`);
  const module = lacking ? {} : await import(`../sdks/${file}.mjs`);
  return Object.entries(apis).map(([protocol, { provider = protocol, ...more }]) => ({
    name: `${name} ${version}`,
    protocol,
    suite: "tools, an object",
    lacking,
    run: module.run?.(provider),
    ...more,
  }));
}

const unseen = { forgets: true, hides: true }; // reasoning in Chat Completions

export const sdks = [
  ...(await ways("openai", "openai", "official", { chat: unseen, responses: {} })),
  ...(await ways("@anthropic-ai/sdk", "@anthropic-ai/sdk", "official", { anthropic: {} })),
  ...(await ways("@google/genai", "@google/genai", "official", { gemini: {}, interactions: {} })),
  ...(await ways("AI SDK", "ai", "ai", { anthropic: {}, chat: unseen, responses: {}, gemini: {} })),
  ...(await ways("AI SDK's openai-compatible", "@ai-sdk/openai-compatible", "ai", {
    chat: { provider: "compatible", forgets: true },
  })),
  ...(await ways("@openai/agents", "@openai/agents", "agents", {
    chat: { ...unseen, translates: true },
    responses: {},
  })),
  ...(await ways("LangGraph", "@langchain/langgraph", "langgraph", {
    anthropic: {},
    chat: { ...unseen, translates: true },
    responses: {},
    gemini: { hides: true, translates: true },
  })),
  ...(await ways("Genkit", "genkit", "full/genkit", {
    anthropic: {
      fails: { gemini: "refuses thinking without a text, Anthropic's too" },
      failsAlone: /Unsupported genkit part fields.*"reasoning":""/s,
    },
    chat: unseen,
    gemini: {},
  })),
  ...(await ways("ADK", "@google/adk", "full/adk", {
    gemini: {},
    interactions: { ...unseen, translates: true, repeats: true },
  })),
  ...(await ways("Mastra", "@mastra/core", "full/mastra", {
    anthropic: {},
    chat: unseen,
    responses: {},
    gemini: {},
  })),
  ...(await ways("openai-go", "github.com/openai/openai-go/v3", "full/golang", {
    chat: { provider: "openai-go chat", ...unseen },
    responses: { provider: "openai-go responses" },
  })),
  ...(await ways("anthropic-sdk-go", "github.com/anthropics/anthropic-sdk-go", "full/golang", {
    anthropic: { provider: "anthropic-sdk-go" },
  })),
  ...(await ways("anthropic-sdk-go/v2", "github.com/anthropics/anthropic-sdk-go/v2", "full/golang", {
    anthropic: { provider: "anthropic-sdk-go/v2" },
  })),
  ...(await ways("google.golang.org/genai", "google.golang.org/genai", "full/golang", {
    gemini: { provider: "genai" },
  })),
  ...(await ways("Eino", "github.com/cloudwego/eino", "full/golang", {
    chat: { provider: "eino chat", ...unseen, translates: true },
    gemini: { provider: "eino gemini", ...unseen, translates: true },
  })),
  ...(await ways("langchaingo", "github.com/tmc/langchaingo", "full/golang", {
    anthropic: { provider: "langchaingo messages", translates: true, model: "claude-sonnet-4-5", ...unseen },
    chat: { provider: "langchaingo chat", ...unseen },
  })),
];
