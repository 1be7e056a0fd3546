// The week's usage and the health of upstreams, for visible rows of the list of endpoints.
import { spark } from "../watch/chart.mjs";
import { h, show, when } from "../lib/dom.mjs";
import { healthOf, times } from "../lib/health.mjs";
import { lastDays, money } from "../watch/stats.mjs";

const AT_ONCE = 20; // maximum of names in a call of the API

// watchRows returns a function that shows the health of the endpoint called name in an element,
// once the element is visible. unread(error) is called if the API call fails.
export function watchRows(api, unread) {
  const names = new Map(); // element -> name
  const seen = new IntersectionObserver((entries) => {
    const shown = entries.filter(({ isIntersecting }) => isIntersecting).map(({ target }) => target);
    for (const element of shown) seen.unobserve(element);
    for (let i = 0; i < shown.length; i += AT_ONCE) load(shown.slice(i, i + AT_ONCE)).catch(unread);
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

// dot returns the dot of an upstream with its name and, if the upstream fails, words about the failure.
function dot(upstream) {
  const words = healthOf(upstream, Date.now() / 1000);
  const fails = upstream.state === "failing" || upstream.state === "resting";
  return h(
    "span",
    { class: "line" },
    h("span", { class: `dot ${upstream.state}`, role: "img", "aria-label": `${upstream.name}: ${words}` }),
    h(
      "span",
      { class: "quiet", "aria-hidden": "true" },
      fails ? `${upstream.name}: ${words}` : upstream.name,
    ),
  );
}

function summary({ days, last_used: last, upstreams, unpriced_models: unpriced }) {
  const list = lastDays(7);
  const of = (day) => days.find((row) => row.day === day);
  const values = (key) => list.map((day) => of(day)?.[key] ?? 0);
  const [requests, errors] = [values("requests"), values("errors")];
  const total = (numbers) => numbers.reduce((a, b) => a + b, 0);
  const today = of(list.at(-1));
  const told = `${times(total(requests), "request")} and ${times(total(errors), "error")} in 7 days`;
  return [
    unpriced &&
      h("span", { class: "badge off", title: `refuses ${unpriced.join(", ")}` }, "models without a price"),
    upstreams.map((upstream) => dot(upstream)),
    total(requests) > 0 && spark(told, requests, errors),
    h(
      "span",
      { class: "quiet" },
      [
        today && `${money(today.usd, today.unpriced)} today`,
        total(errors) > 0 && times(total(errors), "error"),
        last
          ? `used ${when(last)}`
          : upstreams.every(({ state }) => state === "unknown")
            ? "usage is not counted"
            : "no requests yet",
      ]
        .filter(Boolean)
        .join(" · "),
    ),
  ];
}
