// The types of requests and answers in the newest official SDKs, as a graph of members: for
// wasmtest/ledger, which sends every member through the translator.
import { fileURLToPath } from "node:url";
import { API, SymbolFlags, TypeFlags } from "typescript/unstable/sync";

const folder = fileURLToPath(new URL("..", import.meta.url));

// The roots, by API and direction. Google's SDK has a type of its own for a request, with the
// members of generationConfig beside the others, and with options of the SDK itself.
const ROOTS = {
  "anthropic.request": `Omit<import('@anthropic-ai/sdk/resources/beta/messages/messages').
    MessageCreateParamsBase, 'betas' | 'user_profile_id' | 'workspace_id'> & Anthropic.Older`, // the three are headers
  "anthropic.answer": "import('@anthropic-ai/sdk/resources/beta/messages/messages').BetaMessage",
  "chat.request": "import('openai/resources/chat/completions/completions').ChatCompletionCreateParamsBase",
  "chat.answer": "import('openai/resources/chat/completions/completions').ChatCompletion",
  "responses.request": "import('openai/resources/responses/responses').ResponseCreateParamsBase",
  "responses.answer": "import('openai/resources/responses/responses').Response",
  "gemini.request": `Google.GenerationOf & { contents: Google.Content[]; systemInstruction?: Google.Content;
    tools?: Google.Tool[]; generationConfig?: import('@google/genai').GenerationConfig }`,
  "gemini.answer": `Pick<import('@google/genai').GenerateContentResponse, 'candidates' | 'createTime' |
    'modelVersion' | 'promptFeedback' | 'responseId' | 'usageMetadata' | 'modelStatus'>`,
  "interactions.request": "Google.InteractionOf",
  "interactions.answer": "import('@google/genai').Interactions.Interaction",
};
// Older has members that the newest types lack, and that clients of older models send.
const SOURCE = `declare namespace Anthropic {
  type Older = { temperature?: number; top_k?: number; top_p?: number };
}
declare namespace Google {
  type InteractionOf = Omit<import('@google/genai').Interactions.InteractionCreateParams.
    CreateModelInteractionParams, 'api_version'>; // the version is in the path
  type Content = import('@google/genai').Content; type Tool = import('@google/genai').Tool;
  type Config = import('@google/genai').GenerateContentConfig;
  type GenerationOf = Omit<Config, keyof import('@google/genai').GenerationConfig | 'httpOptions' |
    'abortSignal' | 'automaticFunctionCalling' | 'shouldReturnHttpResponse' | 'systemInstruction' | 'tools'>;
}
`;

const file = folder + "schemas.virtual.ts";
const config = folder + "schemas.virtual.json";
const options = { module: "nodenext", moduleResolution: "nodenext", strict: true, skipLibCheck: true };

// schemas returns the types that are reachable from the roots. A type is an object with a
// description for each member; the name of an optional member ends with "?". A description lists
// alternatives with "|": string, number, boolean, null, any, map (any keys), the name of a type,
// "=word" for a literal, and "[...]" for a list.
export function schemas(roots = ROOTS, more = "") {
  const text = `${SOURCE}${more}
interface Roots {
${Object.entries(roots)
  .map(([name, type]) => `  "${name}": ${type};`)
  .join("\n")}
}
declare const roots: Roots;
export { roots };
`;
  const virtual = {
    [file]: text,
    [config]: JSON.stringify({ compilerOptions: options, files: [file] }),
  };
  const api = new API({
    cwd: folder,
    fs: {
      readFile: (name) => virtual[name],
      fileExists: (name) => (name in virtual ? true : undefined),
    },
  });
  try {
    const project = api.updateSnapshot({ openProjects: [config] }).getProject(config);
    const wrong = project.program.getSemanticDiagnostics(file).map((d) => d.text);
    if (wrong.length > 0) throw new Error(wrong.join("\n"));
    return describe(project.checker, text);
  } finally {
    api.close();
  }
}

function describe(checker, text) {
  const types = {};
  const names = new Map(); // by the id of the type
  const todo = [];
  const nameOf = (type) => {
    if (names.has(type.id)) return names.get(type.id);
    const symbol = type.getAliasSymbol?.() ?? type.getSymbol?.();
    let name = symbol?.name ?? "";
    if (!/^[A-Za-z]\w*$/.test(name) || name === "Omit" || name === "Pick") name = "Anonymous";
    const taken = new Set(names.values());
    let unique = name;
    for (let n = 2; taken.has(unique); n++) unique = `${name}${n}`;
    names.set(type.id, unique);
    todo.push(type);
    return unique;
  };
  const one = (type) => {
    const { flags } = type;
    if (flags & (TypeFlags.Undefined | TypeFlags.Void)) return [];
    if (flags & TypeFlags.Null) return ["null"];
    if (type.isUnionType?.()) return type.getTypes().flatMap(one);
    if (flags & TypeFlags.StringLiteral || flags & TypeFlags.NumberLiteral) return [`=${type.value}`];
    if (flags & TypeFlags.BooleanLike) return ["boolean"];
    if (flags & TypeFlags.NumberLike) return ["number"];
    if (flags & TypeFlags.StringLike) return ["string"];
    if (flags & (TypeFlags.Any | TypeFlags.Unknown | TypeFlags.NonPrimitive)) return ["any"];
    if (type.isIntersectionType?.()) {
      if (type.getTypes().some((t) => t.flags & TypeFlags.StringLike)) return ["string"];
      return [nameOf(type)];
    }
    if (checker.isArrayLikeType(type)) return [`[${list(checker.getTypeArguments(type)[0])}]`];
    const name = type.getSymbol?.()?.name;
    if (["Uint8Array", "Promise"].includes(name)) return [];
    if (checker.getPropertiesOfType(type).length === 0) return ["map"];
    return [nameOf(type)];
  };
  const list = (type) => {
    const all = new Set(one(type));
    // with "string", literals are only names that the SDK knows
    return [...all]
      .filter((one) => one[0] !== "=" || !all.has("string"))
      .sort()
      .join("|");
  };
  const symbol = checker.getSymbolAtPosition(file, text.lastIndexOf("roots }") + 1);
  const result = {};
  for (const root of checker.getPropertiesOfType(checker.getTypeOfSymbol(symbol))) {
    const type = checker.getTypeOfSymbol(root);
    names.set(type.id, root.name);
    todo.push(type);
    result[root.name] = list(type);
  }
  while (todo.length > 0) {
    const type = todo.shift();
    const members = (types[nameOf(type)] = {});
    for (const member of checker.getPropertiesOfType(type)) {
      if (member.flags & SymbolFlags.Method) continue;
      const described = list(checker.getTypeOfSymbol(member));
      const optional = member.flags & SymbolFlags.Optional ? "?" : "";
      if (described !== "") members[member.name + optional] = described;
    }
  }
  return { roots: result, types };
}
