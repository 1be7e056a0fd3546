// The library in Workers, where a module can't be compiled: wrangler compiles what is imported.
import module from "../worker/app.wasm";
import { loader } from "./translator.mjs";

export { TranslationError } from "./error.mjs";

export const load = loader(async () => module);
