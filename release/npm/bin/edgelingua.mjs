#!/usr/bin/env node
// Runs the program edgelingua from the package for the platform.
import { spawn } from "node:child_process";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { binaryOf, platforms, tarballOf } from "./platforms.mjs";

const require = createRequire(import.meta.url);
const { name, version } = require("../package.json");

// fail prints a line on stderr and ends the launcher.
function fail(why) {
  process.stderr.write(`edgelingua: ${why}\n`);
  process.exit(1);
}

// installed returns the folder and the version of a platform's package, or undefined if the package
// is not installed.
function installed(platform) {
  try {
    const manifest = require.resolve(`${name}-${platform}/package.json`);
    return { folder: dirname(manifest), version: require(manifest).version };
  } catch (error) {
    if (error.code === "MODULE_NOT_FOUND") return undefined;
    throw error;
  }
}

// program returns the path of the program for the platform of the running Node.
function program() {
  const platform = `${process.platform}-${process.arch}`;
  if (!(platform in platforms)) {
    const known = Object.keys(platforms).join(", ");
    fail(`there is no program for ${platform}, only for ${known}; build it from its source there`);
  }
  // In a registry anybody may own a name without a scope. A package without a scope is therefore
  // installed only by path.
  const out = name.startsWith("@")
    ? `npm install ${name}-${platform}@${version}`
    : `npm install ./${tarballOf(platform)}, from the release of ${version}`;
  const found = installed(platform);
  if (!found) {
    const other = Object.keys(platforms).find(installed);
    const why = other
      ? `${name}-${other} is there, which is for another platform`
      : "npm's --omit=optional leaves it out";
    fail(`the package for ${platform} is not installed (${why}); ${out}`);
  }
  if (found.version !== version)
    fail(`${name}-${platform} is of version ${found.version}, and ${name} of ${version}; ${out}`);
  return join(found.folder, binaryOf(platform));
}

// At a terminal Ctrl-C reaches every process of the foreground, including the program. Forwarding
// SIGINT would send the program a second SIGINT, and end it at once with its streams open.
const attended = process.stdin.isTTY || process.stdout.isTTY || process.stderr.isTTY;

let child;
const forward = (signal) => {
  if (signal !== "SIGINT" || !attended) child.kill(signal);
};
const signals = ["SIGINT", "SIGTERM", "SIGHUP"];
for (const signal of signals) process.on(signal, forward);

const path = program();
child = spawn(path, process.argv.slice(2), { stdio: "inherit" });
child.on("error", (error) =>
  fail(`${path} can't be run (${error.message}); install it again, where programs may be run`),
);
child.on("exit", (code, signal) => {
  if (!signal) process.exit(code);
  for (const each of signals) process.off(each, forward);
  process.kill(process.pid, signal); // the launcher ends by the same signal as the program
});
