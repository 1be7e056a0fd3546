// The owner's page: one endpoint, opened with one of its keys.
import { Api } from "./api.mjs";
import { connectView } from "./connect.mjs";
import { reveal } from "./copy.mjs";
import { ask } from "./dialog.mjs";
import { button, h, show, when } from "./dom.mjs";
import { graceField } from "./keys.mjs";
import { api } from "./views.mjs";
import { Session } from "./session.mjs";
import { tabs } from "./tabs.mjs";
import { tryView } from "./tryit.mjs";
import { watchView } from "./watch.mjs";

const root = document.getElementById("page");
const name = location.pathname.split("/")[2];

const session = new Session(root, {
  place: `u ${name}`,
  ask: { title: `The endpoint ${name}`, about: "See how it is set up, connect clients to it, and try it.", label: "Your key" },
  open: async (key) => {
    const api = new Api(`/u/${name}/api`, key);
    page(api, await api.call("GET", ""), key);
  },
});

function page(api, endpoint, key) {
  // stale throws the error of a call, and asks for another key where the API does not take this one any more.
  const stale = (error) => {
    if (error.status === 401) session.end(error);
    throw error;
  };
  const rotate = async () => {
    const grace = graceField("Your present key ends");
    const answer = await ask({
      title: "Replace your key?",
      content: [h("p", null, "You get a new one, which is shown once. Other keys of this endpoint stay as they are."), grace.element],
      action: "Replace it",
      act: () => api.call("POST", "/rotate", { body: { grace: grace.read() } }).catch(stale),
    });
    if (!answer) return;
    session.replace(answer.key);
    page(new Api(`/u/${name}/api`, answer.key), answer, answer.key);
    reveal(document.querySelector("[data-made]"), answer.key, "This page uses it from now on.");
  };
  const settings = () => {
    const { label, created, expires } = endpoint.own_key;
    return h(
      "div",
      { class: "stack" },
      h(
        "section",
        { class: "card" },
        h("h2", null, "Your key"),
        h("p", { class: "quiet" }, label && `${label}. `, `Made ${when(created)}; ${expires ? `expires ${when(expires)}` : "never expires"}.`),
        h("div", { class: "actions" }, button("Replace it …", rotate)),
      ),
      endpoint.upstreams.map(upstreamCard),
      rest(endpoint),
    );
  };
  const views = tabs(
    "Endpoint",
    [
      ["connect", "Connect", () => connectView(endpoint, key, { hidden: true })],
      ["try", "Try it", () => tryView(endpoint, key)],
      ["watch", "Watch", () => watchView((days) => api.call("GET", `/usage?days=${days}`).catch(stale))],
      ["settings", "Settings and key", () => settings()],
    ],
    location.hash.slice(1),
    (tab) => history.replaceState(null, "", `#${tab}`),
  );
  document.title = `${name} · edgelingua`;
  const heading = h("h1", { tabindex: -1 }, name);
  show(
    root,
    h("a", { class: "skip", href: "#main", onclick: (event) => (event.preventDefault(), heading.focus()) }, "Skip to the content"),
    h("header", { class: "bar" }, h("span", { class: "brand" }, h("img", { src: "/page/icon.svg", alt: "", width: 24, height: 24 }), "edgelingua"), button("Forget the key", () => session.end(), { class: "small quiet-button" })),
    h("main", { id: "main" }, heading, h("div", { "data-made": true }), views.element),
  );
  heading.focus({ preventScroll: true });
}

function upstreamCard({ name: upstream, protocol, url, models, headers, timeout, options }) {
  const rules = Array.isArray(models) ? models.map((pattern) => [pattern, "the same name"]) : Object.entries(models ?? {});
  return h(
    "section",
    { class: "card" },
    h("h2", null, upstream),
    h(
      "dl",
      { class: "facts" },
      fact("Protocol", api(protocol)?.title ?? protocol),
      fact("Address", h("code", null, url)),
      fact("Models", rules.length > 0 ? h("ul", { class: "plain" }, rules.map(([pattern, model]) => h("li", null, h("code", null, pattern), " → ", h("code", null, model)))) : "every one, under its own name"),
      headers && fact("Headers", headers.join(", ")),
      timeout && fact("Timeout", `${timeout} s`),
      options && fact("Options", h("code", null, JSON.stringify(options))),
    ),
  );
}

// rest returns the card of the endpoint's other settings, null where none is set.
function rest(endpoint) {
  const facts = ["auth", "options", "head_wait", "max_output_bytes", "usage", "limits"].filter((key) => endpoint[key] !== undefined);
  if (facts.length === 0) return null;
  return h("section", { class: "card" }, h("h2", null, "Endpoint"), h("dl", { class: "facts" }, facts.map((key) => fact(key, h("code", null, JSON.stringify(endpoint[key]))))));
}

const fact = (name, value) => h("div", null, h("dt", null, name), h("dd", null, value));

session.start();
