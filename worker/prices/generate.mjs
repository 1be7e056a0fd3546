// Regenerates table.json from the npm package @pydantic/genai-prices (MIT), at the version that
// e2e/package.json pins:
//
//   node worker/prices/generate.mjs e2e/node_modules/@pydantic/genai-prices DATE > worker/prices/table.json
//
// newer.json has models that the version lacks: the source of each price, the day when the source was
// read, and rows as in table.json. A version with the model's own entry fails: then the line goes.
//
// DATE is the day when npm published the version. e2e/endpoints/prices.test.mjs fails if table.json
// differs from the output of this script.
import { readFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";

const FIELDS = ["input_mtok", "output_mtok", "cache_read_mtok", "cache_write_mtok", "web_searches_kcount"];
// For some of Google's models the package excludes names with "-tts" by a negative lookahead, which
// RE2 lacks. Those models come last here, after the speech models have had their match.
const NO_SPEECH = "^(?!.*-[tT][tT][sS](?:$|-))";

// Models for embeddings: their answers have no tokens, so the package has no price for output.
const EMBEDS = /embed|bge-(?!reranker)|^voyage-/i;

const [folder, date] = process.argv.slice(2);
const { findProvider } = await import(pathToFileURL(resolve(folder, "dist/index.js")));
const { version } = JSON.parse(await readFile(join(folder, "package.json"), "utf8"));
const source = await readFile(join(folder, "dist/index.js"), "utf8");
const names = [...new Set([...source.matchAll(/^ {4}id: "([^"]+)"/gm)].map(([, id]) => id))];

const newer = JSON.parse(await readFile(new URL("newer.json", import.meta.url), "utf8"));

const escaped = (text) => text.replace(/[.*+?^${}()|[\]\\/]/g, "\\$&");

// matches returns the patterns of a rule as a list; a model's name has to match one of them. A
// pattern is "=" and the exact name, or an RE2 regular expression.
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
// searches]: in US dollars per million tokens, and per thousand searches; null: the model has no
// such price. A row is valid from the day `from`, for prompts of more than `over` tokens. The last
// valid row is the price. If a price depends on the hour, the row has the highest price. embeds: the
// model makes embeddings.
function rowsOf(prices, embeds) {
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
      const row = FIELDS.map(dearest);
      if (embeds) row[1] ??= 0;
      rows.push([day, over, ...row]);
    }
  }
  return rows;
}

const providers = [];
for (const id of names) {
  const { api_pattern, models } = findProvider({ providerId: id });
  const speech = ({ match }) => JSON.stringify(match).includes(JSON.stringify(NO_SPEECH));
  const rows = [...models.filter((model) => !speech(model)), ...models.filter(speech)]
    .map(({ id, match, prices }) => ({
      match: matches(match),
      prices: rowsOf(prices, EMBEDS.test(id + JSON.stringify(match))),
    }))
    .filter(({ prices }) => prices.some(([, , input, output]) => input !== null && output !== null));
  for (const { model, prices } of newer.filter(({ provider }) => provider === id).reverse()) {
    if (models.some((known) => known.id === model)) throw new Error(`newer.json: the package has ${model}`);
    rows.unshift({ match: [`=${model}`], prices });
  }
  if (rows.length > 0) providers.push({ url: `^(?:${api_pattern})`, models: rows });
}
const lines = providers.map(
  ({ url, models }) =>
    `{"url":${JSON.stringify(url)},"models":[\n${models.map((model) => JSON.stringify(model)).join(",\n")}]}`,
);
console.log(
  `{"source":"@pydantic/genai-prices ${version}","date":"${date}","providers":[\n${lines.join(",\n")}]}`,
);
