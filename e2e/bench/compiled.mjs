// Counts the functions of the module that V8 compiles for an answer. V8 compiles a function as a
// whole at its first call.
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { startAlone } from "./alone.mjs";

// compiledFor starts a worker (startAlone) and calls answer with it. It resolves with the number of
// functions that V8 compiled for the answer, and with their size in the module in bytes. V8 writes
// its list of compiled functions only on Linux.
export async function compiledFor(options, answer) {
  const at = await startAlone({ ...options, engine: ["--perf-basic-prof", "--perf-basic-prof-path=."] });
  try {
    await answer(at);
    const wasm = options.modules["app.wasm"].contents;
    const imports = WebAssembly.Module.imports(new WebAssembly.Module(wasm)).filter(
      ({ kind }) => kind === "function",
    ).length;
    const sizes = sizesOf(wasm);
    const indexes = new Set(
      [
        ...(await readFile(join(at.folder, `perf-${at.pid}.map`), "latin1")).matchAll(
          / JS:wasm-function\[(\d+)\]-/g,
        ),
      ].map(([, index]) => index - imports),
    );
    return { functions: indexes.size, bytes: [...indexes].reduce((sum, index) => sum + sizes[index], 0) };
  } finally {
    await at.close();
  }
}

const CODE = 10; // https://webassembly.github.io/spec/core/binary/modules.html#code-section

// sizesOf returns the size of each function in a module, without imports.
function sizesOf(wasm) {
  let at = 8;
  const number = () => {
    for (let [value, shift] = [0, 0]; ; shift += 7) {
      const byte = wasm[at++];
      value |= (byte & 127) << shift;
      if (byte < 128) return value;
    }
  };
  for (;;) {
    if (at >= wasm.length) throw new Error("the module has no functions");
    const section = wasm[at++];
    const size = number();
    if (section === CODE) break;
    at += size;
  }
  return Array.from({ length: number() }, () => {
    const size = number();
    at += size;
    return size;
  });
}
