// The choice of a range of days in UTC.
import { button, h, select, show } from "./dom.mjs";

const CUSTOM = "custom";

export const RANGES = [
  ["1", "Today"],
  ["7", "A week"],
  ["30", "30 days"],
  ["90", "90 days"],
];

const dayOf = (ms) => new Date(ms).toISOString().slice(0, 10);

// daysOf returns the days of a range, as the API's days: in UTC.
export function daysOf({ days, from, to }) {
  const last = from ? Date.parse(to) : Date.now();
  const n = from ? (last - Date.parse(from)) / 86_400_000 + 1 : days;
  return Array.from({ length: n }, (_, i) => dayOf(last - (n - 1 - i) * 86_400_000));
}

// queryOf returns the query of a range.
export const queryOf = ({ days, from, to }) => (from ? `from=${from}&to=${to}` : `days=${days}`);

// titleOf names a range.
export const titleOf = ({ days, from, to }) =>
  from ? (from === to ? from : `${from} to ${to}`) : RANGES.find(([n]) => n === String(days))[1];

// rangeChoice returns the controls of a range. onchange(range) is called with { days } or with
// { from, to }.
export function rangeChoice(range, onchange, ranges = RANGES) {
  const today = dayOf(Date.now());
  const input = (label, value) =>
    h("input", {
      type: "date",
      required: true,
      "aria-label": label,
      value,
      min: dayOf(Date.now() - 89 * 86_400_000),
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
      onchange({ from: first, to: last });
    },
    { class: "small" },
  );
  const custom = h("span", { class: "line" });
  const open = (name) => show(custom, name === CUSTOM && ["from ", from, " to ", to, " in UTC ", apply]);
  const chosen = range.from ? CUSTOM : String(range.days);
  open(chosen);
  return [
    select([...ranges, [CUSTOM, "From … to …"]], chosen, {
      "aria-label": "Range",
      onchange: ({ target: { value } }) => {
        open(value);
        if (value !== CUSTOM) onchange({ days: Number(value) });
      },
    }),
    custom,
  ];
}
