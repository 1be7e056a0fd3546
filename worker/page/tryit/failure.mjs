// Errors of an API, for people.
import { parse } from "../lib/api.mjs";
import { h } from "../lib/dom.mjs";

const MOST = 20_000; // maximum of characters of a raw error

// failureView returns a box with an error. where is the place of the error, for example "HTTP 429".
// text is the body of the error. The box shows the error's kind, message and request id, as far as
// the body has them, and the body below.
export function failureView(where, text) {
  const json = parse(text);
  const error = json?.error ?? json?.response?.error ?? json;
  const kind = [error?.type === "error" ? undefined : error?.type, error?.code, error?.status].find(
    (word) => typeof word === "string" && word !== "",
  );
  const message = [error?.message, json?.message, json?.detail, json?.error].find(
    (words) => typeof words === "string" && words !== "",
  );
  const id = json?.request_id ?? error?.request_id;
  const raw = json ? JSON.stringify(json, null, 2) : text;
  return h(
    "div",
    { class: "notice bad failure" },
    h("p", null, h("strong", null, where), kind && [" ", h("code", null, kind)]),
    h(
      "p",
      null,
      message ??
        (text.trim() === ""
          ? "The answer has no body."
          : "The answer is not an API error: its original form is below."),
    ),
    typeof id === "string" && h("p", { class: "hint" }, "Request ", h("code", null, id)),
    h(
      "details",
      null,
      h("summary", null, "Original form"),
      h("pre", { tabindex: 0, "aria-label": `${where}, original form` }, raw.slice(0, MOST)),
    ),
  );
}
