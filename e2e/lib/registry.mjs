// Finds texts that would make a reader, or npm, fetch a package of ours from a registry.

const tools =
  "(?:npm (?:install|i|add|exec|x|create|init)|npx|pnpm (?:install|i|add|dlx|exec|create)|pnpx|" +
  "yarn (?:add|dlx|create)|bun (?:add|install|x)|bunx|deno (?:add|install|run))";
// The name of a tool, then any words, then a word that begins with our name, with or without a
// scope. Paths and URLs do not begin with our name. With --no npx runs only installed programs.
// After the command of npx all further words are the command's arguments.
const commands = new RegExp(String.raw`\b${tools}((?: +[^\s\x60]+)*)`, "g");
const ours = /^["']?(?:npm:)?(?:@[\w.-]+\/)?edgelingua(?:-(?!npm)[\w-]+)?(?:@\S*)?["',.;)]*$/;
const runners = /^(?:npx|pnpx|bunx|npm (?:exec|x)|pnpm (?:dlx|exec)|yarn dlx|bun x)/;
const sites = String.raw`npmjs\.(?:com|org)/(?:package/)?|unpkg\.com/|esm\.sh/|jsdelivr\.net/npm/`;
const addresses = new RegExp(String.raw`(?:${sites}|npm:(?=[\w@]))(?:@[\w.-]+/)?edgelingua`);
const dependency = /"(?:@[\w.-]+\/)?edgelingua(?:-[\w-]+)?": *"(?!file:|bin\/)[~^>=*\d]/;

// namesOf returns the parts of a text in which a tool would look up a package of ours in a
// registry.
export function namesOf(text) {
  const found = [];
  for (const line of text.split("\n")) {
    for (const [whole, rest] of line.matchAll(commands)) {
      let words = rest.trim().split(/ +/);
      if (words.includes("--no")) continue;
      if (runners.test(whole)) words = [words.find((word) => !word.startsWith("-")) ?? ""];
      if (words.some((word) => ours.test(word))) found.push(whole);
    }
    if (found.length > 0) continue;
    for (const pattern of [addresses, dependency]) if (pattern.test(line)) found.push(line.trim());
  }
  return found;
}
