// Measures the CPU time of subjects in turns.
import assert from "node:assert/strict";
import { CLIENT_KEY, open, params } from "../lib/client.mjs";
import { cpuOf } from "./process.mjs";
import { EVENTS, PROSE } from "./upstream.mjs";

export const BLOCKS = 5;

// measure runs blocks of n runs of each subject, with the subjects taking turns, and notes each
// block's CPU time per run in ms. Before the first block it warms the subjects up, until the engine
// has compiled the code.
export async function measure(subjects, run, warmUp, n) {
  try {
    for (let i = 0; i < warmUp; i++) for (const subject of subjects) await run(subject);
    for (let block = 0; block < BLOCKS; block++) {
      // a waiting worker uses no CPU time
      const before = subjects.map(({ at }) => cpuOf(at.pid));
      for (let i = 0; i < n; i++) for (const subject of subjects) await run(subject);
      for (const [i, subject] of subjects.entries())
        (subject.blocks ??= []).push((cpuOf(subject.at.pid) - before[i]) / n);
    }
  } finally {
    for (const subject of subjects) await subject.at.close();
  }
}

const median = (values) => values.toSorted((a, b) => a - b)[values.length >> 1];

// cpu returns the median of a subject's blocks, in ms.
export const cpu = ({ blocks }) => median(blocks);

// spread returns the least and the greatest of a subject's blocks.
export const spread = ({ blocks }) =>
  `${Math.min(...blocks).toPrecision(3)} to ${Math.max(...blocks).toPrecision(3)}`;

// ratios compares two subjects block by block: other work of the machine slows both subjects of a
// block down.
export function ratios(subject, other) {
  const values = subject.blocks.map((ms, i) => ms / other.blocks[i]);
  return { median: median(values), least: Math.min(...values), greatest: Math.max(...values) };
}

// stream reads a stream to its end and asserts that the stream is whole.
export async function stream({ at, path, end, key = CLIENT_KEY }, events = EVENTS, more = {}) {
  const headers = { "x-api-key": key };
  const { status, body } = await open(at.url, { path, headers, body: params({ stream: true, ...more }) })
    .reply;
  let tail = "";
  let deltas = 0;
  for await (const part of body) {
    tail = tail.slice(-100) + part.toString("latin1");
    for (let i = 0; (i = part.indexOf("token", i)) >= 0; i++) deltas++;
  }
  assert.equal(status, 200, tail);
  assert.ok(tail.includes(end), `the stream ended with ${tail}`);
  assert.ok(deltas >= events * 0.99, `${deltas} tokens`); // the end of a chunk cuts a few tokens
}

// TOGETHER streams run at the same time, each with PACED events at intervals of GAP ms.
export const [TOGETHER, PACED, GAP] = [20, 300, 10];

// paced reads streams with events at the pace of a model.
export const paced = (subject) =>
  Promise.all(
    Array.from({ length: TOGETHER }, () =>
      stream(subject, PACED, { model: JSON.stringify({ events: PACED, gap: GAP }) }),
    ),
  );

// request sends a plain request of 2 KB and reads the answer.
export async function request({ at, path, key = CLIENT_KEY }) {
  const { status, body } = await open(at.url, {
    path,
    headers: { "x-api-key": key },
    body: { ...params(), messages: [{ role: "user", content: PROSE }] },
  }).reply;
  let text = "";
  for await (const part of body) text += part;
  assert.equal(status, 200, text);
  assert.ok(text.includes(PROSE), text);
}
