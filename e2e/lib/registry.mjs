// Looks for what would have a reader, or npm, fetch a package of ours from a registry.

const tools = String.raw`(?:npm (?:install|i|add|exec|x|create|init)|npx|pnpm (?:install|i|add|dlx|exec|create)|pnpx|yarn (?:add|dlx|create)|bun (?:add|install|x)|bunx|deno (?:add|install|run))`;
// A tool, then any words, then a word that begins with our name, with or without a scope: no path
// and no URL does. With --no npx runs nothing but what is installed, and once it has a command the
// words behind that are the command's.
const commands = new RegExp(String.raw`\b${tools}((?: +[^\s\x60]+)*)`, "g");
const ours = /^["']?(?:npm:)?(?:@[\w.-]+\/)?edgelingua(?:-(?!npm)[\w-]+)?(?:@\S*)?["',.;)]*$/;
const runners = /^(?:npx|pnpx|bunx|npm (?:exec|x)|pnpm (?:dlx|exec)|yarn dlx|bun x)/;
const addresses =
  /(?:npmjs\.(?:com|org)\/(?:package\/)?|unpkg\.com\/|esm\.sh\/|jsdelivr\.net\/npm\/|npm:(?=[\w@]))(?:@[\w.-]+\/)?edgelingua/;
const dependency = /"(?:@[\w.-]+\/)?edgelingua(?:-[\w-]+)?": *"(?!file:|bin\/)[~^>=*\d]/;

// namesOf returns the places in a text at which a package of ours is named so that a registry is
// asked for it.
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
