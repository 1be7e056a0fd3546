import { h, say } from "./dom.mjs";

// copyButton returns a button that copies the result of text(). A screen reader says what.
export function copyButton(text, what) {
  const element = h(
    "button",
    { type: "button", class: "small", "aria-label": `Copy ${what}`, onclick: () => copy(element, text()) },
    "Copy",
  );
  return element;
}

async function copy(element, text) {
  const done = await write(text);
  element.textContent = done ? "Copied" : "Not allowed";
  say(done ? "Copied" : "The browser does not allow copying. Select the text, and copy it.");
  setTimeout(() => (element.textContent = "Copy"), 1500);
}

// write copies a text and reports success. Browsers have navigator.clipboard only for https pages
// and pages of this machine. On others, write uses execCommand.
async function write(text) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    const before = document.activeElement;
    const area = h("textarea", { class: "unseen", value: text, "aria-hidden": "true" });
    document.body.append(area);
    area.select();
    const done = document.execCommand("copy");
    area.remove();
    before?.focus();
    return done;
  }
}

// requestId returns the id of a request with a button that copies the id, or other without an id.
export const requestId = (id, other) =>
  id
    ? h(
        "span",
        { class: "line" },
        h("code", null, id),
        copyButton(() => id, `the request id ${id}`),
      )
    : other;

// secret returns a box with a new key, which is shown only once. title names the key.
export function secret(key, note, title = "Your new key") {
  return h(
    "div",
    { class: "secret" },
    h("p", null, h("strong", null, title), " — shown only this once. ", note),
    h(
      "div",
      { class: "line" },
      h("code", { tabindex: 0 }, key),
      copyButton(() => key, "the key"),
    ),
  );
}

// reveal replaces an element's content with a new key, and moves the focus there for screen
// readers.
export function reveal(place, key, note) {
  place.replaceChildren(secret(key, note));
  place.querySelector("button").focus();
}
