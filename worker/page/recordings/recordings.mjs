// The view of recordings of `serve --record`: the list, and one exchange as Try it shows a live call.
// A recording is text of a client and a model: all of it is shown as text.
import { Axis } from "../tryit/axis.mjs";
import { Timeline } from "../tryit/timeline.mjs";
import { button, h, say, show } from "../lib/dom.mjs";
import { notice } from "../lib/notice.mjs";
import { api, choices } from "../lib/views.mjs";
import { table } from "../watch/chart.mjs";
import { pieces } from "./pieces.mjs";

// recordingsView returns the view. read(path) resolves with the API's answer for the list, path "",
// or for "/NAME". again({ protocol, model, body, time }) opens Try it with a request.
export function recordingsView(read, again) {
  const place = h("div", { class: "stack" }, h("p", { class: "quiet" }, "Loading …"));
  let loads = 0; // number of loads: only the last one may be shown
  const load = async (path, view) => {
    const asked = ++loads;
    try {
      const answer = await read(path);
      if (asked !== loads) return;
      show(place, view(answer));
      const heading = place.querySelector("h2");
      heading.focus({ preventScroll: true });
      heading.scrollIntoView({ block: "nearest" });
      say(heading.textContent);
    } catch (error) {
      if (error.status === undefined) throw error;
      if (asked !== loads) return;
      show(
        place,
        notice("bad", error.message),
        h("div", { class: "actions" }, button("All recordings", list)),
      );
    }
  };
  const list = () => load("", (answer) => listView(answer, list, open));
  const open = (name) => load(`/${name}`, (exchange) => exchangeView(exchange, list, again));
  list();
  return place;
}

const time = (text) => new Date(text).toLocaleString(undefined, { dateStyle: "medium", timeStyle: "medium" });

function listView({ recordings, total }, reload, open) {
  const rows = recordings.map(({ name, time: at, method, path, model, status, ms }) => [
    button(at ? time(at) : name, () => open(name), { class: "link" }),
    method ? h("code", null, `${method} ${path}`) : "unreadable",
    model ? h("code", null, model) : "—",
    status ?? "—",
    ms === undefined ? "—" : `${ms.toLocaleString()} ms`,
  ]);
  const more = total > recordings.length && ` The newest ${recordings.length} of ${total} are listed.`;
  return h(
    "section",
    { class: "card stack wide-table" },
    h("h2", { tabindex: -1 }, "Recordings"),
    h(
      "p",
      { class: "quiet" },
      "Exchanges in the folder of --record, with their contents. Keys are masked.",
      more,
    ),
    rows.length > 0
      ? table("Recordings", ["Time", "Request", "Model", "Status", "Duration"], rows)
      : h("p", null, "No exchange is recorded yet."),
    h("div", { class: "actions" }, button("Refresh", reload, { class: "small" })),
  );
}

function exchangeView(exchange, back, again) {
  const { name, time: at, method, path, model, status, ms, lost = [], notes = [], sides, more } = exchange;
  const axis = new Axis(0, (moment) => lines.forEach((line) => line.look(moment)));
  const streams = sides.some(({ answer }) => answer.stream && answer.body);
  // of several upstream streams, as in rounds of searches, none is what the client waits for
  const single = sides.slice(1).filter(({ answer }) => answer.stream).length === 1;
  const lines = sides.map((side, i) => {
    const role =
      i === 0 ? "Your client" : sides.length + (more ?? 0) > 2 ? `Upstream request ${i}` : "The upstream";
    return sideOf(side, role, single && i > 0, streams && axis);
  });
  lines[0].lost(lost);
  if (streams) axis.end();
  return h(
    "div",
    { class: "stack" },
    h(
      "section",
      { class: "card stack" },
      h("h2", { tabindex: -1 }, method ? `${method} ${path}` : name),
      h(
        "dl",
        { class: "facts" },
        fact("Time", at && time(at)),
        fact("Model", model && h("code", null, model)),
        fact("Answer", status && `status ${status} after ${(ms ?? 0).toLocaleString()} ms`),
        fact("File", h("code", null, name)),
        more && fact("Not shown", `${more} more upstream requests: read the file`),
      ),
      notes.map((text) => notice("info", text)),
      h("div", { class: "actions" }, tryAgain(exchange, again, button("All recordings", back))),
    ),
    streams && axis.element,
    h(
      "div",
      { class: "timelines" },
      lines.map(({ element }) => element),
    ),
  );
}

const fact = (name, value) => value && h("div", null, h("dt", null, name), h("dd", null, value));

// tryAgain returns the button that opens Try it with the client's request, or the reason why there is
// no button, with the other actions.
function tryAgain({ again: sendable, model, name, time, sides: [{ protocol, request }] }, again, others) {
  const hint = (...content) => h("span", { class: "hint" }, ...content);
  if (!sendable || !choices.some(([client]) => client === protocol))
    return [others, hint("Try it sends only requests for an answer.")];
  if (request.cut)
    return [
      others,
      hint(
        "This request is too long for Try it. In the folder: ",
        h("code", null, `edgelingua replay ${name}`),
      ),
    ];
  const open = () => again({ protocol, model, body: request.body, time });
  return [
    button("Open in Try it", open, { class: "primary" }),
    others,
    hint("Try it fills its form with this request. Nothing is sent before you press Send."),
  ];
}

// sideOf returns the timeline of a side. source: the other sides translate this stream. axis is false
// if no side has a stream.
function sideOf({ protocol, request, status, answer }, role, source, axis) {
  const title = api(protocol)?.title ?? "Not a request to a model";
  const streams = answer.stream && answer.body;
  const line = new Timeline(role, title, protocol, 0, streams && axis.lane(role, title, source));
  line.asked(request.body ?? "");
  if (!status) line.answered("No answer.");
  else if (streams) {
    const { chunks, exact } = pieces(answer);
    for (const { bytes, at } of chunks) line.push(bytes, at);
    line.end(
      exact ? "" : "Times are approximate: the stream came compressed, or keys in it are masked.",
      chunks.at(-1)?.at ?? 0,
    );
  } else if (status >= 400) line.refused(status, answer.body ?? "", `Refused with status ${status}.`);
  else line.answered(`Status ${status}.`, answer.body);
  const part = (what, message) =>
    message.cut &&
    h(
      "p",
      { class: "hint" },
      `The ${what} has ${message.bytes.toLocaleString()} bytes; the page shows the first part.`,
    );
  line.element.append(...[part("request", request), part("answer", answer)].filter(Boolean));
  const heads = [request.head, answer.head].filter(Boolean).join("\n");
  const pre = h("pre", { tabindex: 0, "aria-label": `Headers: ${role}` }, heads);
  line.element.append(h("details", null, h("summary", null, "Headers"), pre));
  return line;
}
