// Upstreams that are set up by a click, with the addresses that their vendors document. models is a model map to begin with: the names
// that clients usually ask for, each with the upstream's name, where "" is the same name.

// other is a server that has no preset.
export const other = { id: "other", title: "Another server", protocol: "chat", url: "" };

export const presets = [
  { id: "openai", title: "OpenAI", protocol: "responses", url: "https://api.openai.com/v1", models: { "claude-*": "gpt-5.5", "gpt-5.5": "gpt-5.5" } },
  { id: "anthropic", title: "Anthropic", protocol: "anthropic", url: "https://api.anthropic.com" },
  { id: "openrouter", title: "OpenRouter", protocol: "chat", url: "https://openrouter.ai/api/v1" },
  { id: "ollama", title: "Ollama", protocol: "chat", url: "http://127.0.0.1:11434/v1", models: { "*": "" }, keyless: true },
  { id: "vllm", title: "vLLM", protocol: "chat", url: "http://127.0.0.1:8000/v1", models: { "*": "" }, keyless: true },
  { id: "lmstudio", title: "LM Studio", protocol: "chat", url: "http://127.0.0.1:1234/v1", models: { "*": "" }, keyless: true },
  { id: "groq", title: "Groq", protocol: "chat", url: "https://api.groq.com/openai/v1", models: { "*": "" } },
  {
    id: "deepseek",
    title: "DeepSeek",
    protocol: "chat",
    url: "https://api.deepseek.com",
    models: { "claude-*": "deepseek-flash", "deepseek-flash": "deepseek-flash" },
  },
  other,
];
