// workerd as a process of its own, and its figures in /proc.
import assert from "node:assert/strict";
import { existsSync, readFileSync, readdirSync } from "node:fs";
import { startWorkerd } from "../lib/target.mjs";

// startSubject starts a worker and finds the workerd process that runs it.
export async function startSubject(options) {
  const before = new Set(workerds());
  const at = await startWorkerd(options);
  const [pid, ...others] = workerds().filter((pid) => !before.has(pid));
  assert.ok(pid && others.length === 0, "expected one new workerd process");
  return { ...at, pid };
}

// statOf returns the fields of /proc/PID/stat behind the command's name, or null for a process that
// is gone.
function statOf(pid) {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "latin1");
    const at = stat.lastIndexOf(")");
    return { command: stat.slice(stat.indexOf("(") + 1, at), fields: stat.slice(at + 2).split(" ") };
  } catch {
    return null;
  }
}

// workerds returns the pids of the workerd processes that this process has started.
function workerds() {
  return readdirSync("/proc").filter((pid) => {
    const stat = /^\d+$/.test(pid) && statOf(pid);
    return stat && stat.command === "workerd" && Number(stat.fields[1]) === process.pid;
  });
}

// cpuOf returns the CPU time of the threads that a process has, in ms. Linux tells it in
// nanoseconds there, where /proc/PID/stat has ticks of 10 ms. workerd and the local host keep their
// threads.
export const cpuOf = (pid) =>
  readdirSync(`/proc/${pid}/task`).reduce((ms, task) => ms + threadTime(pid, task), 0);

function threadTime(pid, task) {
  try {
    return Number(readFileSync(`/proc/${pid}/task/${task}/schedstat`, "latin1").split(" ")[0]) / 1e6;
  } catch (error) {
    if (error.code !== "ESRCH" && existsSync(`/proc/${pid}/task/${task}`)) throw error;
    return 0; // it has just ended
  }
}

// residentOf returns the resident memory of a process in bytes.
export const residentOf = (pid) => Number(statOf(pid).fields[21]) * 4096;
