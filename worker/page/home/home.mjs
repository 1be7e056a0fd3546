// The page at /. With CLIENT_KEY it shows whether the deployment works, the settings of clients, a
// live call, and usage. The key stays in the memory of this tab.
import { Api, parse, reach } from "../lib/api.mjs";
import { connectView } from "../lib/connect.mjs";
import { busy, button, field, h, show } from "../lib/dom.mjs";
import { later } from "../lib/later.mjs";
import { listsBy } from "../lib/lists.mjs";
import { notice } from "../lib/notice.mjs";
import { other } from "../lib/other.mjs";
import { tabs } from "../lib/tabs.mjs";
import { apis } from "../lib/views.mjs";

const root = document.getElementById("page");
const api = new Api("/api");
// the demo's key: the local host redirects browsers to ?demo if it serves the demo
const demo = location.search === "?demo" && "demo";

const FORWARD =
  "This deployment passes clients' keys through to its upstream (AUTH=forward), without checking " +
  "them. So this page shows the deployment's settings to nobody, and has no Try it, which needs " +
  "them. Settings for clients are below.";

// gate asks for the key. why is the reason for a rejection of the last key.
function gate(why) {
  const key = h("input", { type: "password", autocomplete: "off", spellcheck: "false", required: true });
  const go = h("button", { class: "primary" }, "Continue");
  const onsubmit = (event) => {
    event.preventDefault();
    busy(go, () => open(key.value.trim()));
  };
  document.title = "edgelingua";
  show(
    root,
    h(
      "main",
      { class: "narrow stack" },
      brand(28),
      h(
        "div",
        { class: "card gate" },
        h("h1", null, "This is edgelingua"),
        h(
          "p",
          null,
          `It translates between the APIs of language ` +
            `models: ${apis.map(({ title }) => title).join(", ")}. Each client uses the API it ` +
            `was built for, and each model the API it is served with.`,
        ),
        h(
          "form",
          { class: "stack", onsubmit },
          why && notice("bad", why),
          field("CLIENT_KEY", key, {
            hint:
              "Check that the deployment works, connect clients, and try it. The key stays in this tab " +
              "until you reload or close it.",
          }),
          h("div", { class: "actions" }, go),
        ),
      ),
      h(
        "p",
        { class: "hint" },
        "A key that begins with el_NAME_ belongs to the personal endpoint NAME, whose page is at " +
          "/u/NAME/. Operators, with ADMIN_KEY, create endpoints at ",
        h("a", { href: "/admin" }, "/admin"),
        ".",
      ),
    ),
  );
  key.focus();
}

const brand = (size) =>
  h(
    "p",
    { class: "brand" },
    h("img", { src: "/page/icon.svg", alt: "", width: size, height: size }),
    "edgelingua",
  );

// open shows the page with a key, or the reason for a rejection.
async function open(key) {
  try {
    page(await api.call("GET", "", { key }), key);
  } catch (error) {
    if (error.status === undefined) throw error;
    if (error.status === 403)
      page({ auth: "forward", upstreams: [{ protocol: other.protocol, url: "" }] }, "");
    else gate(error.message);
  }
}

function page(endpoint, key) {
  for (const upstream of endpoint.upstreams ?? []) {
    upstream.name = ""; // no model can name the upstream
    // models not in MODELS keep their own names
    upstream.models = {
      ...(key === demo && { "demo-paced": undefined }),
      ...upstream.models,
      "*": undefined,
    };
  }
  const heading = h("h1", { tabindex: -1 }, "This deployment");
  document.title = "This deployment · edgelingua";
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
      brand(24),
      key !== demo && button("Sign out", () => gate(), { class: "small quiet-button" }),
    ),
    h(
      "main",
      { id: "main" },
      heading,
      h("div", { class: "stack" }, state(endpoint, key), endpoint.upstreams && views(endpoint, key)),
    ),
  );
  heading.focus({ preventScroll: true });
}

// state shows whether the deployment works.
function state(endpoint, key) {
  if (endpoint.auth === "forward") return notice("info", FORWARD);
  if (endpoint.setup === "") return notice("bad", endpoint.problem);
  if (endpoint.problem)
    return notice(
      "info",
      "This deployment serves only personal endpoints: ",
      h("a", { href: "/admin" }, "manage them"),
      ". An upstream for the deployment itself needs UPSTREAM_PROTOCOL and UPSTREAM_URL.",
    );
  const place = h("p", { role: "status" });
  const ask = async () => {
    place.className = "quiet";
    place.textContent = "Testing …";
    const [good, text] = await models(key);
    place.className = good ? "good" : "bad";
    place.textContent = text;
  };
  return h(
    "section",
    { class: "card test" },
    h("div", null, h("h2", null, "Ready"), h("p", { class: "quiet" }, `${endpoint.setup}.`), place),
    button("Ask the upstream for its models", ask),
  );
}

// models requests the list of models. It returns whether that succeeded, and a message.
async function models(key) {
  try {
    const answer = await reach("/v1/models", { headers: { authorization: `Bearer ${key}` } });
    const json = parse(await answer.text());
    const n = json?.data?.length ?? 0;
    if (answer.ok)
      return [
        true,
        `It works: ${n} ${n === 1 ? "model" : "models"} listed; the upstream may serve more. ` +
          `This request cost nothing.`,
      ];
    return [false, `${answer.status}: ${json?.error?.message ?? "the answer is not JSON"}`];
  } catch (error) {
    if (error.status === undefined) throw error;
    return [false, error.message];
  }
}

function views(endpoint, key) {
  const forward = endpoint.auth === "forward";
  let again; // the request of a recording, for the next view of Try it
  const moved = (tab) => history.replaceState(null, "", `#${tab}`);
  const replay = (request) => {
    again = request;
    all.open("try").focus();
    moved("try");
  };
  const all = tabs(
    "Deployment",
    [
      [
        "connect",
        "Connect",
        () => connectView(endpoint, key, { hidden: true, lists: listsBy(key, endpoint) }),
      ],
      !forward && [
        "try",
        "Try it",
        () => {
          const request = again;
          again = undefined;
          return later(() => tryIt(endpoint, key, request));
        },
      ],
      !forward && ["watch", "Watch", () => watch(endpoint, key)],
      endpoint.usage &&
        !endpoint.stateless && ["requests", "Requests", () => later(() => requests(endpoint, key))],
      !forward &&
        api.recorded === "" && ["recordings", "Recordings", () => later(() => recordings(key, replay))],
    ].filter(Boolean),
    location.hash.slice(1).split("?")[0] || (demo && "try"),
    moved,
  );
  return all.element;
}

// recordings loads the view of recordings. replay(request) opens Try it with a request.
async function recordings(key, replay) {
  const { recordingsView } = await import("../recordings/recordings.mjs");
  return recordingsView((path) => api.call("GET", `/recordings${path}`, { key }), replay);
}

// tryIt loads the view of a live call, which the first view of the page does not need.
async function tryIt(endpoint, key, again) {
  const { tryView } = await import("../tryit/tryit.mjs");
  return tryView(endpoint, {
    key,
    again,
    ...(key === demo && { about: "A call of the demo, which costs nothing." }),
  });
}

// requests loads the view of the deployment's request log.
async function requests({ upstreams }, key) {
  const { requestsView } = await import("../requests/requests.mjs");
  return requestsView((at) => api.call("GET", `/${at}`, { key }), {
    upstreams: upstreams.map(({ name }) => name),
    keys: [["", "CLIENT_KEY"]],
    hint: h(
      "span",
      null,
      "Set the variable ",
      h("code", null, "REQUEST_LOG=86400"),
      " to keep a log of a day.",
    ),
  });
}

// watch returns the view of the deployment's usage, or a note on how to enable it.
function watch({ stateless, usage }, key) {
  if (usage && !stateless)
    return later(async () =>
      (await import("../watch/watch.mjs")).watchView((query) => api.call("GET", `/usage?${query}`, { key }), {
        "": "CLIENT_KEY",
      }),
    );
  const say = stateless
    ? [
        h("p", null, "Usage is not counted: this deployment has no storage."),
        h("p", { class: "quiet" }, stateless),
        h(
          "p",
          null,
          "To add storage: ",
          h("code", null, "edgelingua deploy --personal"),
          " (in a clone ",
          h("code", null, "./build.sh deploy --personal"),
          ") creates and binds it, see docs/state.md; the local host always has storage. Then set ",
          h("code", null, "USAGE=true"),
          ".",
        ),
      ]
    : [
        h(
          "p",
          null,
          "Usage is not counted. Set the variable ",
          h("code", null, "USAGE=true"),
          " to see requests, tokens, cost and times, and ",
          h("code", null, "REQUEST_LOG=86400"),
          " to see the last 100 requests of a day, without contents.",
        ),
        h(
          "p",
          { class: "quiet" },
          "Personal endpoints are counted separately: see ",
          h("a", { href: "/admin" }, "/admin"),
          ".",
        ),
      ];
  return h("section", { class: "card stack" }, h("h2", null, "Watch"), say);
}

if (demo) open(demo);
else gate();
