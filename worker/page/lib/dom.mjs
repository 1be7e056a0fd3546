// Elements of the page. A string always becomes text: the page never parses a string as HTML.

const SVG = "http://www.w3.org/2000/svg";

// h returns a new element. props are attributes, or listeners if the name begins with "on".
// Children are nodes, texts and lists of both. False, null and undefined props and children are
// left out.
export const h = (tag, props, ...children) => fill(document.createElement(tag), props, children);

// svg is h for an element of an SVG image.
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

export function show(element, ...children) {
  element.replaceChildren();
  append(element, children);
}

let ids = 0;

export const id = () => `id${++ids}`;

// field returns a control with its label. A screen reader says hint after the label. path is the
// field's path in errors of the API.
export function field(label, control, { hint, path, wide } = {}) {
  control.id ||= id();
  const about = hint && h("p", { class: "hint", id: id() }, hint);
  if (about) control.setAttribute("aria-describedby", about.id);
  if (path) control.dataset.path = path;
  return h(
    "div",
    { class: wide ? "field wide" : "field" },
    h("label", { for: control.id }, label),
    control,
    about,
  );
}

// button returns a button that calls onpress, and ignores presses until onpress is done.
export function button(text, onpress, props = {}) {
  const element = h(
    "button",
    { type: "button", ...props, onclick: () => busy(element, () => onpress(element)) },
    text,
  );
  return element;
}

// busy runs a button's action, and marks the button as busy until the end. A busy button does
// nothing.
export async function busy(element, run) {
  if (element.getAttribute("aria-busy") === "true") return;
  element.setAttribute("aria-busy", "true");
  try {
    await run();
  } finally {
    element.removeAttribute("aria-busy");
  }
}

// select returns a select element. choices is [[value, text]], and value the selected one.
export const select = (choices, value, props = {}) =>
  h(
    "select",
    { ...props, value: undefined },
    choices.map(([v, text]) => h("option", { value: v, ...(v === value && { selected: true }) }, text)),
  );

// nameInput returns a control for the name of an endpoint or an upstream, with validation messages.
export function nameInput(value = "", props = {}) {
  const element = h("input", {
    required: true,
    maxlength: 40,
    spellcheck: "false",
    autocomplete: "off",
    ...props,
    value,
  });
  const check = () => {
    const text = element.value.trim();
    const wrong = /\s/.test(text)
      ? "A name has no spaces: use - instead."
      : /[A-Z]/.test(text)
        ? "A name has lowercase letters only."
        : "A name consists of a-z, 0-9 and -.";
    element.setCustomValidity(/^[a-z0-9-]*$/.test(text) ? "" : wrong);
  };
  element.addEventListener("input", check);
  check();
  return element;
}

// good reports whether all controls are valid. It shows the first invalid control, and opens the
// details around that control.
export function good(controls) {
  const wrong = controls.find((control) => !control.checkValidity());
  if (!wrong) return true;
  for (let box = wrong.closest("details"); box; box = box.parentElement.closest("details")) box.open = true;
  wrong.reportValidity();
  return false;
}

const live = h("div", { class: "unseen", role: "status" });

// say makes a screen reader say a text.
export function say(text) {
  if (!live.isConnected) document.body.append(live);
  live.textContent = text;
}

// when formats a time in seconds since 1970.
export const when = (seconds) =>
  new Date(seconds * 1000).toLocaleString(undefined, { dateStyle: "medium", timeStyle: "short" });
