// The limits of a key: controls for the operator, and words for both.
import { field, h, select } from "./dom.mjs";
import { LIMITS } from "./limits.mjs";

// keys have no limits of what is open at a time
const OF_KEYS = Object.entries(LIMITS).filter(([key]) => !key.startsWith("concurrent_"));

// limitsText returns limits in words, or "" without any.
export function limitsText(limits = {}) {
  const set = OF_KEYS.filter(([key]) => limits[key] !== undefined);
  return [
    ...set.map(([key, [label]]) => `${label}: ${limits[key].toLocaleString()}`),
    ...(limits.unpriced === "allow" ? ["Models without a price: allowed"] : []),
    ...(limits.models ? [`Models: ${limits.models.join(", ")}`] : []),
  ].join("; ");
}

// limitFields returns { element, read } of the controls for limits. read() returns { limits } for the
// API, with null for none.
export function limitFields(limits = {}) {
  const numbers = OF_KEYS.map(([key, [label]]) => [
    key,
    label,
    h("input", { inputmode: key.startsWith("usd_") ? "decimal" : "numeric", value: limits[key] ?? "" }),
  ]);
  const unpriced = select(
    [
      ["", "is refused"],
      ["allow", "is allowed, and counts toward no budget"],
    ],
    limits.unpriced ?? "",
  );
  const models = h("input", { spellcheck: "false", value: (limits.models ?? []).join(", ") });
  const read = () => {
    const set = {};
    for (const [key, , { value }] of numbers) {
      const text = value.trim().replaceAll(",", "");
      if (text !== "") set[key] = Number.isNaN(Number(text)) ? text : Number(text);
    }
    if (unpriced.value) set.unpriced = unpriced.value;
    const list = models.value.split(",").map((name) => name.trim());
    if (models.value.trim() !== "") set.models = list.filter(Boolean);
    return { limits: Object.keys(set).length > 0 ? set : null };
  };
  const element = h(
    "div",
    { class: "grid" },
    h(
      "p",
      { class: "hint wide" },
      "Beside the endpoint's limits: a request must meet both. Empty: no limit.",
    ),
    numbers.map(([key, label, control]) => field(label, control, { path: `limits.${key}` })),
    field("With a budget, a model without a price", unpriced, { path: "limits.unpriced" }),
    field("Allowed models", models, {
      hint: "By their client names, with * for any characters, separated by commas. Empty: all.",
      path: "limits.models",
    }),
  );
  return { element, read };
}
