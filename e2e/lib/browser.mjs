// A browser for the tests of the page: the Chromium that CHROMIUM or PATH names. The headless shell
// has the same engine without windows, and takes a third of the processor's time.
import { existsSync } from "node:fs";
import { delimiter, join } from "node:path";
import { chromium } from "playwright-core";
import { PATIENCE } from "./waiting.mjs";

const NAMES = [
  "chromium-headless-shell",
  "chromium",
  "chromium-browser",
  "google-chrome",
  "google-chrome-stable",
  "chrome",
];
const FLAGS = [
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];

function find() {
  if (process.env.CHROMIUM) return process.env.CHROMIUM;
  for (const folder of process.env.PATH.split(delimiter))
    for (const name of NAMES) if (existsSync(join(folder, name))) return join(folder, name);
  throw new Error(
    "There is no Chromium on PATH, which the tests of the page need. " +
      "Install one, or name it with the variable CHROMIUM.",
  );
}

// launch starts a browser. close() ends the browser.
export const launch = () => chromium.launch({ executablePath: find(), args: FLAGS, timeout: PATIENCE });
