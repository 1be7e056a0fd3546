// Elements of the page. A string always becomes text: no file of the page makes HTML of a string.

const SVG = "http://www.w3.org/2000/svg";

// h returns a new element. props are attributes, and with names that begin with "on" listeners;
// false, null and undefined are left out. Children are nodes, texts and lists of both, of which the
// same are left out.
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

// show replaces the children of an element.
export function show(element, ...children) {
  element.replaceChildren();
  append(element, children);
}

let ids = 0;

// id returns an id that no other element has.
export const id = () => `id${++ids}`;

// field returns a control with its label. A screen reader says hint after the label. path is that
// of the field in the API's errors.
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

// button returns a button that calls onpress, and ignores further presses until that is done.
export function button(text, onpress, props = {}) {
  const element = h(
    "button",
    { type: "button", ...props, onclick: () => busy(element, () => onpress(element)) },
    text,
  );
  return element;
}

// busy runs what a button does, and marks the button as busy until then. A button that is busy does
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

// select returns a select element. choices is [[value, text]], and value the chosen one.
export const select = (choices, value, props = {}) =>
  h(
    "select",
    { ...props, value: undefined },
    choices.map(([v, text]) => h("option", { value: v, ...(v === value && { selected: true }) }, text)),
  );

// nameInput returns the control of a name of an endpoint or an upstream, which says in words what
// is wrong with one.
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
      ? "A name has no spaces: put - in the place of each."
      : /[A-Z]/.test(text)
        ? "A name has small letters only."
        : "A name is made of a-z, 0-9 and -.";
    element.setCustomValidity(/^[a-z0-9-]*$/.test(text) ? "" : wrong);
  };
  element.addEventListener("input", check);
  check();
  return element;
}

// good returns whether the browser takes what controls hold. It shows the first one that holds
// something else, and opens the details that it is in.
export function good(controls) {
  const wrong = controls.find((control) => !control.checkValidity());
  if (!wrong) return true;
  for (let box = wrong.closest("details"); box; box = box.parentElement.closest("details")) box.open = true;
  wrong.reportValidity();
  return false;
}

const live = h("div", { class: "unseen", role: "status" });

// say has a screen reader say a text.
export function say(text) {
  if (!live.isConnected) document.body.append(live);
  live.textContent = text;
}

// when returns a time, which is in seconds since 1970, for people.
export const when = (seconds) =>
  new Date(seconds * 1000).toLocaleString(undefined, { dateStyle: "medium", timeStyle: "short" });
