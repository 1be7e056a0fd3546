// Small charts of days or hours.
import { h, svg } from "../lib/dom.mjs";

const [WIDTH, HEIGHT, GAP] = [720, 160, 3];
const TOP = 8; // free height above the highest value

const short = (n) =>
  n >= 1e9
    ? `${round(n / 1e9)}B`
    : n >= 1e6
      ? `${round(n / 1e6)}M`
      : n >= 1e4
        ? `${round(n / 1e3)}k`
        : n.toLocaleString();
const round = (n) => (n >= 100 ? Math.round(n) : Math.round(n * 10) / 10);
export { short };

// bars draws a bar for each of points (pointsOf in lib/range.mjs), with the series stacked. series is
// [{ name, values, tone }]: values has a number for each point, undefined if it is unknown, and tone is
// the name of a colour. text formats a number. A table below has the same numbers. aside is a further
// series { values, text, head } of numbers that are not drawn: text(n) is added to a point's numbers and
// to the sums.
export function bars(title, points, series, text = (n) => n.toLocaleString(), aside = undefined) {
  const { labels } = points;
  const totals = labels.map((_, i) => series.reduce((sum, { values }) => sum + (values[i] ?? 0), 0));
  const step = WIDTH / labels.length;
  const most = Math.max(...totals);
  const columns = (scale) =>
    labels.map((_, i) => {
      let top = HEIGHT;
      return series.map(({ values, tone }) => {
        const height = values[i] * scale;
        top -= height;
        return (
          height > 0 &&
          svg("rect", {
            class: tone,
            x: i * step + GAP / 2,
            y: top,
            width: Math.max(step - GAP, 1),
            height,
            rx: Math.min(2, height / 2),
          })
        );
      });
    });
  const sums = series
    .map(({ name, values }) => `${text(values.reduce((a, b) => a + (b ?? 0), 0))} ${name}`)
    .join(", ");
  const missing = aside ? aside.values.reduce((a, b) => a + b, 0) : 0;
  const plus = missing > 0 && aside.text(missing);
  return chart({
    title,
    points,
    series,
    text,
    most,
    label: `${title}: ${sums} in ${labels.length} ${points.unit}${plus ? `, + ${plus}` : ""}`,
    none: plus ? `${plus}.` : `No ${title.toLowerCase()} yet.`,
    any: most > 0,
    draw: columns,
    aside: plus ? aside : undefined,
  });
}

// bands draws a band for each point between two numbers. low and high are lists, with undefined for a
// point without numbers.
export function bands(title, points, [low, high], text) {
  const { labels } = points;
  const step = WIDTH / labels.length;
  const most = Math.max(...high.values.map((n) => n ?? 0));
  const draw = (scale) =>
    labels.map((_, i) => {
      if (high.values[i] === undefined) return undefined;
      const [top, bottom] = [HEIGHT - high.values[i] * scale, HEIGHT - low.values[i] * scale];
      const at = { x: i * step + GAP / 2, width: Math.max(step - GAP, 1), rx: 2 };
      return [
        svg("rect", { class: "band", ...at, y: top, height: Math.max(bottom - top, 1) }),
        svg("rect", { class: "accent", ...at, y: bottom - 1.5, height: 3 }),
      ];
    });
  return chart({
    title,
    points,
    series: [low, high],
    text,
    most,
    label: `${title}, ${low.name} and ${high.name}, in ${labels.length} ${points.unit}`,
    none: "No requests timed yet.",
    any: most > 0,
    draw,
  });
}

// chart returns the figure of a chart, with its axis, and the values of the point under the pointer.
function chart({ title, points, series, text, most, label, none, any, draw, aside }) {
  const { labels } = points;
  const hours = points.unit === "hours";
  const legend = h(
    "p",
    { class: "legend" },
    series.map(({ name, tone }) => h("span", { class: tone }, name)),
  );
  const figure = h("figure", { class: "card chart" }, h("figcaption", null, h("h2", null, title), legend));
  if (!any) {
    figure.append(h("p", { class: "quiet" }, none));
    return figure;
  }
  const step = WIDTH / labels.length;
  const told = (i) => {
    const parts = series.map(
      ({ name, values }) => `${values[i] === undefined ? "—" : text(values[i])} ${name}`,
    );
    if (aside?.values[i] > 0) parts.push(aside.text(aside.values[i]));
    return `${labels[i]}: ${parts.join(", ")}`;
  };
  const said = h(
    "p",
    { class: "said-here quiet" },
    `Point at ${hours ? "an hour" : "a day"} for its numbers.`,
  );
  const mark = svg("rect", { class: "mark", x: 0, y: 0, width: step, height: HEIGHT, visibility: "hidden" });
  const image = svg(
    "svg",
    { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: "img", "aria-label": label, preserveAspectRatio: "none" },
    mark,
    draw((HEIGHT - TOP) / most),
  );
  const point = (event) => {
    const { left, width } = image.getBoundingClientRect();
    const i = Math.min(
      Math.max(Math.floor(((event.clientX - left) / width) * labels.length), 0),
      labels.length - 1,
    );
    mark.setAttribute("x", i * step);
    mark.setAttribute("visibility", "visible");
    said.textContent = told(i);
  };
  for (const name of ["pointermove", "pointerdown"]) image.addEventListener(name, point);
  const rows = labels.map((label, i) => [
    label,
    ...series.map(({ values }) => (values[i] === undefined ? "—" : text(values[i]))),
    ...(aside ? [aside.values[i].toLocaleString()] : []),
  ]);
  const used = rows.filter((_, i) => [...series, ...(aside ? [aside] : [])].some(({ values }) => values[i]));
  figure.append(
    h(
      "div",
      { class: "plot" },
      h(
        "div",
        { class: "scale", "aria-hidden": "true" },
        h("span", null, text(most)),
        h("span", null, text(Number.isInteger(most) ? Math.ceil(most / 2) : most / 2)),
        h("span", null, "0"),
      ),
      image,
    ),
    h(
      "div",
      { class: "axis", "aria-hidden": "true" },
      h("span", null, labels[0]),
      labels.length > 2 && h("span", null, labels[Math.floor(labels.length / 2)]),
      labels.length > 1 && h("span", null, labels.at(-1)),
    ),
    said,
    h(
      "details",
      null,
      h("summary", null, "As a table"),
      table(
        title,
        [hours ? "Hour" : "Day", ...series.map(({ name }) => name), ...(aside ? [aside.head] : [])],
        used,
      ),
    ),
  );
  return figure;
}

// spark returns a small bar for each value. The failed part of a bar has another colour, and a
// visible minimum height.
export function spark(label, values, failed) {
  const most = Math.max(...values, 1);
  const step = 60 / values.length;
  return svg(
    "svg",
    { class: "spark", viewBox: "0 0 60 18", role: "img", "aria-label": label },
    svg("title", null, label),
    values.map((n, i) => {
      const bar = (tone, of, least = 0) => {
        const height = Math.max((of / most) * 17, least);
        return (
          of > 0 &&
          svg("rect", { class: tone, x: i * step + 0.5, width: step - 1, y: 18 - height, height, rx: 1 })
        );
      };
      return [bar("accent", n, 3), bar("failed", failed[i], 3)];
    }),
  );
}

// table returns a table. Its cells are texts or nodes.
export const table = (title, heads, rows) =>
  h(
    "table",
    null,
    h("caption", { class: "unseen" }, title),
    h(
      "thead",
      null,
      h(
        "tr",
        null,
        heads.map((head) => h("th", { scope: "col" }, head)),
      ),
    ),
    h(
      "tbody",
      null,
      rows.map(([first, ...rest]) =>
        h(
          "tr",
          null,
          h("th", { scope: "row" }, first),
          rest.map((cell, i) => h("td", { "data-head": heads[i + 1] }, cell)),
        ),
      ),
    ),
  );
