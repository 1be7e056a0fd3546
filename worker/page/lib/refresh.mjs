// Views that load again by themselves.
import { show } from "./dom.mjs";

export const EVERY = 10_000; // ms between two loads

// refresh calls load EVERY ms after the load before, as long as the element is in the document and the
// page is visible. load resolves with the ms until the next load, if they are not EVERY. A page that
// becomes visible again loads at once.
export function refresh(element, load) {
  let timer;
  const later = (ms = EVERY) => {
    clearTimeout(timer);
    timer = setTimeout(run, ms);
  };
  const run = async () => {
    if (!element.isConnected) return document.removeEventListener("visibilitychange", shown);
    if (!document.hidden) later(await load());
  };
  const shown = () => !document.hidden && later(0);
  document.addEventListener("visibilitychange", shown);
  later();
  return later;
}

const titleOf = (summary) =>
  `${summary.closest("figure, section, .card")?.querySelector("h2")?.textContent} ${summary.textContent}`;

// redraw is show for the content of a view that loads by itself: opened details stay open, and the
// focus stays where it is.
export function redraw(place, ...content) {
  const details = () => [...place.querySelectorAll("details > summary")];
  const controls = () => [...place.querySelectorAll("a, button, select, input, summary")];
  const open = details()
    .filter((summary) => summary.parentElement.open)
    .map(titleOf);
  const focused = controls().indexOf(document.activeElement);
  show(place, ...content);
  for (const summary of details()) if (open.includes(titleOf(summary))) summary.parentElement.open = true;
  controls()[focused]?.focus({ preventScroll: true });
}
