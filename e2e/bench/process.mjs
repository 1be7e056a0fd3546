// workerd as a process of its own, and what the system says of it.
import assert from "node:assert/strict";
import { readFileSync, readdirSync } from "node:fs";
import { startWorkerd } from "../lib/target.mjs";

// startSubject starts a worker and finds the process it runs in.
export async function startSubject(options) {
  const before = new Set(workerds());
  const at = await startWorkerd(options);
  const [pid, ...others] = workerds().filter((pid) => !before.has(pid));
  assert.ok(pid && others.length === 0, "expected one new workerd process");
  return { ...at, pid };
}

// statOf returns the fields of /proc/PID/stat behind the command's name, or null.
function statOf(pid) {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "latin1");
    const at = stat.lastIndexOf(")");
    return { command: stat.slice(stat.indexOf("(") + 1, at), fields: stat.slice(at + 2).split(" ") };
  } catch {
    return null;
  }
}

// workerds returns the workerd processes that this process started.
function workerds() {
  return readdirSync("/proc").filter((pid) => {
    const stat = /^\d+$/.test(pid) && statOf(pid);
    return stat && stat.command === "workerd" && Number(stat.fields[1]) === process.pid;
  });
}

// cpuOf returns the user and system time of a process in milliseconds. A tick is 10 ms on Linux.
export function cpuOf(pid) {
  const { fields } = statOf(pid);
  return (Number(fields[11]) + Number(fields[12])) * 10;
}

// residentOf returns what a process holds in memory, in bytes.
export const residentOf = (pid) => Number(statOf(pid).fields[21]) * 4096;
