// The library in browsers. Bundlers find a file by new URL(..., import.meta.url), and add the file
// to their output (Vite, "Static Asset Handling"; webpack, "Asset Modules").
import { loader } from "./translator.mjs";

export { TranslationError } from "./error.mjs";

export const load = loader(async () =>
  WebAssembly.compileStreaming(fetch(new URL("../worker/app.wasm", import.meta.url))),
);
