// What models cost, as worker/prices says it for the local host. The table is loaded with the first request that is counted.
import { providers } from "./price_table.mjs";

const encoder = new TextEncoder();

const ready = providers.map(({ url, models }) => ({ url: new RegExp(url), models, fitting: undefined }));

// fittingOf returns how a provider's models are found: the first one that an exact name is that of, and patterns, each with its model's index.
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
    const { names, patterns } = fittingOf(provider);
    let at = names.get(model) ?? provider.models.length;
    for (const [pattern, index] of patterns) if (index < at && pattern.test(model)) at = index;
    if (at < provider.models.length) return provider.models[at].prices;
  }
  return [];
}

// pricesOf returns the outcome of the bridge's call prices: what a model costs that is asked for at a URL, on a day as 2026-11-23.
export function pricesOf(url, model, today = new Date().toISOString().slice(0, 10)) {
  const prices = find(url, model);
  const day = prices.map(([from]) => from).findLast((from) => from <= today);
  const rows = prices.filter(([from]) => from === day);
  return [0, encoder.encode(rows.map(([, ...numbers]) => `${numbers.map((n) => n ?? -1).join(" ")}\n`).join(""))];
}
