// The prices of models, as in worker/prices for the local host. The table is loaded at the first
// counted request.
import { providers } from "./price_table.mjs";

const encoder = new TextEncoder();

const ready = providers.map(({ url, models }) => ({ url: new RegExp(url), models, fitting: undefined }));

// fittingOf returns the lookup tables of a provider's models. names maps an exact name to the index
// of the first model with the name. patterns has the regular expressions for other names, each with
// the index of its model.
function fittingOf(provider) {
  if (provider.fitting) return provider.fitting;
  const fitting = { names: new Map(), patterns: [] };
  for (const [index, { match }] of provider.models.entries()) {
    for (const rule of match) {
      if (rule[0] !== "=") fitting.patterns.push([new RegExp(rule), index]);
      else if (!fitting.names.has(rule.slice(1))) fitting.names.set(rule.slice(1), index);
    }
  }
  return (provider.fitting = fitting);
}

function find(url, model) {
  for (const provider of ready) {
    if (!provider.url.test(url)) continue;
    if (model === "") return provider.models[0].prices;
    const { names, patterns } = fittingOf(provider);
    let at = names.get(model) ?? provider.models.length;
    for (const [pattern, index] of patterns) if (index < at && pattern.test(model)) at = index;
    if (at < provider.models.length) return provider.models[at].prices;
  }
  return undefined;
}

const snapshot = /(?:-\d{4}-\d\d-\d\d|-\d{8}|@\d{8}|@default)$/;
const variant = /:(?:nitro|floor|exacto)$/;

// namesOf returns the names under which the table may have a model, the best one first: see
// worker/prices/names.go.
function namesOf(url, model) {
  const names = [model];
  if (url.includes("googleapis.com/")) names.push((model = model.replace(/^models\//, "")));
  if (url.includes("openrouter.ai/")) names.push((model = model.replace(variant, "")));
  return [...names, model.replace(snapshot, "")];
}

// pricesOf returns the result of the bridge's call prices: the price of a model at the upstream
// with a URL. today is a day such as 2026-11-23.
export function pricesOf(url, model, today = new Date().toISOString().slice(0, 10)) {
  const prices = namesOf(url, model).reduce((found, name) => found ?? find(url, name), undefined) ?? [];
  const day = prices.map(([from]) => from).findLast((from) => from <= today);
  const rows = prices.filter(([from]) => from === day);
  return [
    0,
    encoder.encode(rows.map(([, ...numbers]) => `${numbers.map((n) => n ?? -1).join(" ")}\n`).join("")),
  ];
}
