// What has come of something: a box of one colour and a text, which a screen reader says at once.
import { h } from "./dom.mjs";

// notice is good, bad, or just to be known: "info".
export const notice = (kind, ...content) => h("div", { class: `notice ${kind}`, role: kind === "bad" ? "alert" : "status" }, ...content);

// explain shows in place what failed, and at the field that the API names.
export function explain(place, error, form) {
  if (error.status === undefined) throw error;
  for (const control of form?.querySelectorAll("[aria-invalid]") ?? []) control.removeAttribute("aria-invalid");
  place.replaceChildren(notice("bad", error.message));
  const control = error.path && form && fieldAt(form, error.path);
  if (control) {
    for (let box = control.closest("details"); box; box = box.parentElement.closest("details")) box.open = true;
    control.setAttribute("aria-invalid", "true");
    control.focus();
  } else place.firstChild.scrollIntoView({ block: "nearest" });
}

// fieldAt is the control whose path is that of the error, or the nearest one above it.
function fieldAt(form, path) {
  const controls = [...form.querySelectorAll("[data-path]")].filter(({ dataset }) => path.startsWith(dataset.path));
  return controls.sort((a, b) => b.dataset.path.length - a.dataset.path.length)[0];
}
