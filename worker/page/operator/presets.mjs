// Presets of upstreams, with the addresses in their vendors' documentation. models is the initial
// model map: the usual models of clients, each with the upstream's name, where "" is the same name.
// The user replaces <resource> and the like in an address: no browser and no server accepts an
// address with "<". Every host of translator/*/targets.go has a preset
// (wasmtest/cli/presets_test.go).
//
// The sources of addresses without a source in targets.go:
// vercel.com/docs/ai-gateway/openai-compat, help.aliyun.com/zh/model-studio (compatibility with
// OpenAI: Beijing, Singapore, Virginia),
// learn.microsoft.com/azure/ai-foundry/openai/api-version-lifecycle ("/openai/v1", and the versions
// of deployments with a path of their own) and
// .../ai-foundry/foundry-models/how-to/use-foundry-models-claude ("/anthropic"),
// docs.aws.amazon.com/bedrock/latest/userguide/endpoints.html and .../inference-messages-api.html,
// huggingface.co/docs/inference-providers.

import { other } from "../lib/other.mjs";

export const presets = [
  {
    id: "openai",
    title: "OpenAI",
    protocol: "responses",
    url: "https://api.openai.com/v1",
    models: { "claude-*": "gpt-5.5", "gpt-5.5": "gpt-5.5" },
  },
  { id: "anthropic", title: "Anthropic", protocol: "anthropic", url: "https://api.anthropic.com" },
  { id: "openrouter", title: "OpenRouter", protocol: "chat", url: "https://openrouter.ai/api/v1" },
  {
    id: "cloudflare",
    title: "Cloudflare's own models",
    protocol: "chat",
    url: "cloudflare:ai",
    models: { "claude-*": "@cf/moonshotai/kimi-k2.6", "gpt-*": "@cf/moonshotai/kimi-k2.6", "@cf/*": "" },
    keyless: true,
  },
  {
    id: "ollama",
    title: "Ollama",
    protocol: "chat",
    url: "http://127.0.0.1:11434/v1",
    models: { "*": "" },
    keyless: true,
  },
  {
    id: "vllm",
    title: "vLLM",
    protocol: "chat",
    url: "http://127.0.0.1:8000/v1",
    models: { "*": "" },
    keyless: true,
  },
  {
    id: "lmstudio",
    title: "LM Studio",
    protocol: "chat",
    url: "http://127.0.0.1:1234/v1",
    models: { "*": "" },
    keyless: true,
  },
  { id: "groq", title: "Groq", protocol: "chat", url: "https://api.groq.com/openai/v1", models: { "*": "" } },
  {
    id: "deepseek",
    title: "DeepSeek",
    protocol: "chat",
    url: "https://api.deepseek.com",
    models: { "claude-*": "deepseek-flash", "deepseek-flash": "deepseek-flash" },
  },
  { id: "xai", title: "xAI", protocol: "responses", url: "https://api.x.ai/v1", models: { "*": "" } },
  {
    id: "google",
    title: "Google",
    protocol: "gemini",
    url: "https://generativelanguage.googleapis.com",
    models: { "*": "" },
  },
  {
    id: "google-interactions",
    title: "Google (Interactions)",
    protocol: "interactions",
    url: "https://generativelanguage.googleapis.com",
    models: { "*": "" },
  },
  {
    id: "google-openai",
    title: "Google (as OpenAI)",
    protocol: "chat",
    url: "https://generativelanguage.googleapis.com/v1beta/openai",
    models: { "*": "" },
  },
  {
    id: "mistral",
    title: "Mistral",
    protocol: "chat",
    url: "https://api.mistral.ai/v1",
    models: { "*": "" },
  },
  {
    id: "cerebras",
    title: "Cerebras",
    protocol: "chat",
    url: "https://api.cerebras.ai/v1",
    models: { "*": "" },
  },
  {
    id: "moonshot",
    title: "Moonshot",
    protocol: "chat",
    url: "https://api.moonshot.ai/v1",
    models: { "*": "" },
  },
  {
    id: "moonshot-cn",
    title: "Moonshot (China)",
    protocol: "chat",
    url: "https://api.moonshot.cn/v1",
    models: { "*": "" },
  },
  { id: "zai", title: "Z.ai", protocol: "chat", url: "https://api.z.ai/api/paas/v4", models: { "*": "" } },
  {
    id: "zai-cn",
    title: "Z.ai (China)",
    protocol: "chat",
    url: "https://open.bigmodel.cn/api/paas/v4",
    models: { "*": "" },
  },
  {
    id: "alibaba",
    title: "Alibaba",
    protocol: "chat",
    url: "https://dashscope-intl.aliyuncs.com/compatible-mode/v1",
    models: { "*": "" },
  },
  {
    id: "alibaba-cn",
    title: "Alibaba (China)",
    protocol: "chat",
    url: "https://dashscope.aliyuncs.com/compatible-mode/v1",
    models: { "*": "" },
  },
  {
    id: "alibaba-us",
    title: "Alibaba (US)",
    protocol: "chat",
    url: "https://dashscope-us.aliyuncs.com/compatible-mode/v1",
    models: { "*": "" },
  },
  {
    id: "alibaba-workspace",
    title: "Alibaba (workspace)",
    protocol: "chat",
    url: "https://<workspace>.ap-southeast-1.maas.aliyuncs.com/compatible-mode/v1",
    models: { "*": "" },
  },
  {
    id: "huggingface",
    title: "Hugging Face",
    protocol: "chat",
    url: "https://router.huggingface.co/v1",
    models: { "*": "" },
  },
  { id: "vercel", title: "Vercel AI Gateway", protocol: "chat", url: "https://ai-gateway.vercel.sh/v1" },
  {
    id: "azure",
    title: "Azure OpenAI",
    protocol: "responses",
    url: "https://<resource>.openai.azure.com/openai/v1",
  },
  {
    id: "azure-foundry",
    title: "Azure AI Foundry",
    protocol: "responses",
    url: "https://<resource>.services.ai.azure.com/openai/v1",
  },
  {
    id: "azure-ai",
    title: "Azure AI services",
    protocol: "responses",
    url: "https://<resource>.cognitiveservices.azure.com/openai/v1",
  },
  {
    id: "azure-deployment",
    title: "Azure (one deployment)",
    protocol: "chat",
    url: "https://<resource>.openai.azure.com/openai/deployments/<deployment>?api-version=2024-10-21",
  },
  {
    id: "azure-claude",
    title: "Azure (Claude)",
    protocol: "anthropic",
    url: "https://<resource>.services.ai.azure.com/anthropic",
  },
  {
    id: "bedrock",
    title: "Amazon Bedrock",
    protocol: "chat",
    url: "https://bedrock-runtime.<region>.amazonaws.com/openai/v1",
    models: { "*": "" },
  },
  {
    id: "bedrock-mantle",
    title: "Amazon Bedrock (Mantle)",
    protocol: "responses",
    url: "https://bedrock-mantle.<region>.api.aws/v1",
    models: { "*": "" },
  },
  {
    id: "bedrock-claude",
    title: "Amazon Bedrock (Claude)",
    protocol: "anthropic",
    url: "https://bedrock-mantle.<region>.api.aws/anthropic",
    models: { "claude-*": "anthropic.claude-opus-5" },
  },
  {
    id: "vertex-claude",
    title: "Vertex AI (Claude)",
    protocol: "anthropic",
    url: "https://<location>-aiplatform.googleapis.com/v1/projects/<project>/locations/<location>",
    models: { "claude-*": "claude-opus-4-6" },
  },
  {
    id: "vertex-gemini",
    title: "Vertex AI (Gemini)",
    protocol: "gemini",
    url: "https://<location>-aiplatform.googleapis.com/v1/projects/<project>/locations/<location>",
    models: { "*": "gemini-3-pro" },
  },
  other,
];
