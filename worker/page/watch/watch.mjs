// The view of an endpoint's last days or hours: money, requests, tokens, times, and the used share of
// its limits.
import { bands, bars, short, table } from "./chart.mjs";
import { requestId } from "../lib/copy.mjs";
import { button, h, select, show } from "../lib/dom.mjs";
import { whyLost } from "../lib/explain.mjs";
import { LIMITS } from "../lib/limits.mjs";
import { notice } from "../lib/notice.mjs";
import { refusedBy, refusedIn } from "./refused.mjs";
import { pointsOf, queryOf, rangeChoice } from "../lib/range.mjs";
import { redraw, refresh } from "../lib/refresh.mjs";
import { by, csv, dollars, known, lasts, money, quantile, share, sumOf, without } from "./stats.mjs";

const PARTS = [
  ["model", "by model"],
  ["key", "by key"],
  ["upstream", "by upstream"],
];
// colours of the most expensive parts; the others are one further part
const TONES = ["accent", "violet", "warm", "green"];

// watchView returns the view of the result of usage(query), which has the API's form. labels maps
// the ids of keys to labels; "*" is the label of all others. operator is given to the operator only:
// keep() makes the endpoint keep usage, and setPrices() shows the form of its prices.
export function watchView(usage, labels = {}, operator = undefined) {
  const place = h("div", { class: "stack", "aria-busy": "true" }, h("p", { class: "quiet" }, "Loading …"));
  const state = { range: { days: 30 }, part: "model", kept: undefined };
  let shown; // the answer that is shown, as text
  const draw = () => {
    tools.hidden = !state.kept.usage;
    redraw(place, view(state, labels, { load, operator }));
  };
  const load = async () => {
    const query = queryOf(state.range);
    try {
      const kept = await usage(query);
      const text = `${query} ${JSON.stringify(kept)}`;
      if (query !== queryOf(state.range) || text === shown) return;
      shown = text;
      state.kept = kept;
      draw();
    } catch (error) {
      if (error.status === undefined) throw error;
      shown = undefined;
      show(place, notice("bad", error.message), h("div", { class: "actions" }, button("Try again", load)));
    } finally {
      place.removeAttribute("aria-busy");
    }
  };
  const tools = h(
    "div",
    { class: "tools", hidden: true },
    rangeChoice(
      state.range,
      (range) => {
        state.range = range;
        return load();
      },
      true,
    ),
    select(PARTS, state.part, {
      "aria-label": "Grouping",
      onchange: (event) => ((state.part = event.target.value), draw()),
    }),
    button("Export CSV", () => save(csv(rowsOf(state).rows)), { class: "small" }),
    button("Refresh", load, { class: "small" }),
  );
  const element = h("div", { class: "stack" }, tools, place);
  refresh(element, load);
  load();
  return element;
}

// rowsOf returns the points of the range, and the rows of the usage in them.
function rowsOf({ kept, range }) {
  const points = pointsOf(range);
  const member = points.unit === "hours" ? "time" : "day";
  const rows = (points.unit === "hours" ? (kept.hours ?? []) : kept.days).filter((row) =>
    points.keys.includes(row[member]),
  );
  return { points, rows, at: (i) => rows.filter((row) => row[member] === points.keys[i]) };
}

// unplaced returns a note about the requests of the range's days that have no hour, or false.
function unplaced({ days, hours }) {
  const left = hours ? sumOf(days).requests - sumOf(hours).requests : 0;
  return (
    left > 0 &&
    h(
      "p",
      { class: "quiet" },
      `${left.toLocaleString()} more ${left === 1 ? "request" : "requests"} of these days: an earlier ` +
        "version has not counted their hours.",
    )
  );
}

function view(state, labels, { load, operator }) {
  const { usage, errors, requests = [], lost = [], refused = [], limits, key_limits = {} } = state.kept;
  const full = h(
    "div",
    { class: "meters" },
    Object.entries(limits ?? {}).map((limit) => meter(limit, operator)),
    Object.entries(key_limits).map(([key, limits]) => {
      const whose = operator ? ` of ${nameOf("key", key, labels)}` : " of your key";
      return Object.entries(limits).map((limit) => meter(limit, operator, whose));
    }),
  );
  if (!usage)
    return [
      full,
      h(
        "div",
        { class: "card empty" },
        h("h2", null, "Usage is not counted"),
        h(
          "p",
          { class: "quiet" },
          "Nothing is known of the requests so far. With usage, this view shows requests, tokens, cost, " +
            "times and errors, without contents.",
        ),
        operator
          ? button("Keep usage from now on", async () => (await operator.keep()) && load(), {
              class: "primary",
            })
          : h("p", { class: "quiet" }, "The operator of this endpoint can turn it on."),
      ),
      h("div", { class: "actions" }, button("Refresh", load, { class: "small" })),
    ];
  const { points: list, rows, at } = rowsOf(state);
  const daily = list.keys.map((_, i) => sumOf(at(i)));
  const all = sumOf(rows);
  const tiles = [
    ["Cost", known(all.usd, all.unpriced), all.unpriced > 0 && `+ ${without(all.unpriced)}`],
    [
      "Requests",
      short(all.requests),
      all.fell > 0 && `${all.fell.toLocaleString()} fell back to another upstream`,
    ],
    ["Errors", short(all.errors), share(all.errors, all.requests), refusedIn(refused)],
    ["Tokens in", short(all.input), `${share(all.cached, all.input)} from caches`],
    ["Tokens out", short(all.output), all.reasoning > 0 && `${short(all.reasoning)} reasoning`],
    ["First byte", lasts(quantile(all.first, 0.5)), `median; p95: ${lasts(quantile(all.first, 0.95))}`],
  ];
  const column = (key) => daily.map((sum) => sum[key]);
  const plain = daily.map(({ input, cached }) => Math.max(input - cached, 0));
  return [
    full,
    h("p", { class: "quiet" }, list.unit === "hours" ? "Hours are in your local time." : "Days are in UTC."),
    list.unit === "hours" && unplaced(state.kept),
    h(
      "dl",
      { class: "tiles" },
      tiles.map(([name, n, ...more]) =>
        h(
          "div",
          { class: "card" },
          h("dt", null, name),
          h("dd", null, n),
          more.filter(Boolean).map((text) => h("dd", { class: "more" }, text)),
        ),
      ),
    ),
    bars("Cost", list, costs(rows, list, at, state.part, labels), dollars, {
      values: column("unpriced"),
      text: without,
      head: "Without a price",
    }),
    bars("Requests", list, [
      { name: "answered", values: daily.map(({ requests, errors }) => requests - errors), tone: "accent" },
      { name: "errors", values: column("errors"), tone: "failed" },
    ]),
    bars(
      "Tokens",
      list,
      [
        { name: "in", values: plain, tone: "accent" },
        { name: "from caches", values: column("cached"), tone: "green" },
        { name: "out", values: column("output"), tone: "violet" },
      ],
      short,
    ),
    times("Time to the first byte", list, daily, "first"),
    times("Time to the end", list, daily, "total"),
    parts(rows, state.part, labels),
    lostFields(lost),
    lastErrors(errors, requests),
    refusedBy(refused, (key) => nameOf("key", key, labels)),
  ];
}

// nameOf returns the displayed name of a part of the usage.
const nameOf = (part, name, labels) =>
  part === "key"
    ? labels[name] || (name && labels["*"]) || name || "not a key of this endpoint"
    : name || "none";

// costs returns the series of the most expensive parts, and one of all others.
function costs(rows, list, at, part, labels) {
  const all = by(rows, part).filter(([, { usd }]) => usd > 0);
  const first = all.slice(0, TONES.length).map(([name]) => name);
  const of = (fits) =>
    list.keys.map((_, i) => {
      const { usd, unpriced } = sumOf(at(i).filter((row) => fits(row[part] ?? "")));
      return usd === 0 && unpriced > 0 ? undefined : usd;
    });
  const series = first.map((name, i) => ({
    name: nameOf(part, name, labels),
    values: of((other) => other === name),
    tone: TONES[i],
  }));
  if (all.length > first.length || series.length === 0)
    series.push({ name: "others", values: of((other) => !first.includes(other)), tone: "rest" });
  return series;
}

function times(title, list, daily, which) {
  const values = (q) => daily.map((sum) => quantile(sum[which], q));
  return bands(
    title,
    list,
    [
      { name: "median", values: values(0.5), tone: "accent" },
      { name: "p95", values: values(0.95), tone: "band" },
    ],
    lasts,
  );
}

function parts(sums, part, labels) {
  const title = { model: "Models", key: "Keys", upstream: "Upstreams" }[part];
  const rows = by(sums, part).map(([name, sum]) => [
    h("code", null, nameOf(part, name, labels)),
    sum.usd > 0 ? money(sum.usd, sum.unpriced) : known(sum.usd, sum.unpriced),
    ...[sum.requests, sum.errors, sum.input, sum.output].map((n) => n.toLocaleString()),
    share(sum.cached, sum.input),
    sum.reasoning.toLocaleString(),
    lasts(quantile(sum.first, 0.5)),
    lasts(quantile(sum.first, 0.95)),
  ]);
  const heads = [
    title.slice(0, -1),
    "Cost",
    "Requests",
    "Errors",
    "In",
    "Out",
    "Cached",
    "Reasoning",
    "First byte",
    "p95",
  ];
  return h(
    "section",
    { class: "card wide-table" },
    h("h2", null, title),
    rows.length > 0 ? table(title, heads, rows) : h("p", { class: "quiet" }, "None."),
  );
}

function lostFields(lost) {
  const sums = new Map();
  for (const { field, requests } of lost) sums.set(field, (sums.get(field) ?? 0) + requests);
  if (sums.size === 0) return undefined;
  const fields = [...sums].sort(([, a], [, b]) => b - a);
  const rows = fields.map(([field, n]) => [h("code", null, field), n.toLocaleString()]);
  return h(
    "details",
    { class: "card" },
    h("summary", null, "Lost fields"),
    table("Lost fields", ["Field", "Requests"], rows),
    whyLost(fields.map(([field]) => field)),
  );
}

function lastErrors(errors, requests) {
  const rows = errors.map(({ time, status, type, request_id: request }) => {
    const logged = requests.find(({ request_id: other }) => request && other === request);
    return [
      new Date(time * 1000).toLocaleString(),
      `${status} ${type}`,
      logged?.model ? h("code", null, logged.model) : "—",
      logged?.words || "—",
      requestId(request, "—"),
    ];
  });
  return h(
    "section",
    { class: "card wide-table" },
    h("h2", null, "Last errors"),
    rows.length > 0
      ? table("Last errors", ["Time", "Error", "Model", "Message", "Request"], rows)
      : h("p", { class: "quiet" }, "None."),
  );
}

function meter([key, { limit, used, unpriced = 0 }], operator, whose = "") {
  const label = (LIMITS[key]?.[1] ?? key) + whose;
  const text = key.startsWith("usd_") ? dollars : (n) => n.toLocaleString();
  const one = unpriced === 1;
  return h(
    "div",
    { class: used >= 0.9 * limit ? "card meter full" : "card meter" },
    h(
      "p",
      null,
      label,
      h("span", { class: "quiet" }, `${unpriced > 0 ? known(used, unpriced) : text(used)} of ${text(limit)}`),
    ),
    h("progress", { max: limit, value: Math.min(used, limit), "aria-label": label }),
    unpriced > 0 &&
      h(
        "div",
        { class: "hint" },
        `${unpriced.toLocaleString()} ${one ? "request has" : "requests have"} no price and ` +
          `${one ? "is" : "are"} not held by this budget: `,
        operator
          ? button("set prices", operator.setPrices, { class: "link" })
          : "the operator can set prices.",
      ),
  );
}

// save makes the browser save a text as a file.
function save(text) {
  const url = URL.createObjectURL(new Blob([text], { type: "text/csv" }));
  const link = h("a", { href: url, download: "usage.csv" });
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
}
