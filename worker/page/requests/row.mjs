// A request of the log: a line that opens to its attempts, tokens, cost, and what was lost.
import { requestId } from "../lib/copy.mjs";
import { h } from "../lib/dom.mjs";
import { table } from "../watch/chart.mjs";
import { dollars, lasts, share } from "../watch/stats.mjs";

const AVOIDED = {
  cooldown: "tried last: it was cooling down after failures",
  budget: "left out: the budget is spent",
  unpriced: "left out: the model has no price there",
};
const UNKNOWN = "the model is newer than edgelingua or misspelled, so its family's limits were assumed";
const REASONS = {
  timeout: "no answer in time",
  unreachable: "could not be reached",
  aborted: "the client left",
  overloaded: "said that it is overloaded",
  unavailable: "broke off",
  internal: "failed inside of its answer",
};

export const at = (seconds) => new Date(seconds * 1000).toLocaleString();

// outcome is the outcome of a request in words.
export const outcome = ({ status, type }) => (status === 0 ? "answered" : `${status} ${type}`);

// row returns a request as a line that opens. nameOf(key) returns the displayed name of a key, and
// filter(name, value) is called to search for the requests with that value.
export function row(request, nameOf, filter) {
  const {
    time,
    model,
    upstream_model: used,
    upstream,
    status,
    input,
    output,
    usd,
    total_ms: total,
  } = request;
  const body = h("div");
  const element = h(
    "details",
    {
      class: "card logged",
      ontoggle: () => element.open && !body.hasChildNodes() && body.append(inside(request, nameOf, filter)),
    },
    h(
      "summary",
      null,
      h(
        "span",
        { class: "logged-line" },
        h("span", null, at(time)),
        h("code", null, used && used !== model ? `${model} → ${used}` : model),
        h("span", null, upstream || "no upstream"),
        h("span", { class: status === 0 ? "said-good" : "said-bad" }, outcome(request)),
        h("span", null, `${input.toLocaleString()} in, ${output.toLocaleString()} out`),
        h("span", null, usd === null ? "cost unknown" : dollars(usd)),
        h("span", null, lasts(total)),
      ),
    ),
    body,
  );
  return element;
}

function inside(request, nameOf, filter) {
  const { request_id: id, words, lost, attempts, session, agent, client, key, summary } = request;
  const link = (name, value, text) =>
    value
      ? h("button", { type: "button", class: "link", onclick: () => filter(name, value) }, text ?? value)
      : "none";
  const fields = lost ? lost.split(",") : [];
  return h(
    "div",
    { class: "stack" },
    h(
      "dl",
      { class: "facts" },
      fact("Request id", requestId(id, "none")),
      fact("Key", key ? link("key", key, nameOf(key)) : nameOf(key)),
      fact("Client", link("client", client)),
      fact("Session", session ? [link("session", session), agent && ` · agent ${agent}`] : "none"),
      words && fact("Error", words),
      fact("Finish reason", request.finish || "none: no complete answer was read"),
      fact(
        "Tokens",
        `${request.input.toLocaleString()} in, ${share(request.cached, request.input)} from caches; ` +
          `${request.output.toLocaleString()} out` +
          (summary > 0 ? `; ${summary.toLocaleString()} of them for a summary of the conversation` : ""),
      ),
      fact("Cost", request.usd === null ? "unknown: no price" : dollars(request.usd)),
      fact(
        "Time",
        `${request.first_byte_ms ? lasts(request.first_byte_ms) : "—"} to the first byte, ` +
          `${lasts(request.total_ms)} to the end`,
      ),
      fact(
        "Lost in translation",
        fields.length > 0
          ? h(
              "ul",
              { class: "plain" },
              fields.map((field) => h("li", null, h("code", null, field))),
            )
          : "nothing",
      ),
    ),
    attempts.length > 0 &&
      table(
        "Attempts",
        ["Upstream", "Outcome", "Time"],
        attempts.map((attempt) => [
          attempt.advice ? `${attempt.upstream}, as advisor` : attempt.upstream,
          attempted(attempt),
          attempt.ms > 0 ? lasts(attempt.ms) : "—",
        ]),
      ),
  );
}

function attempted({ avoided, status, reason, unknown_model: unknown }) {
  if (avoided) return AVOIDED[avoided] ?? avoided;
  const why = reason && (REASONS[reason] ?? reason);
  const result = status < 400 ? `answered, ${status}` : `refused with ${status}`;
  return [status ? result : why || "no answer", status && why, unknown && UNKNOWN].filter(Boolean).join(": ");
}

const fact = (name, value) => h("div", null, h("dt", null, name), h("dd", null, value));
