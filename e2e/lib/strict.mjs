// Strict upstreams, each with a worker.
import { fixture } from "./fixture.mjs";
import { vendor } from "./vendor.mjs";

// upstream returns a strict upstream and its worker. If host is set, the worker treats the upstream
// as the server of this name. config has more settings of the worker, options has options of its
// start. serve starts the upstream with a list of turns.
export function upstream(name, protocol, models, { check, host, config, options } = {}) {
  const f = fixture(
    { UPSTREAM_PROTOCOL: protocol, MODELS: JSON.stringify(models), ...config },
    { host, ...options },
  );
  return {
    name,
    protocol,
    get url() {
      return f.url;
    },
    serve: (turns) => vendor(f.up, protocol, turns, check),
  };
}

// services has a function per service of a vendor, and for an unknown server of Chat Completions. The
// function returns the upstream, and its worker with more settings.
const services = {
  anthropic: (config) =>
    upstream(
      "Anthropic",
      "anthropic",
      { "claude-sonnet-4-5": "claude-sonnet-4-5", "*": "claude-opus-5-5" },
      { host: "api.anthropic.com", config },
    ),
  chat: (config) => upstream("a Chat server", "chat", { "*": "some-model" }, { config }),
  openAI: (config) =>
    upstream(
      "OpenAI's Chat Completions",
      "chat",
      { "gpt-4.1": "gpt-4.1", "*": "gpt-5.5" },
      { host: "api.openai.com", config, check: { openAI: true } },
    ),
  responses: (config) =>
    upstream("OpenAI's Responses", "responses", { "*": "gpt-5.5" }, { host: "api.openai.com", config }),
  gemini: (config) =>
    upstream(
      "Google's Gemini",
      "gemini",
      { "*": "gemini-3.1-pro-preview" },
      { host: "generativelanguage.googleapis.com", config },
    ),
  interactions: (config) =>
    upstream(
      "Google's Interactions",
      "interactions",
      { "*": "gemini-3.1-pro-preview" },
      { host: "generativelanguage.googleapis.com", config },
    ),
};

// vendors returns the services, all or those with the names. config has more settings of their
// workers.
export const vendors = (config, names = Object.keys(services)) =>
  Object.fromEntries(names.map((name) => [name, services[name](config)]));

// thoughts has a function per upstream. The function returns the reasoning before the n-th turn, in
// the form for clients of the upstream.
export const thoughts = {
  anthropic: (n) => [{ text: `Thinking "hard" \\ ${n} 漢😀.`, blob: `sig+/${n}==` }],
  chat: (n) => [{ text: `Thinking ${n}.` }],
  openAI: () => [],
  gemini: (n) => [{ text: `Thinking ${n}.`, blob: Buffer.from(`signed ${n}`).toString("base64") }],
  interactions: (n) => [{ text: `Thinking ${n}.`, blob: Buffer.from(`signed so ${n}`).toString("base64") }],
  responses: (n) => [{ text: `Thinking ${n}.`, blob: `gAAAA+/${n}==`, id: `rs_${n}` }],
};
