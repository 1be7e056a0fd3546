// Strict upstreams with their workers.
import { fixture } from "../fixture.mjs";
import { vendor } from "./vendor.mjs";

// upstream is one with its worker, which takes it for host where there is one. serve starts it with the turns that it plays.
export function upstream(name, protocol, models, { check, host } = {}) {
  const f = fixture({ UPSTREAM_PROTOCOL: protocol, MODELS: JSON.stringify(models) }, { host });
  return {
    name,
    protocol,
    get url() {
      return f.url;
    },
    serve: (turns) => vendor(f.up, protocol, turns, check),
  };
}

// vendors are the vendors' own services, and a server of Chat Completions that nothing is known of.
export const vendors = () => ({
  anthropic: upstream("Anthropic", "anthropic", { "claude-sonnet-4-5": "claude-sonnet-4-5", "*": "claude-opus-5-5" }, { host: "api.anthropic.com" }),
  chat: upstream("a Chat server", "chat", { "*": "some-model" }),
  openAI: upstream("OpenAI's Chat Completions", "chat", { "gpt-4.1": "gpt-4.1", "*": "gpt-5.5" }, { host: "api.openai.com", check: { openAI: true } }),
  responses: upstream("OpenAI's Responses", "responses", { "*": "gpt-5.5" }, { host: "api.openai.com" }),
});

// thoughts are what each of them thinks in front of the n-th turn, as it gives it back to clients.
export const thoughts = {
  anthropic: (n) => [{ text: `Thinking "hard" \\ ${n} 漢😀.`, blob: `sig+/${n}==` }],
  chat: (n) => [{ text: `Thinking ${n}.` }],
  openAI: () => [],
  responses: (n) => [{ text: `Thinking ${n}.`, blob: `gAAAA+/${n}==`, id: `rs_${n}` }],
};
