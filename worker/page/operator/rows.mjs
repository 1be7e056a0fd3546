// The week's usage and the health of upstreams, for visible rows of the list of endpoints.
import { spark } from "../watch/chart.mjs";
import { h, show, when } from "../lib/dom.mjs";
import { lastDays, money } from "../watch/stats.mjs";

const AT_ONCE = 20; // maximum of names in a call of the API
const STATES = {
  ok: "answers",
  failing: "has failed",
  resting: "in cooldown, after failures",
  unknown: "usage is not counted",
};

// watchRows returns a function that shows the health of the endpoint called name in an element,
// once the element is visible. failed(error) is called if the API call fails.
export function watchRows(api, failed) {
  const names = new Map(); // element -> name
  const seen = new IntersectionObserver((entries) => {
    const shown = entries.filter(({ isIntersecting }) => isIntersecting).map(({ target }) => target);
    for (const element of shown) seen.unobserve(element);
    for (let i = 0; i < shown.length; i += AT_ONCE) load(shown.slice(i, i + AT_ONCE)).catch(failed);
  });
  async function load(elements) {
    const query = elements.map((element) => `name=${encodeURIComponent(names.get(element))}`).join("&");
    const { endpoints } = await api.call("GET", `/health?${query}`);
    endpoints.forEach((endpoint, i) => show(elements[i], summary(endpoint)));
  }
  return (element, name) => {
    names.set(element, name);
    seen.observe(element);
  };
}

function summary({ days, last_used: last, upstreams, unpriced_models: unpriced }) {
  const list = lastDays(7);
  const of = (day) => days.find((row) => row.day === day);
  const values = (key) => list.map((day) => of(day)?.[key] ?? 0);
  const [requests, errors] = [values("requests"), values("errors")];
  const total = (numbers) => numbers.reduce((a, b) => a + b, 0);
  const today = of(list.at(-1));
  const told =
    `${total(requests).toLocaleString()} requests and ${total(errors).toLocaleString()} ` +
    `errors in 7 days`;
  return [
    unpriced &&
      h("span", { class: "badge off", title: `refuses ${unpriced.join(", ")}` }, "models without a price"),
    upstreams.map(({ name, state }) =>
      h("span", {
        class: `dot ${state}`,
        role: "img",
        "aria-label": `${name}: ${STATES[state]}`,
        title: `${name}: ${STATES[state]}`,
      }),
    ),
    total(requests) > 0 && spark(told, requests, errors),
    h(
      "span",
      { class: "quiet" },
      [
        today && `${money(today.usd, today.unpriced)} today`,
        total(errors) > 0 && `${total(errors).toLocaleString()} errors`,
        last
          ? `used ${when(last)}`
          : upstreams.every(({ state }) => state === "unknown")
            ? STATES.unknown
            : "no requests yet",
      ]
        .filter(Boolean)
        .join(" · "),
    ),
  ];
}
