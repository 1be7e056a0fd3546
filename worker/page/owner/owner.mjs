// The owner's page: an endpoint, opened with a key of the endpoint.
import { Api } from "../lib/api.mjs";
import { connectView } from "../lib/connect.mjs";
import { reveal } from "../lib/copy.mjs";
import { ask } from "../lib/dialog.mjs";
import { button, h, show, when } from "../lib/dom.mjs";
import { factsOf } from "./facts.mjs";
import { graceField } from "../lib/keys.mjs";
import { limitsText } from "../lib/keylimits.mjs";
import { later } from "../lib/later.mjs";
import { listsBy } from "../lib/lists.mjs";
import { notice } from "../lib/notice.mjs";
import { Session } from "../lib/session.mjs";
import { tabs } from "../lib/tabs.mjs";
import { tryView } from "../tryit/tryit.mjs";
import { api } from "../lib/views.mjs";
import { watchView } from "../watch/watch.mjs";

const root = document.getElementById("page");
const name = location.pathname.split("/")[2];

const owner = new Api(`/u/${name}/api`);
// the endpoint's key, if typed or made since the page was loaded: for copied settings and live
// calls
let key;

const session = new Session(root, owner, {
  ask: {
    title: `The endpoint ${name}`,
    about: "See its settings, connect clients, and try it.",
    label: "Your key",
    hint:
      "Opens a session of 12 hours in this browser. The key stays in this tab until you " +
      "reload or close it.",
  },
  open: async (typed) => {
    const endpoint = await owner.call("GET", "");
    key = typed;
    page(endpoint);
  },
});

// keep stores a key typed later. Only a key of this endpoint opens a session.
async function keep(typed) {
  await owner.signIn(typed);
  key = typed;
}

function leave() {
  key = undefined;
  return session.leave();
}

function page(endpoint) {
  // stale rethrows the error of a call, and asks for the key if the session has ended.
  const stale = (error) => {
    if (error.status === 401) {
      key = undefined;
      session.lost(error);
    }
    throw error;
  };
  const rotate = async () => {
    const grace = graceField("Your current key expires");
    const answer = await ask({
      title: "Replace your key?",
      content: [
        h("p", null, "You get a new key, shown only once. Other keys of this endpoint do not change."),
        grace.element,
      ],
      action: "Replace it",
      act: () => owner.call("POST", "/rotate", { body: { grace: grace.read() } }).catch(stale),
    });
    if (!answer) return;
    key = answer.key;
    page(answer);
    const place = document.querySelector("[data-made]");
    reveal(place, key, "This page uses it from now on.");
    await owner
      .signIn(key)
      .catch(({ message }) =>
        place.append(notice("bad", `Copy the new key, and sign in with it: ${message}`)),
      );
  };
  const requests = async () => {
    const { requestsView } = await import("../requests/requests.mjs");
    const { id, label } = endpoint.own_key;
    return requestsView((at) => owner.call("GET", `/${at}`).catch(stale), {
      keys: [[id, label || "your key"]],
      upstreams: endpoint.upstreams.map(({ name: upstream }) => upstream),
      hint: "The operator of this endpoint can turn it on.",
    });
  };
  const settings = () => {
    const { label, created, expires, limits } = endpoint.own_key;
    return h(
      "div",
      { class: "stack" },
      h(
        "section",
        { class: "card" },
        h("h2", null, "Your key"),
        h(
          "p",
          { class: "quiet" },
          label && `${label}. `,
          `Created ${when(created)}; ${expires ? `expires ${when(expires)}` : "never expires"}.`,
        ),
        limits && h("p", null, `Its limits, beside the endpoint's: ${limitsText(limits)}.`),
        h("div", { class: "actions" }, button("Replace it …", rotate)),
      ),
      endpoint.upstreams.map(upstreamCard),
      rest(endpoint),
    );
  };
  const views = tabs(
    "Endpoint",
    [
      [
        "connect",
        "Connect",
        () => connectView(endpoint, key ?? "", { hidden: true, lists: key && listsBy(key, endpoint) }),
      ],
      ["try", "Try it", () => tryView(endpoint, { key, keep })],
      [
        "watch",
        "Watch",
        () =>
          watchView((query) => owner.call("GET", `/usage?${query}`).catch(stale), {
            "*": endpoint.own_key.label ?? "your key",
            "": "other keys",
          }),
      ],
      ["requests", "Requests", () => later(requests)],
      ["settings", "Settings and key", () => settings()],
    ],
    location.hash.slice(1).split("?")[0],
    (tab) => history.replaceState(null, "", `#${tab}`),
  );
  document.title = `${name} · edgelingua`;
  const heading = h("h1", { tabindex: -1 }, name);
  show(
    root,
    h(
      "a",
      { class: "skip", href: "#main", onclick: (event) => (event.preventDefault(), heading.focus()) },
      "Skip to the content",
    ),
    h(
      "header",
      { class: "bar" },
      h(
        "span",
        { class: "brand" },
        h("img", { src: "/page/icon.svg", alt: "", width: 24, height: 24 }),
        "edgelingua",
      ),
      button("Sign out", leave, { class: "small quiet-button" }),
    ),
    h("main", { id: "main" }, heading, h("div", { "data-made": true }), views.element),
  );
  heading.focus({ preventScroll: true });
}

function upstreamCard({ name: upstream, protocol, url, models, headers, timeout, options }) {
  const rules = Array.isArray(models)
    ? models.map((pattern) => [pattern, "the same name"])
    : Object.entries(models ?? {});
  return h(
    "section",
    { class: "card" },
    h("h2", null, upstream),
    h(
      "dl",
      { class: "facts" },
      fact("Protocol", api(protocol)?.title ?? protocol),
      fact("Address", h("code", null, url)),
      fact(
        "Models",
        rules.length > 0
          ? h(
              "ul",
              { class: "plain" },
              rules.map(([pattern, model]) =>
                h("li", null, h("code", null, pattern), " → ", h("code", null, model)),
              ),
            )
          : "all, under their own names",
      ),
      headers && fact("Headers", headers.join(", ")),
      timeout && fact("Timeout", `${timeout} s`),
      options && fact("Options", h("code", null, JSON.stringify(options))),
    ),
  );
}

// rest returns the card of the endpoint's other settings, or null without any.
function rest(endpoint) {
  const facts = factsOf(endpoint);
  if (facts.length === 0) return null;
  return h(
    "section",
    { class: "card" },
    h("h2", null, "Endpoint"),
    h(
      "dl",
      { class: "facts" },
      facts.map(([name, value]) => fact(name, value)),
    ),
  );
}

const fact = (name, value) => h("div", null, h("dt", null, name), h("dd", null, value));

session.start();
