// Ready-made settings of clients for one endpoint, as each client's documentation has them.

const q = JSON.stringify; // quotes a text for JSON, TOML, Python and JavaScript
const sh = (text) => `'${text.replaceAll("'", `'\\''`)}'`;
const json = (value) => JSON.stringify(value, null, 2);

// settingsFor returns the settings of each client: [{ id, title, note, steps: [{ where, code }] }].
// base is the endpoint's URL without /v1. claude: the endpoint serves Claude's own model names.
export function settingsFor({ base, key, model, claude }) {
  const v1 = `${base}/v1`;
  const keyed = { where: "In the shell that starts it", code: `export EDGELINGUA_KEY=${sh(key)}` };
  return [
    { id: "claude-code", title: "Claude Code", ...claudeCode(base, key, claude ? undefined : model) },
    {
      id: "codex",
      title: "Codex",
      steps: [
        {
          where: "~/.codex/config.toml",
          code: [
            `model = ${q(model)}`,
            'model_provider = "edgelingua"',
            "",
            "[model_providers.edgelingua]",
            'name = "edgelingua"',
            `base_url = ${q(v1)}`,
            'wire_api = "responses"',
            'env_key = "EDGELINGUA_KEY"',
          ].join("\n"),
        },
        keyed,
      ],
    },
    {
      id: "gemini-cli",
      title: "Gemini CLI",
      steps: [
        {
          where: "~/.gemini/settings.json",
          code: json({ security: { auth: { selectedType: "gemini-api-key" } }, model: { name: model } }),
        },
        {
          where: "In the shell that starts it",
          code: [`export GOOGLE_GEMINI_BASE_URL=${sh(base)}`, `export GEMINI_API_KEY=${sh(key)}`].join("\n"),
        },
      ],
    },
    {
      id: "cursor",
      title: "Cursor",
      note: isLocal(base)
        ? "Cursor's servers make the requests, and can't reach an address on this machine."
        : "Cursor's servers make the requests. The override applies to all OpenAI models at once.",
      steps: [
        { where: "Settings, Models, API Keys: OpenAI API Key", code: key },
        { where: "Override OpenAI Base URL: on", code: v1 },
        { where: "Add model", code: model },
      ],
    },
    {
      id: "opencode",
      title: "opencode",
      steps: [
        {
          where: "opencode.json, or ~/.config/opencode/opencode.json",
          code: json({
            $schema: "https://opencode.ai/config.json",
            model: `edgelingua/${model}`,
            provider: {
              edgelingua: {
                npm: "@ai-sdk/openai-compatible",
                name: "edgelingua",
                options: { baseURL: v1, apiKey: "{env:EDGELINGUA_KEY}" },
                // Without modalities, opencode assumes that a custom model takes no images
                // (anomalyco/opencode#25229).
                models: {
                  [model]: {
                    name: model,
                    attachment: true,
                    modalities: { input: ["text", "image"], output: ["text"] },
                  },
                },
              },
            },
          }),
        },
        keyed,
      ],
    },
    {
      id: "openai",
      title: "OpenAI SDK",
      steps: [
        {
          where: "Python",
          code: `from openai import OpenAI

client = OpenAI(base_url=${q(v1)}, api_key=${q(key)})
answer = client.responses.create(model=${q(model)}, input="Say hello.")
print(answer.output_text)`,
        },
        {
          where: "TypeScript",
          code: `import OpenAI from "openai";

const client = new OpenAI({ baseURL: ${q(v1)}, apiKey: ${q(key)} });
const answer = await client.responses.create({ model: ${q(model)}, input: "Say hello." });
console.log(answer.output_text);`,
        },
      ],
    },
    {
      id: "anthropic",
      title: "Anthropic SDK",
      steps: [
        {
          where: "Python",
          code: `from anthropic import Anthropic

client = Anthropic(base_url=${q(base)}, api_key=${q(key)})
answer = client.messages.create(
    model=${q(model)}, max_tokens=200, messages=[{"role": "user", "content": "Say hello."}]
)
print("".join(block.text for block in answer.content if block.type == "text"))`,
        },
        {
          where: "TypeScript",
          code: `import Anthropic from "@anthropic-ai/sdk";

const client = new Anthropic({ baseURL: ${q(base)}, apiKey: ${q(key)} });
const answer = await client.messages.create({
  model: ${q(model)}, max_tokens: 200, messages: [{ role: "user", content: "Say hello." }],
});
for (const block of answer.content) if (block.type === "text") console.log(block.text);`,
        },
      ],
    },
    {
      id: "genai",
      title: "Google Gen AI SDK",
      steps: [
        {
          where: "Python",
          code: `from google import genai

client = genai.Client(api_key=${q(key)}, http_options={"base_url": ${q(base)}})
answer = client.models.generate_content(model=${q(model)}, contents="Say hello.")
print(answer.text)`,
        },
        {
          where: "TypeScript",
          code: `import { GoogleGenAI } from "@google/genai";

const client = new GoogleGenAI({ apiKey: ${q(key)}, httpOptions: { baseUrl: ${q(base)} } });
const answer = await client.models.generateContent({ model: ${q(model)}, contents: "Say hello." });
console.log(answer.text);`,
        },
      ],
    },
    {
      id: "curl",
      title: "curl",
      steps: [
        {
          where: "Anthropic Messages",
          code: curl(`${base}/v1/messages`, `x-api-key: ${key}`, {
            model,
            max_tokens: 200,
            messages: [{ role: "user", content: "Say hello." }],
          }),
        },
        {
          where: "OpenAI Chat Completions",
          code: curl(`${v1}/chat/completions`, `authorization: Bearer ${key}`, {
            model,
            messages: [{ role: "user", content: "Say hello." }],
          }),
        },
        {
          where: "OpenAI Responses",
          code: curl(`${v1}/responses`, `authorization: Bearer ${key}`, { model, input: "Say hello." }),
        },
        {
          where: "Google Gemini",
          code: curl(
            `${base}/v1beta/models/${encodeURIComponent(model)}:generateContent`,
            `x-goog-api-key: ${key}`,
            { contents: [{ role: "user", parts: [{ text: "Say hello." }] }] },
          ),
        },
      ],
    },
  ];
}

// claudeCode returns the settings of Claude Code. A given model replaces the models of all tiers,
// which otherwise have Claude's names.
function claudeCode(base, key, model) {
  const env = { ANTHROPIC_BASE_URL: base, ANTHROPIC_AUTH_TOKEN: key };
  if (model)
    for (const name of ["", "_DEFAULT_OPUS", "_DEFAULT_SONNET", "_DEFAULT_HAIKU"])
      env[`ANTHROPIC${name}_MODEL`] = model;
  const exports = Object.entries(env).map(([name, value]) => `export ${name}=${sh(value)}`);
  return {
    note: "Either of the two is enough. If ANTHROPIC_API_KEY is also set, unset it.",
    steps: [
      { where: "~/.claude/settings.json", code: json({ env }) },
      { where: "Or in the shell that starts it", code: exports.join("\n") },
    ],
  };
}

// The header with the key is not an argument of curl, because other users of the machine could read
// it there. bash and zsh pass the header as input.
const curl = (url, header, body) =>
  `curl ${sh(url)} -H @- -H 'content-type: application/json' -d ${sh(JSON.stringify(body))} <<<${sh(header)}`;

// isLocal reports whether an address is on this machine.
const isLocal = (url) => /^https?:\/\/(localhost|127\.|\[::1\])/.test(url);
