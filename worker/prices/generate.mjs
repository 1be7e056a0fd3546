// Writes table.json anew from the npm package @pydantic/genai-prices (MIT), whose version
// e2e/package.json pins:
//
//   node worker/prices/generate.mjs e2e/node_modules/@pydantic/genai-prices DATE > worker/prices/table.json
//
// DATE is when npm has published that version. e2e/endpoints/prices.test.mjs finds a table that is
// not what this writes.
import { readFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";

const FIELDS = ["input_mtok", "output_mtok", "cache_read_mtok", "cache_write_mtok", "web_searches_kcount"];
// The package says of some of Google's models that "-tts" is no part of the name: RE2 has no such
// expression. Those models come last here, so that the ones for speech have been found before.
const NO_SPEECH = "^(?!.*-[tT][tT][sS](?:$|-))";

const [folder, date] = process.argv.slice(2);
const { findProvider } = await import(pathToFileURL(resolve(folder, "dist/index.js")));
const { version } = JSON.parse(await readFile(join(folder, "package.json"), "utf8"));
const source = await readFile(join(folder, "dist/index.js"), "utf8");
const names = [...new Set([...source.matchAll(/^ {4}id: "([^"]+)"/gm)].map(([, id]) => id))];

const escaped = (text) => text.replace(/[.*+?^${}()|[\]\\/]/g, "\\$&");

// matches returns the texts of a rule that a model's name is to match one of: "=" and the name, or
// a regular expression of RE2.
function matches(rule) {
  const [[kind, value]] = Object.entries(rule);
  switch (kind) {
    case "or":
      return value.flatMap(matches);
    case "and":
      return value.filter(({ regex }) => regex !== NO_SPEECH).flatMap(matches);
    case "equals":
      return [`=${value}`];
    case "starts_with":
      return [`^${escaped(value)}`];
    case "ends_with":
      return [`${escaped(value)}$`];
    case "contains":
      return [escaped(value)];
    case "regex":
      return [value];
  }
  throw new Error(`a rule of another kind: ${kind}`);
}

// rowsOf returns a model's prices as rows [from, over, input, output, cache read, cache write,
// searches]: in US dollars for a million tokens, and for a thousand searches; null: it has none of
// its own. A row counts from a day on, for prompts of more tokens than over. The last row that
// counts is the price. Where a price depends on the hour, the highest stands here.
function rowsOf(prices) {
  const list = Array.isArray(prices) ? prices : [{ prices }];
  const days = new Map();
  for (const { constraint, prices } of list) {
    const day = constraint?.start_date ?? (constraint ? ([...days.keys()].at(-1) ?? "") : "");
    days.set(day, [...(days.get(day) ?? []), prices]);
  }
  const rows = [];
  for (const [day, all] of [...days].sort(([a], [b]) => (a < b ? -1 : 1))) {
    const starts = all.flatMap((prices) =>
      FIELDS.flatMap((field) => (prices[field]?.tiers ?? []).map(({ start }) => start)),
    );
    for (const over of [-1, ...[...new Set(starts)].sort((a, b) => a - b)]) {
      const at = (price) =>
        typeof price === "object"
          ? (price.tiers.findLast(({ start }) => start <= over)?.price ?? price.base)
          : price;
      const dearest = (field) =>
        all.reduce(
          (most, prices) => (prices[field] === undefined ? most : Math.max(most ?? 0, at(prices[field]))),
          undefined,
        ) ?? null;
      rows.push([day, over, ...FIELDS.map(dearest)]);
    }
  }
  return rows;
}

const providers = [];
for (const id of names) {
  const { api_pattern, models } = findProvider({ providerId: id });
  const speech = ({ match }) => JSON.stringify(match).includes(JSON.stringify(NO_SPEECH));
  const rows = [...models.filter((model) => !speech(model)), ...models.filter(speech)]
    .map(({ match, prices }) => ({ match: matches(match), prices: rowsOf(prices) }))
    .filter(({ prices }) => prices.some(([, , input, output]) => input !== null && output !== null));
  if (rows.length > 0) providers.push({ url: `^(?:${api_pattern})`, models: rows });
}
const lines = providers.map(
  ({ url, models }) =>
    `{"url":${JSON.stringify(url)},"models":[\n${models.map((model) => JSON.stringify(model)).join(",\n")}]}`,
);
console.log(
  `{"source":"@pydantic/genai-prices ${version}","date":"${date}","providers":[\n${lines.join(",\n")}]}`,
);
