// Sums of the usage API's counts.
export { dollars, known, money, without } from "../lib/money.mjs";

const COUNTS = [
  "requests",
  "errors",
  "fell",
  "input",
  "output",
  "cached",
  "written",
  "reasoning",
  "searches",
  "usd",
  "unpriced",
];

// nothing returns the sum of no rows. first and total are histograms: an upper bound in
// milliseconds, and a number of requests.
const nothing = () => ({ ...Object.fromEntries(COUNTS.map((key) => [key, 0])), first: {}, total: {} });

function add(sum, row) {
  for (const key of COUNTS) sum[key] += row[key] ?? 0;
  for (const [to, from] of [
    [sum.first, row.first_byte_ms],
    [sum.total, row.total_ms],
  ]) {
    for (const [most, n] of Object.entries(from ?? {})) to[most] = (to[most] ?? 0) + n;
  }
  return sum;
}

export const sumOf = (rows) => rows.reduce(add, nothing());

// by returns [[name, sum]] of rows, grouped by the value of a member. The most expensive sums come
// first, then those with the most requests.
export function by(rows, member) {
  const sums = new Map();
  for (const row of rows) {
    const name = row[member] ?? "";
    sums.set(name, add(sums.get(name) ?? nothing(), row));
  }
  return [...sums].sort(([, a], [, b]) => b.usd - a.usd || b.requests - a.requests);
}

// quantile returns the quantile q of a histogram in milliseconds, or undefined for an empty
// histogram.
export function quantile(histogram, q) {
  const buckets = Object.entries(histogram)
    .map(([most, n]) => [Number(most), n])
    .sort(([a], [b]) => a - b);
  let left = q * buckets.reduce((n, [, m]) => n + m, 0);
  for (const [most, n] of buckets) if ((left -= n) <= 0) return most;
  return undefined;
}

// lastDays returns the last n days including today, in UTC like the API.
export const lastDays = (n) =>
  Array.from({ length: n }, (_, i) =>
    new Date(Date.now() - (n - 1 - i) * 86_400_000).toISOString().slice(0, 10),
  );

// csv returns rows for a spreadsheet, with an empty cell for an unknown cost. It escapes a text that
// begins like a formula, because clients choose the names of models.
export function csv(rows) {
  const heads = [
    rows[0]?.time === undefined ? "day" : "hour",
    "model",
    "key",
    "upstream",
    ...COUNTS,
    "first_byte_p50_ms",
    "first_byte_p95_ms",
    "total_p50_ms",
    "total_p95_ms",
  ];
  const lines = rows.map((row) => [
    row.day ?? new Date(row.time * 1000).toISOString(),
    row.model,
    row.key,
    row.upstream,
    ...COUNTS.map((key) => (key === "usd" && row.unpriced > 0 ? row.usd || "" : (row[key] ?? 0))),
    ...[row.first_byte_ms, row.total_ms].flatMap((times) =>
      [0.5, 0.95].map((q) => quantile(times ?? {}, q) ?? ""),
    ),
  ]);
  const cell = (value) => {
    const text = String(value ?? "");
    const safe = typeof value === "string" && /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
    return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
  };
  return [heads, ...lines].map((line) => `${line.map(cell).join(",")}\r\n`).join("");
}

// lasts formats a time in milliseconds.
export const lasts = (ms) =>
  ms === undefined
    ? "—"
    : ms < 1000
      ? `${ms} ms`
      : `${(ms / 1000).toLocaleString("en-US", { maximumFractionDigits: 1 })} s`;

// share formats a part of a whole in per cent.
export const share = (part, whole) => (whole > 0 ? `${Math.round((100 * part) / whole)} %` : "—");
