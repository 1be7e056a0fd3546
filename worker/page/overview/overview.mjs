// The operator's overview: the sums of all endpoints, and the upstreams that fail.
import { button, h } from "../lib/dom.mjs";
import { healthOf } from "../lib/health.mjs";
import { notice } from "../lib/notice.mjs";
import { pointsOf, queryOf, rangeChoice, titleOf } from "../lib/range.mjs";
import { redraw, refresh } from "../lib/refresh.mjs";
import { bars, short, table } from "../watch/chart.mjs";
import { dollars, known, money, share, without } from "../watch/stats.mjs";

const SOON = 500; // ms until the next load while sums are missing
const MOST_SOON = 60; // such loads in a row: of busy endpoints newer sums are always missing
const OWN = "the deployment's own endpoint";

// overviewView returns the view. load(query) resolves with the answer of GET /admin/api/overview.
// lost(error) is called if the session has ended.
export function overviewView(load, lost) {
  const place = h("div", { class: "stack", "aria-busy": "true" }, h("p", { class: "quiet" }, "Loading …"));
  let range = { days: 30 };
  let shown; // the answer that is shown, as text
  let soon = 0; // loads in a row that found sums missing
  const fetched = async () => {
    const query = queryOf(range);
    try {
      const sums = await load(query);
      const text = `${query} ${JSON.stringify({ ...sums, time: 0 })}`;
      // the words about a cooldown change with the time
      if (query === queryOf(range) && (text !== shown || sums.failing.length > 0))
        redraw(place, view(sums, range));
      shown = text;
      soon = sums.more ? soon + 1 : 0;
      return sums.more && soon <= MOST_SOON ? SOON : undefined;
    } catch (error) {
      if (error.status === undefined) throw error;
      shown = undefined;
      if (error.status === 401) lost(error);
      else redraw(place, notice("bad", error.message));
    } finally {
      place.removeAttribute("aria-busy");
    }
  };
  const tools = h(
    "div",
    { class: "tools" },
    rangeChoice(range, (chosen) => {
      range = chosen;
      later(0);
    }),
    button("Refresh", fetched, { class: "small" }),
  );
  const element = h("div", { class: "stack" }, tools, place);
  const later = refresh(element, fetched);
  fetched().then(later);
  return element;
}

function view(sums, range) {
  const { today, days, endpoints, models, keys } = sums;
  const points = pointsOf(range);
  const daily = points.keys.map((day) => days.find((row) => row.day === day) ?? {});
  const column = (key) => daily.map((row) => row[key] ?? 0);
  return [
    sums.more && missing(sums),
    failing(sums),
    tiles("Today", today, `since ${midnight()}, which is 00:00 UTC`),
    !(range.days === 1) && tiles(titleOf(range), sumOf(days), "days are in UTC"),
    bars(
      "Cost",
      points,
      [
        {
          name: "known",
          tone: "accent",
          values: daily.map(({ usd = 0, unpriced = 0 }) => (usd === 0 && unpriced > 0 ? undefined : usd)),
        },
      ],
      dollars,
      { values: column("unpriced"), text: without, head: "Without a price" },
    ),
    bars("Requests", points, [
      {
        name: "answered",
        values: daily.map(({ requests = 0, errors = 0 }) => requests - errors),
        tone: "accent",
      },
      { name: "errors", values: column("errors"), tone: "failed" },
    ]),
    top("Endpoints", "Endpoint", endpoints, endpointCell),
    top("Models", "Model", models, ({ model }) => h("code", null, model)),
    top("Keys", "Key", keys, keyCell),
  ];
}

// midnight returns the local time of 00:00 UTC.
const midnight = () =>
  new Date(new Date().setUTCHours(0, 0, 0, 0)).toLocaleTimeString(undefined, { timeStyle: "short" });

const sumOf = (rows) =>
  rows.reduce(
    (sum, row) => Object.fromEntries(Object.keys(sum).map((key) => [key, sum[key] + row[key]])),
    Object.fromEntries(
      ["requests", "errors", "input", "output", "cached", "usd", "unpriced"].map((key) => [key, 0]),
    ),
  );

function missing({ behind }) {
  return h(
    "p",
    { class: "quiet", role: "status" },
    behind > 0
      ? `Still adding the last minutes of ${behind.toLocaleString()} endpoint${behind === 1 ? "" : "s"} …`
      : "Still adding older usage …",
  );
}

const linkTo = (endpoint, tab, text) =>
  endpoint === "" ? OWN : h("a", { href: `#/e/${encodeURIComponent(endpoint)}/${tab}` }, text ?? endpoint);

function failing({ failing: all, more_failing: more, time }) {
  return h(
    "section",
    { class: "card" },
    h("h2", null, "Failing upstreams"),
    all.length === 0
      ? h("p", { class: "quiet" }, "No upstream is failing.")
      : h(
          "ul",
          { class: "failing-list" },
          all.map((each) =>
            h(
              "li",
              null,
              h("span", { class: `dot ${each.state}` }),
              h(
                "span",
                null,
                linkTo(each.endpoint, "setup"),
                each.upstream && ` · ${each.upstream}`,
                `: ${healthOf(each, time)}`,
              ),
            ),
          ),
          more > 0 && h("li", { class: "quiet" }, `and ${more.toLocaleString()} more`),
        ),
  );
}

function tiles(title, { requests, errors, input, output, cached, usd, unpriced }, hint) {
  const all = [
    ["Cost", known(usd, unpriced), unpriced > 0 && `+ ${without(unpriced)}`],
    ["Requests", short(requests)],
    ["Errors", short(errors), share(errors, requests)],
    ["Tokens in", short(input), `${share(cached, input)} from caches`],
    ["Tokens out", short(output)],
  ];
  return h(
    "section",
    { class: "sums" },
    h("h2", null, title, " ", h("span", { class: "quiet" }, hint)),
    h(
      "dl",
      { class: "tiles" },
      all.map(([name, n, more]) =>
        h(
          "div",
          { class: "card" },
          h("dt", null, name),
          h("dd", null, n),
          more && h("dd", { class: "more" }, more),
        ),
      ),
    ),
  );
}

const endpointCell = ({ endpoint, deleted, disabled }) => [
  deleted ? h("span", null, endpoint || OWN) : linkTo(endpoint, "watch"),
  " ",
  (deleted || disabled) && h("span", { class: "badge off" }, deleted ? "deleted" : "disabled"),
];

const keyCell = ({ endpoint, key, label }) =>
  key === null
    ? "other keys"
    : h("span", null, label ?? h("code", null, key), " of ", linkTo(endpoint, "keys"));

function top(title, head, rows, cell) {
  return h(
    "section",
    { class: "card wide-table" },
    h("h2", null, title),
    rows.length === 0
      ? h("p", { class: "quiet" }, "None.")
      : table(
          title,
          [head, "Cost", "Requests", "Errors", "In", "Out", "Cached"],
          rows.map((row) => [
            cell(row),
            row.usd > 0 ? money(row.usd, row.unpriced) : known(row.usd, row.unpriced),
            ...[row.requests, row.errors, row.input, row.output].map((n) => n.toLocaleString()),
            share(row.cached, row.input),
          ]),
        ),
  );
}
