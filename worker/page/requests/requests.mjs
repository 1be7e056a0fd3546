// The view of an endpoint's request log: filters, equal errors, sessions and the requests.
import { form, read, write } from "./filters.mjs";
import { at, row } from "./row.mjs";
import { sessionsView } from "./sessions.mjs";
import { button, h, say, show } from "../lib/dom.mjs";
import { notice } from "../lib/notice.mjs";
import { table } from "../watch/chart.mjs";
import { refusedBy } from "../watch/refused.mjs";

// requestsView returns the view. load(path) resolves with the answer of the API at requests?... and
// sessions. keys has the ids and labels of the endpoint's keys, and upstreams the names of its
// upstreams. keep() makes the endpoint keep a log; without it, hint says who can. routed: the page
// draws the view again when the address changes.
export function requestsView(load, { keys = [], upstreams = [], keep, hint, routed }) {
  const place = h("div", { class: "stack", "aria-busy": "true" }, h("p", { class: "quiet" }, "Loading …"));
  const labels = Object.fromEntries(keys);
  const nameOf = (key) => labels[key] || key || "not a key of this endpoint";
  const draw = async () => {
    const filters = read();
    const asked = location.hash;
    place.setAttribute("aria-busy", "true");
    try {
      const query = new URLSearchParams(filters).toString();
      const found = await load(`requests${query && `?${query}`}`);
      if (asked === location.hash) show(place, ...view(found, filters));
    } catch (error) {
      if (error.status === undefined) throw error;
      show(
        place,
        notice("bad", error.message),
        h(
          "div",
          { class: "actions" },
          button("Try again", draw),
          button("Clear the filters", () => search({})),
        ),
      );
    } finally {
      place.removeAttribute("aria-busy");
    }
  };
  const search = (filters) => {
    write(filters);
    return draw();
  };
  const filter = (name, value) => search({ ...read(), [name]: value });

  const view = (found, filters) => {
    if (!found.log) return [empty()];
    const list = h("div", { class: "stack logged-list" });
    const more = h("div", { class: "actions" });
    const add = ({ requests, cursor }) => {
      list.append(...requests.map((request) => row(request, nameOf, filter)));
      show(
        more,
        cursor &&
          button("Show more", async () => {
            const query = new URLSearchParams({ ...filters, cursor });
            add(await load(`requests?${query}`));
          }),
        button("Refresh", draw, { class: "small" }),
      );
    };
    add(found);
    const some = (member) => [...new Set(found.requests.map((request) => request[member]).filter(Boolean))];
    const known = {
      statuses: [...new Set(found.errors.map(({ status }) => status))].sort(),
      models: some("model"),
      clients: some("client"),
      keys,
      upstreams,
    };
    const n = found.requests.length;
    say(n === 0 ? "No request found" : `${n} ${n === 1 ? "request" : "requests"} shown`);
    const filtered = Object.keys(filters).length > 0;
    return [
      form(filters, known, search),
      errorGroups(found.errors, filter),
      !filtered && refusedBy(found.refused, nameOf),
      !filtered && sessionsView(load, nameOf, filter),
      h(
        "section",
        { "aria-label": "Requests" },
        h("h2", null, "Requests"),
        n === 0 &&
          h(
            "p",
            { class: "card quiet" },
            filtered
              ? "No request in the log matches these filters."
              : "No request yet. Each request to a model is listed here when it has ended.",
          ),
        list,
        more,
      ),
    ];
  };
  const empty = () =>
    h(
      "div",
      { class: "card empty" },
      h("h2", null, "No request log is kept"),
      h(
        "p",
        { class: "quiet" },
        "With a log, this view finds single requests and sessions: models, upstreams, errors, tokens, cost " +
          "and what was lost, without contents.",
      ),
      keep
        ? button("Keep a log of a week from now on", async () => (await keep()) && draw(), {
            class: "primary",
          })
        : h("p", { class: "quiet" }, hint),
    );
  if (!routed) {
    const moved = () => {
      if (!place.isConnected) removeEventListener("hashchange", moved);
      else draw();
    };
    addEventListener("hashchange", moved);
  }
  draw();
  return place;
}

// errorGroups returns the table of equal errors, or false without any.
function errorGroups(errors, filter) {
  if (errors.length === 0) return false;
  const rows = errors.map(({ status, type, words, requests, last, model, upstream }) => [
    h(
      "button",
      { type: "button", class: "link", onclick: () => filter("status", String(status)) },
      `${status} ${type}`,
    ),
    requests.toLocaleString(),
    words || "—",
    at(last),
    model ? h("code", null, model) : "—",
    upstream || "—",
  ]);
  return h(
    "section",
    { class: "card wide-table" },
    h("h2", null, "Equal errors"),
    table("Equal errors", ["Error", "Requests", "Message", "Last", "Last model", "Last upstream"], rows),
  );
}
