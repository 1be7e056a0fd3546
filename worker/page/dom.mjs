// Elements. Text only ever becomes text: nothing here, or in any other file of the page, makes HTML of a string.

const SVG = "http://www.w3.org/2000/svg";

// h returns a new element. props are attributes; on* are listeners, and false or undefined is left out. Children are nodes, texts
// and lists of both; null is left out.
export const h = (tag, props, ...children) => fill(document.createElement(tag), props, children);

// svg does so for an element of an image.
export const svg = (tag, props, ...children) => fill(document.createElementNS(SVG, tag), props, children);

function fill(element, props, children) {
  for (const [name, value] of Object.entries(props ?? {})) {
    if (value === undefined || value === null || value === false) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (name === "value") element.value = value;
    else element.setAttribute(name, value === true ? "" : value);
  }
  append(element, children);
  return element;
}

function append(element, children) {
  for (const child of children.flat(Infinity)) {
    if (child === null || child === undefined || child === false) continue;
    element.append(child instanceof Node ? child : document.createTextNode(String(child)));
  }
}

// show puts children in place of what an element holds.
export function show(element, ...children) {
  element.replaceChildren();
  append(element, children);
}

let ids = 0;

// id returns one that no other element has.
export const id = () => `id${++ids}`;

// field labels a control. hint says more, and is read out with it. An error of the API finds the field by its path.
export function field(label, control, { hint, path, wide } = {}) {
  control.id ||= id();
  const about = hint && h("p", { class: "hint", id: id() }, hint);
  if (about) control.setAttribute("aria-describedby", about.id);
  if (path) control.dataset.path = path;
  return h("div", { class: wide ? "field wide" : "field" }, h("label", { for: control.id }, label), control, about);
}

// button is one that does something, and can't be pressed again until that is done.
export function button(text, onpress, props = {}) {
  const element = h("button", { type: "button", ...props, onclick: () => busy(element, () => onpress(element)) }, text);
  return element;
}

// busy runs what a button does. Who looks only sees that it is waited for where that takes a moment.
export async function busy(element, run) {
  if (element.getAttribute("aria-busy") === "true") return;
  element.setAttribute("aria-busy", "true");
  try {
    await run();
  } finally {
    element.removeAttribute("aria-busy");
  }
}

// select is a control of [value, text] choices.
export const select = (choices, value, props = {}) =>
  h("select", { ...props, value: undefined }, choices.map(([v, text]) => h("option", { value: v, ...(v === value && { selected: true }) }, text)));

const live = h("div", { class: "unseen", role: "status" });

// say has a screen reader say a text.
export function say(text) {
  if (!live.isConnected) document.body.append(live);
  live.textContent = text;
}

// when writes a time in Unix seconds.
export const when = (seconds) => new Date(seconds * 1000).toLocaleString(undefined, { dateStyle: "medium", timeStyle: "short" });
