// The filters of the request log. They are in the page's address, after a question mark in the
// fragment, so an address can be shared, and the back button returns to the filters before.
import { h, field, select } from "../lib/dom.mjs";

const NAMES = ["status", "model", "key", "upstream", "client", "session", "from", "until"];
const OUTCOMES = [
  ["", "any"],
  ["ok", "answered"],
  ["error", "failed"],
];

// read returns the filters in the address.
export function read() {
  const query = new URLSearchParams(location.hash.split("?")[1] ?? "");
  return Object.fromEntries(NAMES.map((name) => [name, query.get(name) ?? ""]).filter(([, value]) => value));
}

// write makes filters the address, as a new entry of the history.
export function write(filters) {
  const query = new URLSearchParams(filters).toString();
  history.pushState(null, "", location.hash.split("?")[0] + (query && `?${query}`));
}

// local returns a time in Unix seconds for an input of the type datetime-local, in the user's zone.
function local(seconds) {
  if (!/^\d{1,12}$/.test(seconds ?? "")) return "";
  const date = new Date(seconds * 1000);
  return new Date(date - date.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
}

// zone returns the name of the user's time zone.
export const zone = () => Intl.DateTimeFormat().resolvedOptions().timeZone || "this device’s time zone";

// form returns the form of filters. search(filters) is called for a search. known has the statuses,
// models and clients to offer, the ids of keys with their labels, and the names of upstreams.
export function form(filters, known, search) {
  const choice = (name, choices) => {
    const value = filters[name] ?? "";
    const has = choices.some(([v]) => v === value);
    return select(has ? choices : [...choices, [value, value]], value);
  };
  const offer = (name, list) => {
    const id = `offer-${name}`;
    return [
      h("input", { value: filters[name] ?? "", spellcheck: "false", autocomplete: "off", list: id }),
      h(
        "datalist",
        { id },
        list.map((value) => h("option", { value })),
      ),
    ];
  };
  const [model, models] = offer("model", known.models);
  const [client, clients] = offer("client", known.clients);
  const controls = {
    status: choice("status", [...OUTCOMES, ...known.statuses.map((n) => [String(n), `failed with ${n}`])]),
    model,
    key: choice("key", [["", "any"], ...known.keys]),
    upstream: choice("upstream", [["", "any"], ...known.upstreams.map((name) => [name, name])]),
    client,
    session: h("input", { value: filters.session ?? "", spellcheck: "false", autocomplete: "off" }),
    from: h("input", { type: "datetime-local", value: local(filters.from) }),
    until: h("input", { type: "datetime-local", value: local(filters.until) }),
  };
  const submit = (event) => {
    event.preventDefault();
    const found = {};
    for (const name of NAMES) {
      const value = controls[name].value.trim();
      if (value !== "")
        found[name] =
          controls[name].type === "datetime-local"
            ? String(Math.floor(new Date(value).getTime() / 1000))
            : value;
    }
    search(found);
  };
  return h(
    "form",
    { class: "card", onsubmit: submit, "aria-label": "Filters" },
    h(
      "div",
      { class: "grid filters" },
      field("Outcome", controls.status),
      field("Model", controls.model),
      field("Key", controls.key),
      field("Upstream", controls.upstream),
      field("Client", controls.client),
      field("Session", controls.session),
      field("From", controls.from),
      field("Until", controls.until),
    ),
    models,
    clients,
    h(
      "div",
      { class: "actions" },
      h("button", { class: "primary" }, "Search"),
      Object.keys(filters).length > 0 &&
        h("button", { type: "button", onclick: () => search({}) }, "Clear the filters"),
      h(
        "span",
        { class: "hint" },
        `Times are those of ${zone()}. The days of Watch and of limits are days in UTC.`,
      ),
    ),
  );
}
