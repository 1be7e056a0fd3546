// The documents for users of edgelingua.
import { readFile, readdir } from "node:fs/promises";

const root = new URL("../../", import.meta.url);

// documents returns their texts, by path from the root: README.md, CONTRIBUTING.md, and the pages of
// docs/ and its folders.
export async function documents() {
  const pages = (await readdir(new URL("docs/", root), { recursive: true })).filter((name) =>
    name.endsWith(".md"),
  );
  const names = ["README.md", "CONTRIBUTING.md", ...pages.toSorted().map((name) => `docs/${name}`)];
  return Object.fromEntries(
    await Promise.all(names.map(async (name) => [name, await readFile(new URL(name, root), "utf8")])),
  );
}
