// workerd as a separate process, and its figures in /proc.
import assert from "node:assert/strict";
import { existsSync, readFileSync, readdirSync } from "node:fs";
import { startWorkerd } from "../lib/target.mjs";

// startSubject starts a worker and finds its workerd process.
export async function startSubject(options) {
  const before = new Set(workerds());
  const at = await startWorkerd(options);
  const [pid, ...others] = workerds().filter((pid) => !before.has(pid));
  assert.ok(pid && others.length === 0, "expected one new workerd process");
  return { ...at, pid };
}

// statOf returns the fields of /proc/PID/stat after the command's name, or null if the process has
// ended.
function statOf(pid) {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "latin1");
    const at = stat.lastIndexOf(")");
    return { command: stat.slice(stat.indexOf("(") + 1, at), fields: stat.slice(at + 2).split(" ") };
  } catch {
    return null;
  }
}

// workerds returns the pids of the workerd processes that the running process has started.
function workerds() {
  return readdirSync("/proc").filter((pid) => {
    const stat = /^\d+$/.test(pid) && statOf(pid);
    return stat && stat.command === "workerd" && Number(stat.fields[1]) === process.pid;
  });
}

// cpuOf returns the CPU time of a process's threads in ms. /proc/PID/task/TID/schedstat counts
// nanoseconds, /proc/PID/stat only ticks of 10 ms. The threads of workerd and of the local host do
// not end early.
export const cpuOf = (pid) =>
  readdirSync(`/proc/${pid}/task`).reduce((ms, task) => ms + threadTime(pid, task), 0);

function threadTime(pid, task) {
  try {
    return Number(readFileSync(`/proc/${pid}/task/${task}/schedstat`, "latin1").split(" ")[0]) / 1e6;
  } catch (error) {
    if (error.code !== "ESRCH" && existsSync(`/proc/${pid}/task/${task}`)) throw error;
    return 0; // the thread has just ended
  }
}

// residentOf returns the resident memory of a process in bytes.
export const residentOf = (pid) => Number(statOf(pid).fields[21]) * 4096;
