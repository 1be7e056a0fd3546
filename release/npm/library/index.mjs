// The library in Node and Bun.
import { readFile } from "node:fs/promises";
import { fetcher } from "./fetch.mjs";
import { loader } from "./translator.mjs";

export { TranslationError } from "./error.mjs";

export const load = loader(async () =>
  WebAssembly.compile(await readFile(new URL("../worker/app.wasm", import.meta.url))),
);

export const createFetch = fetcher(load);
