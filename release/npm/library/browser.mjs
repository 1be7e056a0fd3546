// The library in browsers. Bundlers find a file by new URL(..., import.meta.url), and add the file
// to their output (Vite, "Static Asset Handling"; webpack, "Asset Modules").
import { fetcher } from "./fetch.mjs";
import { loader } from "./translator.mjs";

export { TranslationError } from "./error.mjs";

export const load = loader(async () =>
  WebAssembly.compileStreaming(fetch(new URL("../worker/app.wasm", import.meta.url))),
);

export const createFetch = fetcher(load);
