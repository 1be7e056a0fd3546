// The library in Workers. Workers can't compile a module at run time: wrangler compiles imported
// modules.
import module from "../worker/app.wasm";
import { fetcher } from "./fetch.mjs";
import { loader } from "./translator.mjs";

export { TranslationError } from "./error.mjs";

export const load = loader(async () => module);

export const createFetch = fetcher(load);
