// The choice of a range of days in UTC.
import { button, h, select, show } from "./dom.mjs";

const [HOUR, DAY] = [3_600_000, 86_400_000]; // ms
const [CUSTOM, LAST] = ["custom", "24h"];

const RANGES = [
  ["1", "Today"],
  ["7", "A week"],
  ["30", "30 days"],
  ["90", "90 days"],
];

const dayOf = (ms) => new Date(ms).toISOString().slice(0, 10);

// A range is the last days, { days }, the last hours, { hours }, or chosen days, { from, to, fine }. fine
// days are shown by the hour, if they are few.

const sinceOf = (from) => (Date.now() - Date.parse(from)) / DAY;

// hourly reports whether a range is shown by the hour. Usage by the hour is stored for eight days.
const hourly = ({ hours, from, to, fine }) =>
  hours !== undefined || (fine && Date.parse(to) - Date.parse(from) <= DAY && sinceOf(from) < 8);

// pointsOf returns the points of a range's charts: { unit, keys, labels }. The keys are the values of
// "day", or of "time" for hours, in rows of the API.
export function pointsOf(range) {
  const { days, hours, from, to } = range;
  const [unit, step] = hourly(range) ? ["hours", HOUR] : ["days", DAY];
  const end = from ? Date.parse(to) + DAY - step : Math.floor(Date.now() / step) * step;
  const n = from ? (end - Date.parse(from)) / step + 1 : (hours ?? days);
  const times = Array.from({ length: n }, (_, i) => end - (n - 1 - i) * step);
  if (unit === "days") return { unit, keys: times.map(dayOf), labels: times.map(dayOf) };
  const local = { month: "short", day: "numeric", hour: "2-digit", minute: "2-digit" };
  return {
    unit,
    keys: times.map((time) => time / 1000),
    labels: times.map((time) => new Date(time).toLocaleString(undefined, local)),
  };
}

// queryOf returns the query of a range. The last hours are in the days that they are part of.
export function queryOf(range) {
  const { days, hours, from, to } = range;
  const query = from ? `from=${from}&to=${to}` : `days=${days ?? Math.ceil(hours / 24) + 1}`;
  return hourly(range) ? `${query}&by=hour` : query;
}

// titleOf names a range.
export const titleOf = ({ days, from, to }) =>
  from ? (from === to ? from : `${from} to ${to}`) : RANGES.find(([n]) => n === String(days))[1];

// rangeChoice returns the controls of a range. onchange(range) is called with another range. withHours
// adds the last 24 hours, and shows one or two days by the hour.
export function rangeChoice(range, onchange, withHours = false) {
  const today = dayOf(Date.now());
  const input = (label, value) =>
    h("input", {
      type: "date",
      required: true,
      "aria-label": label,
      value,
      min: dayOf(Date.now() - 89 * DAY),
      max: today,
    });
  const [from, to] = [input("From, in UTC", range.from ?? today), input("To, in UTC", range.to ?? today)];
  const apply = button(
    "Show",
    () => {
      const bad = [from, to].find((control) => !control.reportValidity());
      if (bad) return;
      const [first, last] = [from.value, to.value].sort();
      [from.value, to.value] = [first, last];
      onchange({ from: first, to: last, fine: withHours });
    },
    { class: "small" },
  );
  const custom = h("span", { class: "line" });
  const open = (name) => show(custom, name === CUSTOM && ["from ", from, " to ", to, " in UTC ", apply]);
  const chosen = range.from ? CUSTOM : range.hours ? LAST : String(range.days);
  open(chosen);
  return [
    select([...(withHours ? [[LAST, "24 hours"]] : []), ...RANGES, [CUSTOM, "From … to …"]], chosen, {
      "aria-label": "Range",
      onchange: ({ target: { value } }) => {
        open(value);
        if (value === LAST) onchange({ hours: 24 });
        else if (value !== CUSTOM) onchange({ days: Number(value) });
      },
    }),
    custom,
  ];
}
