// The keys of an endpoint, for its operator.
import { reveal } from "./copy.mjs";
import { ask } from "./dialog.mjs";
import { button, field, h, select, show, when } from "./dom.mjs";
import { limitFields, limitsText } from "./keylimits.mjs";
import { money } from "./money.mjs";

const GRACES = [
  ["0", "at once"],
  ["3600", "after an hour"],
  ["86400", "after a day"],
  ["604800", "after a week"],
];
const LIVES = [
  ["", "never"],
  ["7", "after a week"],
  ["30", "after 30 days"],
  ["365", "after a year"],
];

// graceField returns { element, read } of the question how long older keys stay valid. read()
// returns seconds.
export function graceField(label) {
  const control = select(GRACES, "0");
  return { element: field(label, control), read: () => Number(control.value) };
}

// folded returns controls for limits in a closed box.
const folded = ({ element }) => h("details", null, h("summary", null, "Limits"), element);

// usageOf returns { last, usd, unpriced } of a key: its last use in Unix seconds, undefined if there was
// none in the days of the usage API's rows, and its cost in the last 30 days.
function usageOf(id, days) {
  const since = new Date(Date.now() - 29 * 86_400_000).toISOString().slice(0, 10);
  const sum = { last: undefined, usd: 0, unpriced: 0 };
  for (const { key, day, last_used: last, usd, unpriced } of days) {
    if (key !== id) continue;
    sum.last = Math.max(sum.last ?? 0, last);
    if (day < since) continue;
    sum.usd += usd;
    sum.unpriced += unpriced;
  }
  return sum;
}

// keysView returns the view of an endpoint's keys. change is endpointView's. redraw shows the
// changed endpoint. usage() resolves with the usage of 90 days.
export function keysView(endpoint, change, redraw, usage) {
  const now = Date.now() / 1000;
  const made = h("div");
  const used = new Map(endpoint.keys.map(({ id }) => [id, { last: h("span", null, "…"), cost: h("span") }]));
  const fill = async () => {
    const kept = await usage();
    for (const { id, counted_as: other } of endpoint.keys) {
      const { last, cost } = used.get(id);
      if (other) {
        for (const cell of [last, cost]) show(cell, "with ", h("code", null, other));
        continue;
      }
      const sum = usageOf(id, kept.days);
      show(last, !kept.usage ? "not counted" : sum.last ? when(sum.last) : "not in 90 days");
      show(cost, kept.usage ? money(sum.usd, sum.unpriced) : "not counted");
    }
  };
  const unread = (error) => {
    if (error.status === undefined) throw error;
    for (const { last, cost } of used.values()) {
      show(last, "unknown");
      show(cost, "unknown");
    }
  };
  if (used.size > 0) fill().catch(unread);
  const rows = endpoint.keys.map(({ id, label, created, expires, limits }) =>
    h(
      "tr",
      { class: expires && expires <= now ? "over" : undefined },
      h("th", { scope: "row" }, h("code", null, id)),
      h("td", { "data-head": "Label" }, label ?? "—"),
      h("td", { "data-head": "Created" }, when(created)),
      h(
        "td",
        { "data-head": "Expires" },
        expires ? (expires <= now ? `expired ${when(expires)}` : when(expires)) : "never",
      ),
      h("td", { "data-head": "Limits" }, limitsText(limits) || "—"),
      h("td", { "data-head": "Last used" }, used.get(id).last),
      h("td", { "data-head": "Cost, 30 days" }, used.get(id).cost),
      h(
        "td",
        { class: "actions" },
        button("Limits", () => limit(id, limits), {
          class: "small",
          "aria-label": `Change the limits of the key ${id}`,
        }),
        button("Revoke", () => revoke(id), { class: "small danger", "aria-label": `Revoke the key ${id}` }),
      ),
    ),
  );
  const revoke = (id) =>
    ask({
      title: `Revoke the key ${id}?`,
      content: h("p", null, "Requests with this key are refused, everywhere within a minute."),
      action: "Revoke it",
      danger: true,
      act: async () => {
        await change("DELETE", `/keys/${id}`);
        redraw();
      },
    });
  const limit = async (id, limits) => {
    const fields = limitFields(limits);
    const answer = await ask({
      title: `Limits of the key ${id}`,
      content: fields.element,
      action: "Set the limits",
      act: () => change("PATCH", `/keys/${id}`, fields.read()),
    });
    if (answer) redraw();
  };
  const label = () => h("input", { maxlength: 100, autocomplete: "off" });
  const wanted = (label, life, limits) => ({
    ...(label.value.trim() && { label: label.value.trim() }),
    ...limits.read(),
    ...(life.value && { expires: Math.floor(Date.now() / 1000) + Number(life.value) * 86400 }),
  });
  const add = async () => {
    const [name, life, limits] = [label(), select(LIVES, ""), limitFields()];
    const answer = await ask({
      title: "Add a key",
      content: [
        field("Label", name, { hint: "Who or what the key is for.", path: "label" }),
        field("Expires", life, { path: "expires" }),
        folded(limits),
      ],
      action: "Create the key",
      act: () => change("POST", "/keys", wanted(name, life, limits)),
    });
    if (answer) shown(answer.key);
  };
  const rotate = async () => {
    const [name, life, limits] = [label(), select(LIVES, ""), limitFields()];
    const grace = graceField("All other keys expire");
    const answer = await ask({
      title: "Replace all keys",
      content: [
        grace.element,
        field("Label", name, { path: "label" }),
        field("The new key expires", life, { path: "expires" }),
        folded(limits),
      ],
      action: "Replace them",
      act: () => change("POST", "/rotate", { grace: grace.read(), ...wanted(name, life, limits) }),
    });
    if (answer) shown(answer.key);
  };
  const shown = (key) => {
    redraw();
    reveal(document.querySelector("[data-made]"), key, "Only its hash is stored.");
  };
  made.dataset.made = "";
  return h(
    "div",
    { class: "stack" },
    made,
    rows.length > 0
      ? h(
          "table",
          null,
          h("caption", { class: "unseen" }, "Keys"),
          h(
            "thead",
            null,
            h(
              "tr",
              null,
              ["Key", "Label", "Created", "Expires", "Limits", "Last used", "Cost, 30 days", ""].map((t) =>
                t ? h("th", { scope: "col" }, t) : h("td"),
              ),
            ),
          ),
          h("tbody", null, rows),
        )
      : h("p", { class: "quiet" }, "This endpoint has no key."),
    h(
      "div",
      { class: "actions" },
      button("Add a key", add, { class: "primary" }),
      button("Replace all keys", rotate),
    ),
  );
}
