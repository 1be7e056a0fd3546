// The form of a new or existing endpoint.
import { whither } from "../lib/connect.mjs";
import { busy, button, field, good, h, nameInput, say, select } from "../lib/dom.mjs";
import { LIMITS } from "../lib/limits.mjs";
import { explain } from "../lib/notice.mjs";
import { endpointOptions, optionFields } from "./options.mjs";
import { other } from "../lib/other.mjs";
import { presetList } from "./presetlist.mjs";
import { presets } from "./presets.mjs";
import { priceFields } from "./pricefields.mjs";
import { probes } from "./probe.mjs";
import { upstreamFields } from "./upstream.mjs";
import { webSearchFields } from "./websearch.mjs";

// endpointForm returns { element, unsaved } of the form of an endpoint, which is {} for a new one.
// action is the text of the form's button. The button calls save(settings, form). settings are a
// body for the API: all settings of a new endpoint, or a merge patch. probe("test" or "models",
// body) makes the API call an upstream of the draft in body. save and probe throw the API's
// Failure. discard() replaces the form by one with the saved settings. unsaved() reports whether
// the form has changes.
export function endpointForm(endpoint, { action, save, probe, discard }) {
  const isNew = endpoint.name === undefined;
  const name = nameInput("", { "data-path": "name" });
  const auth = select(
    [
      ["key", "a key of this endpoint"],
      ["forward", "their own upstream key (forward)"],
    ],
    endpoint.auth ?? "key",
    { "data-path": "auth" },
  );
  const counts = endpoint.usage ?? isNew; // the API counts at a new endpoint, too
  const usage = h("input", { type: "checkbox", "data-path": "usage", checked: counts });
  const limits = Object.entries(LIMITS).map(([key, [label]]) => [
    key,
    label,
    h("input", { inputmode: "numeric", value: endpoint.limits?.[key] ?? "" }),
  ]);
  const over = select(
    [
      ["", "is refused"],
      ["next", "goes to the next upstream"],
    ],
    endpoint.limits?.over_budget === "next" ? "next" : "",
  );
  const unpriced = select(
    [
      ["", "is refused"],
      ["allow", "is allowed, and counts toward no budget"],
    ],
    endpoint.limits?.unpriced === "allow" ? "allow" : "",
  );
  const prices = priceFields(endpoint.prices, () => tellUnsaved());
  const log = h("input", {
    inputmode: "numeric",
    value: endpoint.request_log ? endpoint.request_log.ttl / 3600 : "",
  });
  const logRows = h("input", { inputmode: "numeric", value: endpoint.request_log?.rows ?? "" });
  const models = h("input", { spellcheck: "false", value: (endpoint.limits?.models ?? []).join(", ") });
  const options = optionFields(endpointOptions, endpoint.options, "options");
  const searches = webSearchFields(
    endpoint.options?.web_search,
    endpoint.sealed_keys?.includes("web_search"),
  );
  const wait = h("input", { inputmode: "decimal", value: endpoint.head_wait ?? "" });
  const batch = h("input", { inputmode: "numeric", value: endpoint.batch ?? "" });
  const most = h("input", { inputmode: "numeric", value: endpoint.max_output_bytes ?? "" });

  const state = h("span", { class: "hint", role: "status" });
  const drop = button("Discard", discard, { class: "small quiet-button", hidden: true });
  let first; // the initial input
  const unsaved = () => first !== undefined && JSON.stringify(read()) !== first;
  const tellUnsaved = () => {
    const text = unsaved() ? "Not saved yet" : "";
    if (state.textContent !== text) state.textContent = text;
    drop.hidden = text === "";
  };
  const failed = h("div");
  const list = h("div", { class: "stack" });
  let upstreams = [];
  const questions = probes(probe, { upstreams: () => upstreams, more: () => authOf(), failed });
  const ask = h("input", { spellcheck: "false", autocomplete: "off", placeholder: "claude-opus-5-5" });
  const answer = h("p", { class: "answer", role: "status" });
  const try_ = () => {
    answer.textContent =
      ask.value.trim() === ""
        ? "Type a model's name to see which upstream it goes to."
        : whither(
            upstreams.map((u) => u.read()),
            ask.value.trim(),
          );
  };
  ask.addEventListener("input", try_);
  const arrange = () => {
    list.replaceChildren(...upstreams.map(({ element }) => element));
    upstreams.forEach((u, i) => u.move(i, upstreams.length));
    try_();
    tellUnsaved();
  };
  // make returns the fields of an upstream, not yet added to the list.
  const make = (upstream, more) => {
    const u = upstreamFields(upstream, {
      ...more,
      onchange: () => {
        try_();
        tellUnsaved();
      },
      onremove: () => {
        upstreams = upstreams.filter((other) => other !== u);
        arrange();
      },
      onmove: (step) => moved(u, step),
      models: () => questions.models(u),
    });
    return u;
  };
  const add = (upstream, more) => {
    const u = make(upstream, more);
    upstreams.push(u);
    arrange();
    return u;
  };
  // moved moves an upstream by step positions. With 0 the user has dragged its card: the upstreams
  // get the order of their cards.
  const moved = (u, step) => {
    const order =
      step === 0
        ? [...list.children].map((element) => upstreams.find((v) => v.element === element))
        : upstreams.filter((v) => v !== u);
    if (step !== 0) order.splice(upstreams.indexOf(u) + step, 0, u);
    if (order.every((v, i) => v === upstreams[i])) return;
    upstreams = order;
    arrange();
    if (step !== 0) u.focusOn(step);
    say(`${u.read().name || "The upstream"} is number ${upstreams.indexOf(u) + 1} of ${upstreams.length}`);
  };
  for (const u of endpoint.upstreams ?? [])
    add(u, {
      kept: endpoint.sealed_keys.includes(u.name),
      pool: endpoint.pools?.[u.name],
      token: endpoint.sealed_tokens?.includes(u.name),
    });
  // start replaces the upstream of the previously chosen preset by the upstream of another preset.
  // Upstreams without a preset stay. The form stores the fields of each preset separately: a key
  // typed for one vendor never appears in the fields of another.
  const typed = new Map(); // the preset -> its fields
  let chosen;
  const start = (preset) => {
    if (!typed.has(preset))
      typed.set(
        preset,
        make({ name: preset.id === "other" ? "" : preset.id, ...preset }, { keyless: preset.keyless }),
      );
    const at = upstreams.indexOf(chosen);
    chosen = typed.get(preset);
    upstreams.splice(Math.max(at, 0), at < 0 ? 0 : 1, chosen);
    arrange();
  };

  const authOf = () => (auth.value === (endpoint.auth ?? "key") ? {} : { auth: auth.value });
  const read = () => {
    const said = {
      upstreams: upstreams.map((u) => u.read()),
      ...authOf(),
      ...changed("options", endpoint.options, searches.into(options.read())),
      ...changed("limits", endpoint.limits, limitsOf(limits, over, unpriced, models)),
      ...changed("prices", endpoint.prices, prices.read()),
      ...logOf(endpoint.request_log, log, logRows),
      ...(usage.checked !== counts && { usage: usage.checked }),
      ...number("head_wait", endpoint, wait),
      ...number("batch", endpoint, batch),
      ...number("max_output_bytes", endpoint, most),
    };
    return isNew ? { name: name.value.trim(), ...said } : said;
  };
  const go = h("button", { class: "primary" }, action);
  const form = h(
    "form",
    {
      class: "stack",
      novalidate: true,
      oninput: tellUnsaved,
      onsubmit: (event) => {
        event.preventDefault();
        if (!good([...form.elements])) return;
        failed.replaceChildren();
        busy(go, () => save(read(), form).catch((error) => explain(failed, error, form)));
      },
    },
    isNew &&
      h(
        "div",
        { class: "card" },
        field("Name of the endpoint", name, { hint: "Part of the endpoint's URL: a-z, 0-9 and -." }),
        presetList(start),
      ),
    list,
    h(
      "div",
      { class: "actions" },
      button(
        "Add an upstream",
        () => add({ protocol: other.protocol }).element.querySelector("input").focus(),
        { class: "small" },
      ),
      h(
        "span",
        { class: "hint" },
        "Fallback: if an upstream fails, the next one that serves the model is tried.",
      ),
    ),
    questions.card,
    h("div", { class: "card tester" }, field("Where would a model go?", ask), answer),
    h(
      "details",
      { class: "card" },
      h("summary", null, "Limits and usage"),
      h(
        "div",
        { class: "grid" },
        limits.map(([key, label, control]) => field(label, control, { path: `limits.${key}` })),
        field("A request over budget", over, { path: "limits.over_budget" }),
        field("With a budget, a model without a price", unpriced, { path: "limits.unpriced" }),
        field("Allowed models", models, {
          hint: "By their client names, with * for any characters, separated by commas. Empty: all.",
          path: "limits.models",
        }),
        prices.element,
        field("Request log, in hours", log, {
          hint: "How long single requests are listed, without contents. Empty: no log.",
          path: "request_log.ttl",
        }),
        field("Requests of the log", logRows, {
          hint: "How many are kept: 100 if empty, at most 100,000.",
          path: "request_log.rows",
        }),
        h(
          "label",
          { class: "check wide" },
          usage,
          "Count usage: requests, tokens, cost and errors of each day, without contents. Every numeric " +
            "limit also turns this on.",
        ),
      ),
    ),
    h(
      "details",
      { class: "card" },
      h("summary", null, "Options"),
      h(
        "div",
        { class: "grid" },
        field("Clients send", auth),
        field("Seconds a stream waits for its upstream", wait, {
          hint: "Then its own headers are sent, and keep-alives begin. Default 30.",
          path: "head_wait",
        }),
        field("Milliseconds an event waits for others", batch, {
          hint: "Events sent together: fast streams cost less CPU. Default 50; 0: no wait.",
          path: "batch",
        }),
        field("Maximum bytes of a buffered answer", most, {
          hint: "Plain answers and Responses streams. Default 4194304 (4 MB).",
          path: "max_output_bytes",
        }),
        options.elements,
        searches.elements,
      ),
    ),
    h(
      "div",
      { class: "save" },
      failed,
      h(
        "div",
        { class: "actions" },
        go,
        isNew && h("a", { href: "#/", class: "button" }, "Back"),
        state,
        drop,
      ),
    ),
  );
  if (isNew) start(presets[0]);
  first = JSON.stringify(read());
  return { element: form, unsaved };
}

// changed returns { key: patch } with the merge patch from one object to another, or {} without
// differences.
function changed(key, before = {}, after) {
  const gone = Object.keys(before).filter((name) => !(name in after));
  const patch = { ...after, ...Object.fromEntries(gone.map((name) => [name, null])) };
  return JSON.stringify(before) === JSON.stringify(after) ? {} : { [key]: patch };
}

// number returns { key: value } of a numeric setting, or {} without a change. value is null for an
// empty control. An invalid number stays a text, and the API explains what is valid.
function number(key, endpoint, { value }) {
  const text = value.trim();
  if (text === String(endpoint[key] ?? "")) return {};
  return { [key]: text === "" ? null : numberOf(text) };
}

// numberOf returns the number in a text, with or without commas between thousands, or the text
// itself.
function numberOf(text) {
  const plain = /^\d{1,3}(,\d{3})+(\.\d+)?$/.test(text) ? text.replaceAll(",", "") : text;
  return Number.isNaN(Number(plain)) ? text : Number(plain);
}

// logOf returns { request_log } of the hours and the number of requests in two controls, null for no
// hours, or {} without a change.
function logOf(before, log, logRows) {
  const [hours, most] = [log.value.trim(), logRows.value.trim()];
  if (hours === String(before ? before.ttl / 3600 : "") && most === String(before?.rows ?? "")) return {};
  if (hours === "") return { request_log: null };
  const ttl = numberOf(hours);
  return {
    request_log: {
      ttl: typeof ttl === "number" ? Math.round(ttl * 3600) : ttl,
      ...(most !== "" && { rows: numberOf(most) }),
    },
  };
}

function limitsOf(limits, over, unpriced, models) {
  const set = {};
  for (const [key, , control] of limits)
    if (control.value.trim() !== "") set[key] = numberOf(control.value.trim());
  const list = models.value
    .split(",")
    .map((name) => name.trim())
    .filter(Boolean);
  if (list.length > 0) set.models = list;
  if (over.value) set.over_budget = over.value;
  if (unpriced.value) set.unpriced = unpriced.value;
  return set;
}
