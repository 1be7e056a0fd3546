// The members of requests in the types of the newest official SDKs, against the members that the
// decoders know. A member that neither a decoder nor members.json knows fails: after an update of an
// SDK, either a decoder learns the member, or the member goes into members.json as one that is not
// carried (UPDATE=1 writes the file; CONTRIBUTING.md has the rule for losses).
import assert from "node:assert/strict";
import { readFile, readdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { format } from "prettier";

const root = fileURLToPath(new URL("../..", import.meta.url));
const modules = join(root, "e2e/node_modules");
const ledger = join(root, "e2e/ops/members.json");

// The SDKs: the files of their types, the types of a request, and the folders of the decoder.
const SDKS = {
  anthropic: {
    files: ["@anthropic-ai/sdk/resources/messages/messages.d.ts"],
    roots: ["MessageCreateParamsBase"],
    folders: ["anthropic", "openai"],
  },
  chat: {
    files: ["openai/resources/chat/completions/completions.d.ts", "openai/resources/shared.d.ts"],
    roots: ["ChatCompletionCreateParamsBase"],
    folders: ["chat", "openai"],
  },
  responses: {
    files: ["openai/resources/responses/responses.d.ts", "openai/resources/shared.d.ts"],
    roots: ["ResponseCreateParamsBase"],
    folders: ["responses", "openai"],
  },
  gemini: {
    files: ["@google/genai/dist/genai.d.ts"],
    roots: ["Content", "GenerationConfig", "Tool", "ToolConfig", "SafetySetting"],
    folders: ["gemini", "google"],
  },
};

// block returns the end of the braces that begin at text[open].
function block(text, open) {
  let depth = 0;
  for (let i = open; i < text.length; i++) {
    if (text[i] === "{") depth++;
    if (text[i] === "}" && --depth === 0) return i;
  }
  throw new Error("a brace without an end");
}

// declarations returns the interfaces, classes and types of a .d.ts file by name: a list of texts,
// since namespaces repeat names.
function declarations(source) {
  const text = source.replaceAll(/\/\*[^]*?\*\/|\/\/.*$/gm, "");
  const found = new Map();
  const add = (name, body) => found.set(name, [...(found.get(name) ?? []), body]);
  for (const { 1: name, 2: parents, index, 0: head } of text.matchAll(
    /\b(?:interface|class) (\w+)(?:<[^{]*>)?((?: extends| implements)[^{]*)?\s*\{/g,
  ))
    add(name, `${parents ?? ""};${text.slice(index + head.length, block(text, index + head.length - 1))}`);
  for (const { 1: name, index, 0: head } of text.matchAll(/\btype (\w+)(?:<[^=]*>)? =/g)) {
    let end = index + head.length;
    while (text[end] !== ";") end = text[end] === "{" ? block(text, end) + 1 : end + 1;
    add(name, text.slice(index + head.length, end));
  }
  return found;
}

// membersOf returns the names of the members of the types reachable from roots.
function membersOf(found, roots) {
  const members = new Map();
  const seen = new Set();
  const visit = (name) => {
    if (seen.has(name)) return;
    seen.add(name);
    for (const body of found.get(name) ?? []) {
      for (const { 1: quoted, 2: plain } of body.matchAll(
        /(?:^|[{;\n])\s*(?:readonly )?(?:'([^']+)'|(\w+))\??:/g,
      ))
        if (!members.has(quoted ?? plain)) members.set(quoted ?? plain, name);
      for (const [word] of body.matchAll(/\b[A-Z]\w*/g)) if (found.has(word)) visit(word);
    }
  };
  roots.forEach(visit);
  return members;
}

// knownOf returns the strings in the Go files of a decoder: not those of tests and of writers.
async function knownOf(folders) {
  const known = new Set();
  for (const folder of folders) {
    const path = join(root, "translator", folder);
    for (const file of await readdir(path)) {
      if (!file.endsWith(".go") || /_test\.|append/.test(file)) continue;
      const text = (await readFile(join(path, file), "utf8")).replaceAll(/\/\/.*$/gm, "");
      for (const [, word] of text.matchAll(/"(\w+)"/g)) known.add(word);
    }
  }
  return known;
}

async function uncarried(api) {
  const { files, roots, folders } = SDKS[api];
  const found = new Map();
  for (const file of files)
    for (const [name, bodies] of declarations(await readFile(join(modules, file), "utf8")))
      found.set(name, [...(found.get(name) ?? []), ...bodies]);
  for (const name of roots) assert.ok(found.has(name), `${dirname(files[0])} has no type ${name}`);
  const members = membersOf(found, roots);
  assert.ok(members.size > 50, `${api}: ${members.size}`);
  const known = await knownOf(folders);
  return [...members.keys()].filter((name) => !known.has(name)).sort();
}

test("members of the newest SDKs", async (t) => {
  const now = {};
  for (const api of Object.keys(SDKS)) now[api] = await uncarried(api);
  if (process.env.UPDATE) await writeFile(ledger, await format(JSON.stringify(now), { parser: "json" }));
  const written = JSON.parse(await readFile(ledger, "utf8"));
  for (const api of Object.keys(SDKS))
    await t.test(api, () => {
      const unknown = now[api].filter((name) => !written[api].includes(name));
      assert.deepEqual(unknown, [], "no decoder and no table knows these members of the SDK's types");
      const gone = written[api].filter((name) => !now[api].includes(name));
      assert.deepEqual(gone, [], "members.json has members that a decoder knows, or no SDK has");
    });
});

test("a new member is found", () => {
  const found = declarations(
    "/** old?: string */ export interface A extends B { old?: string; inner: C | null; 'x-y'?: { deep: 1 } }\n" +
      "interface B { base: string }\nexport type C = D | { inline?: number };\nclass D { brand_new: true }\ninterface E { far: 1 }",
  );
  assert.deepEqual([...membersOf(found, ["A"]).keys()].sort(), [
    "base",
    "brand_new",
    "deep",
    "inline",
    "inner",
    "old",
    "x-y",
  ]);
});
