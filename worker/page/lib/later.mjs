// Parts of the page that load after the first view.
import { h, show } from "./dom.mjs";
import { notice } from "./notice.mjs";

// later returns an element for the result of load.
export function later(load) {
  const place = h("div", null, h("p", { class: "quiet" }, "Loading …"));
  load().then(
    (element) => show(place, element),
    () =>
      show(
        place,
        notice("bad", "Part of the page can't be loaded. Check your connection, and reload the page."),
      ),
  );
  return place;
}
