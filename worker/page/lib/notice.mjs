// Notices: coloured boxes with a text, which a screen reader says at once.
import { h } from "./dom.mjs";

// notice returns a box of a kind: "good", "bad" or "info".
export const notice = (kind, ...content) =>
  h("div", { class: `notice ${kind}`, role: kind === "bad" ? "alert" : "status" }, ...content);

// explain shows a Failure in place, and marks the form's control for the field in the error. Any
// other error is thrown again.
export function explain(place, error, form) {
  if (error.status === undefined) throw error;
  for (const control of form?.querySelectorAll("[aria-invalid]") ?? [])
    control.removeAttribute("aria-invalid");
  place.replaceChildren(notice("bad", error.message));
  const control = error.path && form && fieldAt(form, error.path);
  if (control) {
    for (let box = control.closest("details"); box; box = box.parentElement.closest("details"))
      box.open = true;
    control.setAttribute("aria-invalid", "true");
    control.focus();
  } else place.firstChild.scrollIntoView({ block: "nearest" });
}

// fieldAt returns the control with the error's path, or else the control with the longest prefix of
// the path.
function fieldAt(form, path) {
  const controls = [...form.querySelectorAll("[data-path]")].filter(({ dataset }) =>
    path.startsWith(dataset.path),
  );
  return controls.sort((a, b) => b.dataset.path.length - a.dataset.path.length)[0];
}
