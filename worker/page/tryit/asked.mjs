// Controls for the options of a request, which write into the request's JSON.
import { parse } from "../lib/api.mjs";
import { field, h, select } from "../lib/dom.mjs";

const listOf = (value) =>
  value
    .split(",")
    .map((part) => part.trim())
    .filter(Boolean);
const numberOf = (value) => (Number.isNaN(Number(value)) ? value : Number(value));
// invalid JSON is sent as a string: the API then explains the error
const objectOf = (value) => parse(value) ?? value;
const shown = (value) => (typeof value === "string" ? value : JSON.stringify(value));

// askedFields returns { element, write, read } of controls, one for each [path, label, kind, hint]
// of options (translator/NAME/page.mjs). write(request) sets each option that has a value in its
// control, and removes the others from the request. read(request) sets the controls by the options
// of a request. If a control can't show a value, write writes the same value again, or, after a
// strict read, drops the option. onchange is called when the user has changed a control.
export function askedFields(options, onchange) {
  const controls = options.map(([path, label, kind, hint]) => {
    const keys = path.split(".");
    const values =
      kind === "flag"
        ? [
            ["yes", true],
            ["no", false],
          ]
        : Array.isArray(kind)
          ? kind.map((value) => (Array.isArray(value) ? value : [value, value]))
          : undefined;
    const control = values
      ? select([["", "not set"], ...values.map(([text, value]) => [JSON.stringify(value), text])], "")
      : h(kind === "json" || kind === "text" ? "textarea" : "input", {
          rows: 2,
          spellcheck: "false",
          autocomplete: "off",
          inputmode: kind === "number" && "decimal",
        });
    const wide = kind === "json" || kind === "text";
    const element = field(label, control, { hint: [hint && `${hint} `, h("code", null, path)], wide });
    // odd: a value that the control can't show
    const option = { keys, kind, values, control, element, odd: undefined };
    control.addEventListener("input", () => {
      option.odd = undefined;
      onchange();
    });
    return option;
  });
  const value = ({ kind, values, control, odd }) => {
    if (control.value.trim() === "") return odd;
    if (values || kind === "json") return objectOf(control.value);
    return kind === "number"
      ? numberOf(control.value)
      : kind === "list"
        ? listOf(control.value)
        : control.value;
  };
  const write = (request) => {
    for (const option of controls) set(request, option.keys, value(option));
  };
  const read = (request, { strict = false } = {}) => {
    for (const option of controls) {
      const { keys, kind, values, control } = option;
      const now = keys.reduce((object, key) => object?.[key], request);
      if (now === undefined) control.value = "";
      else if (values || kind === "json") control.value = JSON.stringify(now);
      else control.value = kind === "list" && Array.isArray(now) ? now.join(", ") : shown(now);
      option.odd = !strict && control.value === "" ? now : undefined;
    }
  };
  return {
    element: h(
      "div",
      { class: "grid" },
      controls.map(({ element }) => element),
    ),
    write,
    read,
  };
}

// set sets a member of an object at a path, or removes the member if value is undefined.
function set(object, [key, ...rest], value) {
  if (rest.length === 0) {
    if (value === undefined) delete object[key];
    else object[key] = value;
    return;
  }
  if (typeof object[key] !== "object" || object[key] === null) {
    if (value === undefined) return;
    object[key] = {};
  }
  set(object[key], rest, value);
  if (Object.keys(object[key]).length === 0) delete object[key];
}
