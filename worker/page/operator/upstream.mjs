// An upstream in the form of an endpoint.
import { rulesOf } from "../lib/choose.mjs";
import { button, field, h, id, nameInput, select, show } from "../lib/dom.mjs";
import { gatewayFields } from "./gateway.mjs";
import { optionFields, upstreamOptions } from "./options.mjs";
import { sortable } from "./order.mjs";
import { other } from "../lib/other.mjs";
import { choices } from "../lib/views.mjs";

// upstreamFields returns { element, read, move, focusOn }. read() returns the upstream for the API.
// The form calls move(i, n) after the upstream has become number i, from 0, of n, and focusOn(step)
// to focus the button for a move by step positions. kept: the upstream has a key, which the API
// does not show. pool: the number of keys, 0 for at most one. token: the gateway has a token.
// keyless: such an upstream usually needs no key. models() resolves with the models that the
// upstream lists, or with undefined after the page has shown the reason for a failure. onmove(step)
// is called when the user moves the upstream by step positions, and onmove(0) after a drag.
export function upstreamFields(
  upstream,
  { kept = false, pool = 0, token = false, keyless = false, onremove, onchange, onmove, models },
) {
  const input = (value, props) =>
    h("input", { spellcheck: "false", autocomplete: "off", ...props, value: value ?? "" });
  const name = nameInput(upstream.name);
  const protocol = select(choices, upstream.protocol ?? other.protocol);
  const url = input(upstream.url, { type: "url", required: true, placeholder: "https://" });
  const key = input("", {
    type: "password",
    autocomplete: "new-password",
    placeholder: kept ? "unchanged" : "",
  });
  const forget = h("input", { type: "checkbox" });
  const several = h("textarea", {
    rows: 2,
    spellcheck: "false",
    autocomplete: "off",
    placeholder: pool ? `${pool} keys, unchanged` : "",
  });
  const gateway = gatewayFields(upstream.gateway, token);
  const timeout = input(upstream.timeout, { inputmode: "decimal" });
  const headers = h("textarea", {
    rows: 2,
    spellcheck: "false",
    value: upstream.headers ? JSON.stringify(upstream.headers) : "",
  });
  const options = optionFields(upstreamOptions, upstream.options, "options", "default for this upstream");
  const rules = h("div", { class: "rules" });
  const offered = h("datalist", { id: id() });
  const listed = h("p", { class: "hint", role: "status" });
  const addRule = (pattern = "", model = "") => {
    const row = h(
      "div",
      { class: "rule" },
      input(pattern, {
        "aria-label": "The client's model",
        placeholder: "claude-*",
        "data-rule": "pattern",
        list: offered.id,
      }),
      h("span", { "aria-hidden": "true" }, "→"),
      input(model, {
        "aria-label": "The upstream's model",
        placeholder: "the same name",
        "data-rule": "model",
        list: offered.id,
      }),
      button("Remove", () => (row.remove(), onchange()), {
        class: "small quiet-button",
        "aria-label": "Remove this model",
      }),
    );
    rules.append(row);
    return row;
  };
  for (const [pattern, model] of rulesOf(upstream.models)) addRule(pattern, model);
  const hintLocal = h("p", { class: "hint" });
  const local = () => {
    hintLocal.textContent = url.value.startsWith("http:")
      ? "Without https, the deployment needs the variable ALLOW_HTTP_UPSTREAM, and must reach this address."
      : "";
    const blank = /<[^>]*>?/.exec(url.value)?.[0];
    url.setCustomValidity(blank ? `Replace ${blank} with your own name.` : "");
  };
  name.addEventListener("input", () => entitle(title.firstChild.textContent));
  url.addEventListener("input", local);
  local();

  const fields = [
    ["name", name],
    ["protocol", protocol],
    ["url", url],
    ["key", key],
    ["timeout", timeout],
    ["headers", headers],
    ["keys", several],
    ...gateway.fields,
  ];
  const title = h("legend");
  const entitle = (text) =>
    show(title, text, name.value.trim() && h("span", { class: "quiet" }, ` · ${name.value.trim()}`));
  const handle = h("span", { class: "handle", "aria-hidden": "true", title: "Drag to reorder" }, "≡");
  const steps = [-1, 1].map((step) => [
    step,
    h(
      "button",
      { type: "button", class: "small quiet-button", onclick: () => onmove(step) },
      step < 0 ? "Move up" : "Move down",
    ),
  ]);
  const order = h(
    "div",
    { class: "order" },
    steps.map(([, b]) => b),
    handle,
  );
  const remove = button("Remove this upstream", onremove, { class: "small quiet-button" });
  const last = h("div", { class: "actions" }, remove);
  const element = h(
    "fieldset",
    { class: "card upstream", oninput: onchange },
    title,
    order,
    h(
      "div",
      { class: "grid" },
      field("Name", name, { hint: "a-z, 0-9 and -" }),
      field("Protocol", protocol),
      h("div", { class: "wide" }, field("Base URL", url), hintLocal),
      h(
        "div",
        { class: "wide" },
        field("Upstream key", key, {
          hint: kept
            ? "A key is stored, and never shown. Type another one to replace it."
            : keyless
              ? "Most local servers need no key."
              : "Stored encrypted, and never shown.",
        }),
        kept && h("label", { class: "check" }, forget, "Remove the stored key"),
      ),
    ),
    h(
      "div",
      { class: "models" },
      h("h2", null, "Models"),
      h(
        "p",
        { class: "hint" },
        "The client's name for a model, with * for any characters, and the upstream's name. The first " +
          "matching line counts; without lines, every model goes here under its own name.",
      ),
      rules,
      offered,
      h(
        "div",
        { class: "actions" },
        button("Add a model", () => addRule().querySelector("input").focus(), { class: "small" }),
        button("Fetch models", async () => offer(await models()), { class: "small" }),
      ),
      listed,
    ),
    h(
      "details",
      null,
      h("summary", null, "More about this upstream"),
      h(
        "div",
        { class: "grid" },
        field("Timeout, in seconds", timeout, {
          hint: "How long the upstream may stay silent. Default 600.",
        }),
        field("Additional headers", headers, {
          hint: 'As JSON, without credentials: {"x-title":"edgelingua"}',
          wide: true,
        }),
        field("Several keys, instead of the key above", several, {
          hint:
            "One per line. Requests use the keys in turn; a rate-limited key has a cooldown. " +
            "Usage is counted for this.",
          wide: true,
        }),
        gateway.elements,
        options.elements,
      ),
    ),
    last,
  );
  sortable(element, handle, () => onmove(0));

  // offer suggests the names of models for input, and shows the set models that are not in the
  // list.
  const offer = (names) => {
    show(
      offered,
      (names ?? []).map((value) => h("option", { value })),
    );
    const set = modelsOf(rules) ?? [];
    const missing = (Array.isArray(set) ? set : Object.values(set)).filter(
      (model) => names && !model.includes("*") && !names.includes(model),
    );
    listed.textContent = names
      ? `${names.length} ${names.length === 1 ? "model" : "models"} listed, suggested as you type.` +
        `${missing.length > 0 ? ` Not listed: ${missing.join(", ")}.` : ""}`
      : "";
  };
  const read = () => {
    const u = { name: name.value.trim(), protocol: protocol.value, url: url.value.trim() };
    if (key.value) u.key = key.value.trim();
    else if (forget.checked) u.key = null;
    const keys = several.value.split(/\s+/).filter(Boolean);
    if (keys.length > 0) u.keys = keys;
    const through = gateway.read();
    if (through) u.gateway = through;
    if (timeout.value.trim()) u.timeout = Number(timeout.value);
    if (headers.value.trim()) u.headers = jsonOf(headers.value);
    const models = modelsOf(rules);
    if (models) u.models = models;
    const set = options.read();
    if (Object.keys(set).length > 0) u.options = set;
    return u;
  };
  const move = (i, n) => {
    entitle(n === 1 ? "Upstream" : `Upstream ${i + 1}`);
    last.hidden = order.hidden = n === 1;
    for (const [step, b] of steps) b.disabled = step < 0 ? i === 0 : i === n - 1;
    for (const [key, control] of fields) control.dataset.path = `upstreams[${i}].${key}`;
    rules.dataset.path = `upstreams[${i}].models`;
    for (const control of element.querySelectorAll("details [data-path]"))
      if (!fields.some(([, c]) => c === control))
        control.dataset.path = control.dataset.path.replace(/^(upstreams\[\d+\]\.)?/, `upstreams[${i}].`);
  };
  const focusOn = (step) =>
    (steps.find(([s, b]) => s === step && !b.disabled) ?? steps.find(([, b]) => !b.disabled))[1].focus();
  return { element, read, move, focusOn };
}

// modelsOf returns the lines of a model map for the API: a list of patterns if no line has an
// upstream's name, else an object. An object can't have a pattern with * that leaves names
// unchanged: such a line gets "", and the API explains the error.
function modelsOf(rules) {
  const lines = [...rules.children]
    .map((row) => [...row.querySelectorAll("input")].map(({ value }) => value.trim()))
    .filter(([pattern]) => pattern !== "");
  if (lines.length === 0) return undefined;
  if (lines.every(([, model]) => model === "")) return lines.map(([pattern]) => pattern);
  return Object.fromEntries(
    lines.map(([pattern, model]) => [pattern, model || (pattern.includes("*") ? "" : pattern)]),
  );
}

function jsonOf(text) {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
