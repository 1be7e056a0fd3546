// Controls for the prices of an endpoint (docs/endpoints.md, "Money"): a row for each model.
import { match } from "../lib/choose.mjs";
import { button, field, h, say } from "../lib/dom.mjs";
import { table } from "./price_date.mjs"; // made by build.sh of worker/prices/table.json

const COLUMNS = [
  ["input", "Input"],
  ["output", "Output"],
  ["cache_read", "Cache reads"],
  ["cache_write", "Cache writes"],
  ["search", "Searches"],
];

// priceFields returns { element, read } of the prices. set is the saved prices, or undefined.
// onchange is called when a row was added or removed. read() returns the prices in the API's form.
export function priceFields(set = {}, onchange) {
  const list = h("div", { class: "stack" });
  const rows = () => [...list.children].map((element) => element.row);
  const typed = ({ numbers }) => numbers.some(([, control]) => control.value.trim() !== "");
  // The API merges the form's prices into the saved ones, which keep their order, and the first
  // match counts. A price that never counts is reported.
  const check = () => {
    const saved = Object.keys(set);
    const order = (row) => (saved.includes(row.model) ? saved.indexOf(row.model) : saved.length);
    const all = rows();
    for (const row of all) row.model = row.name.value.trim();
    const sorted = all.filter(({ model }) => model !== "").sort((a, b) => order(a) - order(b));
    for (const row of all) {
      const twice = row.model !== "" && all.some((other) => other !== row && other.model === row.model);
      row.name.setCustomValidity(
        twice
          ? "Another row has this model."
          : row.model === "" && typed(row)
            ? "Type the model of these prices, with * for any characters."
            : "",
      );
      const first = sorted
        .slice(0, Math.max(sorted.indexOf(row), 0))
        .find(({ model }) => match(model, row.model));
      row.note.textContent =
        first && !twice ? `${first.model} comes first and matches too, so this price never counts.` : "";
    }
  };
  const add = (model = "", price = {}) => {
    const text = (value, props) =>
      h("input", { spellcheck: "false", autocomplete: "off", ...props, value: value ?? "" });
    const name = text(model, { placeholder: "gpt-5*" });
    const numbers = COLUMNS.map(([key]) => [key, text(price[key], { inputmode: "decimal" })]);
    const note = h("p", { class: "hint wide", role: "status" });
    const element = h(
      "div",
      { class: "price" },
      field("Model", name),
      COLUMNS.map(([, label], i) => field(label, numbers[i][1])),
      button(
        "Remove",
        () => {
          element.remove();
          check();
          onchange();
          more.focus();
          say("The price is removed");
        },
        { class: "small quiet-button", "aria-label": "Remove this price" },
      ),
      note,
    );
    element.row = { name, numbers, note };
    list.append(element);
    return name;
  };
  for (const [model, price] of Object.entries(set)) add(model, price);
  const more = button(
    "Add a price",
    () => {
      add().focus();
      onchange();
    },
    { class: "small" },
  );
  list.addEventListener("input", check);
  check();
  const read = () => {
    const prices = rows()
      .filter((row) => row.name.value.trim() !== "")
      .map(({ name, numbers }) => {
        const model = name.value.trim();
        name.dataset.path = `prices.${model}`;
        const price = {};
        for (const [key, control] of numbers) {
          control.dataset.path = `prices.${model}.${key}`;
          const text = control.value.trim();
          if (text !== "") price[key] = Number.isNaN(Number(text)) ? text : Number(text);
          else if (set[model]?.[key] !== undefined) price[key] = null; // a merge patch would keep it
        }
        return [model, price];
      });
    return Object.fromEntries(prices);
  };
  const element = h(
    "fieldset",
    { class: "wide prices", "data-prices": true },
    h("legend", null, "Prices"),
    h(
      "p",
      { class: "hint" },
      "US dollars per million tokens, and per thousand searches, by the upstream's model, with * for any " +
        `characters. They replace the built-in prices: ${table.source} of ${table.date}, and newer models.`,
    ),
    list,
    h("div", { class: "actions" }, more),
  );
  return { element, read };
}
