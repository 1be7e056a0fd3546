// The translator itself: the worker's module, run in this page.
import { Exchange } from "./exchange.mjs";

let compiled;

// load fetches and compiles the module, once.
export function load() {
  compiled ??= WebAssembly.compileStreaming(fetch("/page/app.wasm", { credentials: "omit" })).catch(
    (error) => {
      compiled = undefined;
      throw error;
    },
  );
  return compiled;
}

// openExchange calls Exchange.open with the loaded module.
export const openExchange = async (client, record, path, body) =>
  Exchange.open(await load(), client, record, path, body);
