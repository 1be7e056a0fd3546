// The sides of a call on a time axis: how much each side sent when, and how long the side buffered
// output of the upstream.
import { h, show, svg } from "../lib/dom.mjs";

const [WIDTH, HEIGHT, STEP] = [720, 40, 2]; // of a lane's image; STEP is the width of a column
const STEPS = 1000; // of the slider for a moment
const SAID = ["text", "reasoning", "args"]; // the kinds of events with content of the answer
const TONES = [
  ["text", "text"],
  ["reasoning", "reasoning"],
  ["args", "tool arguments"],
  ["frame", "framing"],
  ["held", "buffered"],
];

const ms = (n) => `${Math.round(n).toLocaleString()} ms`;

// Axis is a figure with a lane for each side. onmove(at) is called with the selected moment, or
// Infinity for the end.
export class Axis {
  #lanes = [];
  #started;
  #over = false;
  #drawn = 0; // the requested animation frame, or 0
  #onmove;
  #body = h("div", { class: "lanes" });
  #ticks = h("div", { class: "axis", "aria-hidden": "true" });
  #range = h("input", {
    type: "range",
    min: 0,
    max: STEPS,
    value: STEPS,
    "aria-label": "The selected moment",
    oninput: () => this.#move(),
  });

  // started is the performance.now() at the start of the call.
  constructor(started, onmove) {
    this.#started = started;
    this.#onmove = onmove;
    this.element = h(
      "figure",
      { class: "card rhythm" },
      h(
        "figcaption",
        null,
        h("h2", null, "Timeline"),
        h(
          "p",
          { class: "legend" },
          TONES.map(([tone, name]) => h("span", { class: tone }, name)),
        ),
      ),
      this.#body,
      this.#ticks,
      h("label", { class: "lane moment" }, "Select a moment", this.#range),
    );
  }

  // lane adds a lane for a side, and returns the lane. source: the side shows the upstream's own
  // bytes.
  lane(role, title, source) {
    const lane = new Lane(source, () => this.#soon());
    const image = h(
      "div",
      {
        class: "image",
        onpointermove: (event) => this.#point(event),
        onpointerdown: (event) => this.#point(event),
      },
      lane.image,
    );
    this.#body.append(
      h(
        "div",
        { class: "lane" },
        h("p", null, h("strong", null, role), " ", h("span", { class: "quiet" }, title)),
        image,
        lane.words,
      ),
    );
    this.#lanes.push(lane);
    return lane;
  }

  // end draws the axis once all sides are complete.
  end() {
    this.#over = true;
    this.#draw();
  }

  #soon() {
    if (this.#drawn === 0) this.#drawn = requestAnimationFrame(() => this.#draw());
  }

  // #span returns the times of the first and the last event of all lanes.
  #span() {
    const ends = this.#lanes
      .filter(({ events }) => events.length > 0)
      .map(({ events }) => [events[0].at, events.at(-1).at]);
    const [from, to] = [Math.min(...ends.map(([first]) => first)), Math.max(...ends.map(([, last]) => last))];
    return ends.length > 0 ? [from, Math.max(to, from + 1)] : [this.#started, this.#started + 1];
  }

  #draw() {
    cancelAnimationFrame(this.#drawn);
    this.#drawn = 0;
    const span = this.#span();
    const source = this.#lanes.find((lane) => lane.source);
    const all = this.#lanes.map((lane) => lane.columns(span));
    const most = Math.max(1, ...all.flatMap((columns) => [...columns.values()].map(({ size }) => size)));
    this.#lanes.forEach((lane, i) => lane.draw(all[i], most, span, source && lane.held(source, this.#over)));
    const tick = (part) => h("span", null, ms(span[0] + part * (span[1] - span[0]) - this.#started));
    show(this.#ticks, [0, 0.25, 0.5, 0.75, 1].map(tick));
    this.#look();
  }

  #point(event) {
    if (event.type === "pointermove" && event.pointerType !== "mouse" && event.buttons === 0) return;
    const { left, width } = event.currentTarget.getBoundingClientRect();
    this.#range.value = Math.round((STEPS * (event.clientX - left)) / width);
    this.#move();
  }

  #move() {
    this.#look();
    this.#onmove(this.#at());
  }

  #at() {
    const [from, to] = this.#span();
    return Number(this.#range.value) === STEPS ? Infinity : from + (this.#range.value / STEPS) * (to - from);
  }

  #look() {
    const at = this.#at();
    this.#range.setAttribute("aria-valuetext", at === Infinity ? "the end" : ms(at - this.#started));
    for (const lane of this.#lanes)
      lane.look(at, Number(this.#range.value) / STEPS, at === Infinity ? "" : `by ${ms(at - this.#started)}`);
  }
}

// Lane is a side: the side's events and their image.
class Lane {
  #changed;
  #paths = new Map(TONES.map(([tone]) => [tone, svg("path", { class: tone })]));
  #cursor = svg("line", { y1: 0, y2: HEIGHT, class: "cursor" });
  #held = []; // { from, to, size } of the times when the side had output in its buffer
  events = []; // { at, kind, size }, in order

  constructor(source, changed) {
    this.source = source;
    this.#changed = changed;
    this.image = svg(
      "svg",
      { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, preserveAspectRatio: "none", "aria-hidden": "true" },
      this.#paths.get("held"),
      ["frame", ...SAID].map((tone) => this.#paths.get(tone)),
      this.#cursor,
    );
    this.words = h("p", { class: "hint" });
  }

  // note adds an event: its time, kind and number of characters.
  note(at, kind, size) {
    this.events.push({ at, kind: SAID.includes(kind) ? kind : "frame", size });
    this.#changed();
  }

  // columns returns the content of each column of the image: { size, kind, of }. kind is the kind
  // of the largest event, and of the size of that event.
  columns([from, to]) {
    const columns = new Map();
    for (const { at, kind, size } of this.events) {
      const x = Math.min(WIDTH - STEP, Math.floor(((at - from) / (to - from)) * (WIDTH / STEP)) * STEP);
      const column = columns.get(x) ?? { size: 0, kind, of: -1 };
      if (kind !== "frame") column.size += size;
      const weight = kind === "frame" ? 0 : size;
      if (weight > column.of) Object.assign(column, { kind, of: weight });
      columns.set(x, column);
    }
    return columns;
  }

  draw(columns, most, [from, to], held) {
    // One path per kind of event, in columns of two units: an answer of 20,000 events draws as fast
    // as one of ten. A chart library would be larger than all of Try it, and sets styles against
    // the page's policy.
    const drawn = Object.fromEntries(TONES.map(([tone]) => [tone, ""]));
    for (const [x, { size, kind }] of columns) {
      const height = kind === "frame" ? 7 : 9 + (HEIGHT - 9) * Math.sqrt(size / most);
      drawn[kind] += `M${x} ${HEIGHT}h${STEP}v${-height.toFixed(1)}h${-STEP}z`;
    }
    this.#held = held ?? [];
    const at = (time) => ((time - from) / (to - from)) * WIDTH;
    for (const part of this.#held)
      drawn.held +=
        `M${at(part.from).toFixed(1)} ` +
        `0H${at(part.to).toFixed(1)}V${HEIGHT}H${at(part.from).toFixed(1)}z`;
    for (const [tone, path] of this.#paths) path.setAttribute("d", drawn[tone]);
  }

  // held returns when this side was behind source, in characters of each kind. over: both are
  // complete. Then content that this side never sent does not count, such as reasoning not
  // requested by the client.
  held(source, over) {
    // Times are those of the chunk: all sides are stepped with the same chunk, so the time of the
    // translation itself does not show. Framing does not count, since protocols differ in its
    // amount.
    const total = (lane, kind) =>
      lane.events.reduce((sum, event) => sum + (event.kind === kind ? event.size : 0), 0);
    const kinds = SAID.filter((kind) => !over || total(this, kind) >= total(source, kind));
    const behind = Object.fromEntries(SAID.map((kind) => [kind, 0]));
    const parts = [];
    let [i, j, open] = [0, 0];
    while (i < source.events.length || j < this.events.length) {
      const at = Math.min(source.events[i]?.at ?? Infinity, this.events[j]?.at ?? Infinity);
      for (; source.events[i]?.at === at; i++) behind[source.events[i].kind] += source.events[i].size;
      for (; this.events[j]?.at === at; j++) behind[this.events[j].kind] -= this.events[j].size;
      const size = kinds.reduce((sum, kind) => sum + Math.max(0, behind[kind]), 0);
      if (size > 0 && !open) parts.push((open = { from: at, to: at, size }));
      if (open) Object.assign(open, { to: at, size: Math.max(open.size, size) });
      if (size === 0) open = undefined;
    }
    return parts.filter(({ from, to }) => to > from);
  }

  // look shows the moment at, which is the part (0 to 1) of the axis, and how much had arrived by
  // then.
  look(at, part, by) {
    const x = String(part * WIDTH);
    this.#cursor.setAttribute("x1", x);
    this.#cursor.setAttribute("x2", x);
    const came = this.events.filter((event) => event.at <= at);
    const said = came.reduce((sum, { kind, size }) => sum + (kind === "frame" ? 0 : size), 0);
    const now = this.#held.find(({ from, to }) => from <= at && at < to);
    const longest = Math.max(0, ...this.#held.map(({ from, to }) => to - from));
    const back =
      at === Infinity ? longest >= 1 && `buffered for up to ${ms(longest)}` : now && "buffers output";
    this.words.textContent = [`${came.length} events`, `${said} characters`, back, by]
      .filter(Boolean)
      .join(", ");
  }
}
