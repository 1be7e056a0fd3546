// Says what V8 compiles of the module for an answer. It compiles each function as a whole, when it
// is first called.
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { startAlone } from "./alone.mjs";

// compiledFor starts a worker (startAlone), has answer ask it, and resolves with the number of
// functions that V8 compiled for that, and the bytes that these take in the module. V8 lists what
// it compiles in a file, on Linux alone.
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

// sizesOf returns the size of each function that a module defines.
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
