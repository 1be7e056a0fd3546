// A side of a call: the request, and the events of the answer as they arrive.
import { parse } from "../lib/api.mjs";
import { h, show } from "../lib/dom.mjs";
import { whyLost } from "../lib/explain.mjs";
import { failureView } from "./failure.mjs";
import { Reader } from "./sse.mjs";
import { eventOf } from "../lib/views.mjs";

const MOST = 20_000; // maximum of shown events
const BOTTOM = 40; // pixels: a list scrolled this near to its end follows new events

// breakable returns a long name that can break after its dots and underscores.
const breakable = (type) => type.split(/(?<=[._])/).map((part, i) => [i > 0 && h("wbr"), part]);

// readable returns a JSON text with line breaks, and any other text unchanged.
function readable(body) {
  const json = parse(body);
  return json ? JSON.stringify(json, null, 2) : body;
}

// Timeline is a card with the events of a stream in a protocol. started is the performance.now() at
// the start of the call, and lane the side's lane on the axis.
export class Timeline {
  #protocol;
  #started;
  #reader = new Reader();
  #list = h("ol", { class: "events", tabindex: 0 });
  #request = h("pre", { tabindex: 0 });
  #lost = h("div", { class: "lost" });
  #failed = h("div", { class: "stack" });
  #lane;
  #starts = []; // [at, element] of each entry
  #foot = h("p", { class: "quiet foot" }, "waiting …");
  #last; // the growing entry: { key, text, times, count }; text and times are elements
  #count = 0;

  constructor(role, title, protocol, started, lane) {
    this.#lane = lane;
    this.#protocol = protocol;
    this.#started = started;
    this.#list.setAttribute("aria-label", `Events: ${role}`);
    this.#request.setAttribute("aria-label", `Request: ${role}`);
    this.element = h(
      "section",
      { class: "card timeline", "aria-label": role, "data-protocol": protocol },
      h("header", null, h("h2", null, role), h("p", { class: "quiet" }, title)),
      h("details", null, h("summary", null, "Request"), this.#request),
      this.#lost,
      this.#failed,
      this.#list,
      this.#foot,
    );
  }

  // asked shows a request.
  asked(body) {
    this.#request.textContent = readable(body);
  }

  // lost shows the names of lost fields.
  lost(fields) {
    show(
      this.#lost,
      fields.length > 0 && [
        h("span", null, "Lost: "),
        fields.map((field) => h("code", { class: "badge off" }, field)),
        whyLost(fields),
      ],
    );
  }

  // push takes bytes of the stream and the performance.now() of their arrival.
  push(bytes, at) {
    for (const event of this.#reader.push(bytes)) this.#add(eventOf(this.#protocol, event), at);
  }

  // refused shows that the call was refused. foot is the text below.
  refused(status, body, foot = `Refused after ${Math.round(performance.now() - this.#started)} ms.`) {
    this.#failed.append(failureView(`HTTP ${status}`, body));
    this.#list.remove(); // no event arrived
    this.#foot.textContent = foot;
  }

  // answered shows a plain answer, or none, and foot below.
  answered(foot, body) {
    const label = `Answer: ${this.element.getAttribute("aria-label")}`;
    if (body)
      this.#list.replaceWith(
        h(
          "details",
          { open: true },
          h("summary", null, "Answer"),
          h("pre", { tabindex: 0, "aria-label": label }, readable(body)),
        ),
      );
    else this.#list.remove();
    this.#foot.textContent = foot;
  }

  // look shows which entries had begun by a moment.
  look(at) {
    let last;
    for (const [start, element] of this.#starts) {
      element.classList.toggle("later", start > at);
      if (start <= at) last = element;
    }
    if (last)
      this.#list.scrollTop += last.getBoundingClientRect().bottom - this.#list.getBoundingClientRect().bottom;
    else this.#list.scrollTop = 0;
  }

  // #add appends an event, in eventOf's form, to the list, or to the last entry if that has the
  // same key.
  #add({ type, kind, key, text, raw, args }, at) {
    if (++this.#count > MOST) return;
    if (args > 0) this.#lane.note(at, "args", args);
    else this.#lane.note(at, kind, text.length);
    if (raw !== undefined && this.#failed.childElementCount < 3)
      this.#failed.append(failureView("The stream failed", raw));
    const follows = this.#list.scrollHeight - this.#list.scrollTop - this.#list.clientHeight < BOTTOM;
    if (key !== undefined && this.#last?.key === key) {
      this.#last.count++;
      this.#last.text.append(text);
      this.#last.times.textContent = `×${this.#last.count}`;
    } else {
      const [body, times] = [h("span", { class: "said" }, text), h("span", { class: "times" })];
      this.#last = { key, text: body, times, count: 1 };
      const entry = h(
        "li",
        { class: kind || "frame" },
        h("span", { class: "at" }, `${Math.round(at - this.#started)} ms`),
        h("code", null, breakable(type)),
        times,
        body,
      );
      this.#starts.push([at, entry]);
      this.#list.append(entry);
    }
    if (follows) this.#list.scrollTop = this.#list.scrollHeight;
  }

  // end shows the number of events, and text, the way in which the stream ended. at is the time of
  // the end.
  end(text, at = performance.now()) {
    if (!this.#list.parentNode) return; // refused has removed the list
    const unseen = this.#count > MOST ? ` (the first ${MOST} are shown)` : "";
    const took = Math.round(at - this.#started);
    const noun = this.#count === 1 ? "event" : "events";
    this.#foot.textContent = `${this.#count} ${noun}${unseen}, ${took} ms${text ? `. ${text}` : ""}`;
  }
}
