// The SDKs for Go: the program of the folder golang runs a job.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { text } from "node:stream/consumers";
import { goProgram } from "../../lib/programs.mjs";

const program = () => goProgram("GO_SDKS", "golang", ".", "-C", "e2e/sdks/full/golang", "-ldflags=-s -w");

export const run = (sdk) => async (job) => {
  const child = spawn(await program(), { stdio: "pipe" });
  child.stdin.end(JSON.stringify({ ...job, sdk }));
  const [printed, failure, [code]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, "close"),
  ]);
  if (code !== 0) throw new Error(failure);
  const { called, ...outcome } = JSON.parse(printed);
  for (const [name, city] of called) await job.tools.find((tool) => tool.name === name).run({ city });
  if (job.schema) outcome.object = JSON.parse(outcome.texts.at(-1));
  return outcome;
};
