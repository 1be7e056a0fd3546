// Sessions of Claude Code and Codex, by their strict doubles of package wasmtest/clients: a program
// that the tests start.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { text } from "node:stream/consumers";
import { CLIENT_KEY } from "./client.mjs";
import { goProgram } from "./programs.mjs";

// session runs a session: { client: "claude code" or "codex", version, urls, say, ... }, as the
// program's type session has it. It resolves with what the client has said and called, { said,
// calls }; a session that ends early is an error.
export async function session(steps) {
  const child = spawn(await goProgram("CLIENTS", "clientd", "./wasmtest/clients/clientd"), { stdio: ["pipe", "pipe", "inherit"] });
  child.stdin.end(JSON.stringify({ key: CLIENT_KEY, ...steps }));
  const [written, [code]] = await Promise.all([text(child.stdout), once(child, "close")]);
  if (code !== 0) throw new Error(`the client has ended with ${code}`);
  const { error, ...outcome } = JSON.parse(written);
  if (error) throw new Error(error);
  return outcome;
}
