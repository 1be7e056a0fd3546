// The view of an endpoint's last days: requests, tokens and errors, and how much of its limits is used.
import { bars, short, table } from "./chart.mjs";
import { button, h, show } from "./dom.mjs";
import { copyButton } from "./copy.mjs";
import { notice } from "./notice.mjs";

const DAYS = 30;
const LIMITS = { requests_per_minute: "Requests this minute", concurrent_streams: "Open streams", tokens_per_day: "Tokens today", concurrent_requests: "Open requests" };

// watchView returns the view of what usage(days) resolves with, which is in the API's form.
export function watchView(usage) {
  const place = h("div", { class: "stack", "aria-busy": "true" }, h("p", { class: "quiet" }, "Loading …"));
  const draw = async () => {
    try {
      show(place, ...view(await usage(DAYS), draw));
    } catch (error) {
      if (error.status === undefined) throw error;
      show(place, notice("bad", error.message), h("div", { class: "actions" }, button("Try again", draw)));
    } finally {
      place.removeAttribute("aria-busy");
    }
  };
  draw();
  return place;
}

function view({ usage, days, errors, limits }, draw) {
  const again = h("div", { class: "actions" }, button("Refresh", draw, { class: "small" }));
  const full = h("div", { class: "meters" }, Object.entries(limits ?? {}).map(meter));
  if (!usage) return [full, h("div", { class: "card empty" }, h("h2", null, "No usage is kept"), h("p", { class: "quiet" }, "Its operator can have it kept: under Settings, Limits and usage.")), again];
  const list = lastDays(DAYS);
  const sum = (key) => list.map((day) => days.filter((d) => d.day === day).reduce((n, d) => n + (d[key] ?? 0), 0));
  const [requests, failed, input, output] = ["requests", "errors", "input", "output"].map(sum);
  const total = (values) => values.reduce((a, b) => a + b, 0);
  const tiles = [
    ["Requests", total(requests)],
    ["Errors", total(failed)],
    ["Tokens in", total(input)],
    ["Tokens out", total(output)],
  ];
  return [
    full,
    h("dl", { class: "tiles" }, tiles.map(([name, n]) => h("div", { class: "card" }, h("dt", null, name), h("dd", { title: n.toLocaleString() }, short(n))))),
    bars("Requests", list, [{ name: "answered", values: requests.map((n, i) => n - failed[i]), tone: "accent" }, { name: "errors", values: failed, tone: "failed" }]),
    bars("Tokens", list, [{ name: "in", values: input, tone: "accent" }, { name: "out", values: output, tone: "violet" }]),
    models(days),
    lastErrors(errors),
    again,
  ];
}

// lastDays returns the last n days up to today, in UTC as the API counts them.
const lastDays = (n) => Array.from({ length: n }, (_, i) => new Date(Date.now() - (n - 1 - i) * 86_400_000).toISOString().slice(0, 10));

function models(days) {
  const sums = new Map();
  for (const { model, ...counts } of days) {
    const sum = sums.get(model) ?? { requests: 0, errors: 0, input: 0, output: 0, cached: 0, reasoning: 0 };
    for (const key of Object.keys(sum)) sum[key] += counts[key] ?? 0;
    sums.set(model, sum);
  }
  const rows = [...sums].sort(([, a], [, b]) => b.requests - a.requests).map(([model, sum]) => [h("code", null, model), ...Object.values(sum).map((n) => n.toLocaleString())]);
  return h("section", { class: "card" }, h("h2", null, "Models"), rows.length > 0 ? table("Models", ["Model", "Requests", "Errors", "In", "Out", "Cached", "Reasoning"], rows) : h("p", { class: "quiet" }, "No request yet."));
}

function lastErrors(errors) {
  const rows = errors.map(({ time, status, type, request_id: request }) => [
    new Date(time * 1000).toLocaleString(),
    `${status} ${type}`,
    request ? h("span", { class: "line" }, h("code", null, request), copyButton(() => request, `the request id ${request}`)) : "—",
  ]);
  return h("section", { class: "card" }, h("h2", null, "Last errors"), rows.length > 0 ? table("Last errors", ["Time", "Error", "Request"], rows) : h("p", { class: "quiet" }, "None."));
}

function meter([key, { limit, used }]) {
  const label = LIMITS[key] ?? key;
  return h(
    "div",
    { class: used >= 0.9 * limit ? "card meter full" : "card meter" },
    h("p", null, label, h("span", { class: "quiet" }, `${used.toLocaleString()} of ${limit.toLocaleString()}`)),
    h("progress", { max: limit, value: Math.min(used, limit), "aria-label": label }),
  );
}
