// The requests that a limit has refused: they are counted apart from errors.
import { table } from "./chart.mjs";
import { requestId } from "../lib/copy.mjs";
import { h } from "../lib/dom.mjs";

// refusedBy returns the table of refusals by key and limit, or undefined without any. nameOf(key)
// returns the displayed name of a key.
export function refusedBy(refused, nameOf) {
  if (refused.length === 0) return undefined;
  const sums = new Map();
  for (const row of refused) {
    const id = `${row.limit}/${row.key}`;
    const sum = sums.get(id);
    if (sum) sum.requests += row.requests;
    else sums.set(id, { ...row });
  }
  const rows = [...sums.values()].map(({ limit, key, requests, last, request_id: request, model }) => [
    h("code", null, limit),
    nameOf(key),
    requests.toLocaleString(),
    new Date(last * 1000).toLocaleString(),
    model ? h("code", null, model) : "—",
    requestId(request, "—"),
  ]);
  return h(
    "section",
    { class: "card wide-table" },
    h("h2", null, "Refused by limits"),
    table("Refused by limits", ["Limit", "Key", "Requests", "Last", "Last model", "Last request"], rows),
  );
}

// refusedIn returns the number of refused requests in words, or false for none.
export function refusedIn(refused) {
  const n = refused.reduce((sum, { requests }) => sum + requests, 0);
  return n > 0 && `${n.toLocaleString()} more refused by limits`;
}
