// The sums of sessions of clients that send an id of the session.
import { at } from "./row.mjs";
import { h, show } from "../lib/dom.mjs";
import { notice } from "../lib/notice.mjs";
import { table } from "../watch/chart.mjs";
import { lasts, money, share } from "../watch/stats.mjs";

const HEADS = [
  "Session",
  "Client",
  "Key",
  "Requests",
  "Errors",
  "Tokens",
  "From caches",
  "Cost",
  "Time of its requests",
  "Began",
  "Last",
];

// long formats a time in milliseconds that may be hours.
const long = (ms) => (ms < 120_000 ? lasts(ms) : `${Math.round(ms / 60_000).toLocaleString()} min`);

// sessionsView returns the list of sessions, which is loaded when it is opened. The parameters are
// as in requestsView and row.
export function sessionsView(load, nameOf, filter) {
  const body = h("div");
  const fill = async () => {
    show(body, h("p", { class: "quiet" }, "Loading …"));
    try {
      show(body, view(await load("sessions"), nameOf, filter));
    } catch (error) {
      if (error.status === undefined) throw error;
      show(body, notice("bad", error.message));
    }
  };
  const element = h(
    "details",
    { class: "card wide-table", ontoggle: () => element.open && fill() },
    h("summary", null, "Sessions"),
    body,
  );
  return element;
}

function view({ sessions }, nameOf, filter) {
  if (sessions.length === 0)
    return h(
      "p",
      { class: "quiet" },
      "None yet. Claude Code, Codex, opencode and other clients send an id of the session; only a hash of " +
        "the id is kept.",
    );
  const rows = sessions.map((s) => [
    h(
      "button",
      { type: "button", class: "link", onclick: () => filter("session", s.session) },
      h("code", null, s.session),
    ),
    s.client || "—",
    nameOf(s.key),
    s.requests.toLocaleString(),
    s.errors.toLocaleString(),
    `${s.input.toLocaleString()} in, ${s.output.toLocaleString()} out`,
    share(s.cached, s.input),
    money(s.usd, s.unpriced),
    long(s.total_ms),
    at(s.began),
    at(s.last),
  ]);
  return table("Sessions", HEADS, rows);
}
