// One upstream in the form of an endpoint.
import { rulesOf } from "./choose.mjs";
import { button, field, h, select } from "./dom.mjs";
import { optionFields, upstreamOptions } from "./options.mjs";
import { other } from "./presets.mjs";
import { choices } from "./views.mjs";

// upstreamFields returns { element, read, move }: read() returns the upstream as the API takes it, and move(i, n) tells the element that it
// is number i, from 0, of n. kept: the upstream has a key, which the API does not show. keyless: it usually needs none.
export function upstreamFields(upstream, { kept = false, keyless = false, onremove, onchange }) {
  const input = (value, props) => h("input", { spellcheck: "false", autocomplete: "off", ...props, value: value ?? "" });
  const name = input(upstream.name, { required: true, pattern: "[a-z0-9\\-]{1,40}", maxlength: 40 });
  const protocol = select(choices, upstream.protocol ?? other.protocol);
  const url = input(upstream.url, { type: "url", required: true, placeholder: "https://" });
  const key = input("", { type: "password", autocomplete: "new-password", placeholder: kept ? "kept as it is" : "" });
  const forget = h("input", { type: "checkbox" });
  const timeout = input(upstream.timeout, { inputmode: "decimal" });
  const headers = h("textarea", { rows: 2, spellcheck: "false", value: upstream.headers ? JSON.stringify(upstream.headers) : "" });
  const options = optionFields(upstreamOptions, upstream.options, "options", "as known of it");
  const rules = h("div", { class: "rules" });
  const addRule = (pattern = "", model = "") => {
    const row = h(
      "div",
      { class: "rule" },
      input(pattern, { "aria-label": "The client's model", placeholder: "claude-*", "data-rule": "pattern" }),
      h("span", { "aria-hidden": "true" }, "→"),
      input(model, { "aria-label": "The upstream's model", placeholder: "the same name", "data-rule": "model" }),
      button("Remove", () => (row.remove(), onchange()), { class: "small quiet-button", "aria-label": "Remove this model" }),
    );
    rules.append(row);
    return row;
  };
  for (const [pattern, model] of rulesOf(upstream.models)) addRule(pattern, model);
  const hintLocal = h("p", { class: "hint" });
  const local = () => {
    hintLocal.textContent = url.value.startsWith("http:") ? "Without https it needs the variable ALLOW_HTTP_UPSTREAM, and a worker that reaches this address." : "";
  };
  url.addEventListener("input", local);
  local();

  const fields = [
    ["name", name],
    ["protocol", protocol],
    ["url", url],
    ["key", key],
    ["timeout", timeout],
    ["headers", headers],
  ];
  const title = h("legend");
  const remove = button("Remove this upstream", onremove, { class: "small quiet-button" });
  const last = h("div", { class: "actions" }, remove);
  const element = h(
    "fieldset",
    { class: "card upstream", oninput: onchange },
    title,
    h(
      "div",
      { class: "grid" },
      field("Name", name, { hint: "a-z, 0-9 and -" }),
      field("Protocol", protocol),
      h("div", { class: "wide" }, field("Base URL", url), hintLocal),
      h(
        "div",
        { class: "wide" },
        field("Key at the upstream", key, { hint: kept ? "It has one, which is shown to nobody. Type another one to replace it." : keyless ? "Most local servers need none." : "Stored sealed, and never shown." }),
        kept && h("label", { class: "check" }, forget, "Take its key away"),
      ),
    ),
    h(
      "div",
      { class: "models" },
      h("h2", null, "Models"),
      h("p", { class: "hint" }, "What clients ask for, with * for any characters, and what it is called there. The first line that fits counts; without any, every model goes here under its own name."),
      rules,
      button("Add a model", () => addRule().querySelector("input").focus(), { class: "small" }),
    ),
    h(
      "details",
      null,
      h("summary", null, "More about this upstream"),
      h(
        "div",
        { class: "grid" },
        field("Seconds that it may say nothing", timeout, { hint: "600." }),
        field("Further headers", headers, { hint: 'As JSON, without credentials: {"x-title":"edgelingua"}', wide: true }),
        options.elements,
      ),
    ),
    last,
  );

  const read = () => {
    const u = { name: name.value.trim(), protocol: protocol.value, url: url.value.trim() };
    if (key.value) u.key = key.value.trim();
    else if (forget.checked) u.key = null;
    if (timeout.value.trim()) u.timeout = Number(timeout.value);
    if (headers.value.trim()) u.headers = jsonOf(headers.value);
    const models = modelsOf(rules);
    if (models) u.models = models;
    const set = options.read();
    if (Object.keys(set).length > 0) u.options = set;
    return u;
  };
  const move = (i, n) => {
    title.textContent = n === 1 ? "Upstream" : `Upstream ${i + 1}`;
    last.hidden = n === 1;
    for (const [key, control] of fields) control.dataset.path = `upstreams[${i}].${key}`;
    rules.dataset.path = `upstreams[${i}].models`;
    for (const control of element.querySelectorAll("details [data-path]"))
      if (!fields.some(([, c]) => c === control)) control.dataset.path = control.dataset.path.replace(/^(upstreams\[\d+\]\.)?/, `upstreams[${i}].`);
  };
  return { element, read, move };
}

// modelsOf returns the lines of a model map, as the API takes it: a list of patterns where no line has an upstream's name, else an object.
// An object can't have a pattern with * that keeps the names; such a line gets "", and the API says what is wrong.
function modelsOf(rules) {
  const lines = [...rules.children]
    .map((row) => [...row.querySelectorAll("input")].map(({ value }) => value.trim()))
    .filter(([pattern]) => pattern !== "");
  if (lines.length === 0) return undefined;
  if (lines.every(([, model]) => model === "")) return lines.map(([pattern]) => pattern);
  return Object.fromEntries(lines.map(([pattern, model]) => [pattern, model || (pattern.includes("*") ? "" : pattern)]));
}

function jsonOf(text) {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
