// Small charts of days.
import { h, svg } from "./dom.mjs";

const [WIDTH, HEIGHT, GAP] = [720, 160, 3];

const short = (n) => (n >= 1e9 ? `${round(n / 1e9)}B` : n >= 1e6 ? `${round(n / 1e6)}M` : n >= 1e4 ? `${round(n / 1e3)}k` : n.toLocaleString());
const round = (n) => (n >= 100 ? Math.round(n) : Math.round(n * 10) / 10);
export { short };

// bars draws a bar for each day, in which the series stand one upon the other. series is [{ name, values, tone }]: values has a number for
// each day, and tone is accent, violet or failed. A table below has the same numbers.
export function bars(title, days, series) {
  const totals = days.map((_, i) => series.reduce((sum, { values }) => sum + values[i], 0));
  const most = Math.max(...totals, 1);
  const step = WIDTH / days.length;
  const columns = days.map((day, i) => {
    let top = HEIGHT;
    const parts = series.map(({ values }, s) => {
      const height = (values[i] / most) * (HEIGHT - 8);
      top -= height;
      return height > 0 && svg("rect", { class: series[s].tone, x: i * step + GAP / 2, y: top, width: step - GAP, height, rx: Math.min(2, height / 2) });
    });
    const told = `${day}: ${series.map(({ name, values }) => `${values[i].toLocaleString()} ${name}`).join(", ")}`;
    return svg("g", null, svg("title", null, told), svg("rect", { class: "catch", x: i * step, y: 0, width: step, height: HEIGHT }), parts);
  });
  const sums = series.map(({ name, values }) => `${values.reduce((a, b) => a + b, 0).toLocaleString()} ${name}`).join(", ");
  const drawn = () => [
    svg("svg", { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: "img", "aria-label": `${title}: ${sums} in ${days.length} days`, preserveAspectRatio: "none" }, columns),
    h("div", { class: "axis", "aria-hidden": "true" }, h("span", null, days[0]), h("span", null, `at most ${short(most)} a day`), h("span", null, days.at(-1))),
    h("details", null, h("summary", null, "As a table"), table(title, ["Day", ...series.map(({ name }) => name)], days.map((day, i) => [day, ...series.map(({ values }) => values[i].toLocaleString())]).filter((_, i) => totals[i] > 0))),
  ];
  return h(
    "figure",
    { class: "card chart" },
    h("figcaption", null, h("h2", null, title), h("p", { class: "legend" }, series.map(({ name, tone }) => h("span", { class: tone }, name)))),
    totals.some((n) => n > 0) ? drawn() : h("p", { class: "quiet" }, `No ${title.toLowerCase()} yet.`),
  );
}

// table returns a table whose cells are texts or nodes.
export const table = (title, heads, rows) =>
  h(
    "table",
    null,
    h("caption", { class: "unseen" }, title),
    h("thead", null, h("tr", null, heads.map((head) => h("th", { scope: "col" }, head)))),
    h("tbody", null, rows.map(([first, ...rest]) => h("tr", null, h("th", { scope: "row" }, first), rest.map((cell, i) => h("td", { "data-head": heads[i + 1] }, cell))))),
  );
