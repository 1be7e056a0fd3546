// Sessions of Claude Code and Codex. The strict doubles of both are in package wasmtest/clients;
// the tests start the program of the package.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { text } from "node:stream/consumers";
import { CLIENT_KEY } from "./client.mjs";
import { goProgram } from "./programs.mjs";

// session runs a session: { client: "claude code" or "codex", version, urls, say, ... }, see type
// session of the program. It resolves with the client's texts and tool calls, { said, calls }. A
// session that ends early is an error.
export async function session(steps) {
  const child = spawn(await goProgram("CLIENTS", "clientd", "./wasmtest/clients/clientd"), {
    stdio: ["pipe", "pipe", "inherit"],
  });
  child.stdin.end(JSON.stringify({ key: CLIENT_KEY, ...steps }));
  const [written, [code]] = await Promise.all([text(child.stdout), once(child, "close")]);
  if (code !== 0) throw new Error(`the client has ended with ${code}`);
  const { error, ...outcome } = JSON.parse(written);
  if (error) throw new Error(error);
  return outcome;
}
