// The operator's page: the list of endpoints, and all other views. The fragment of the address
// names the current view.
import { Api } from "../lib/api.mjs";
import { connectView, ownerLine } from "../lib/connect.mjs";
import { secret } from "../lib/copy.mjs";
import { ask } from "../lib/dialog.mjs";
import { button, h, say, show, when } from "../lib/dom.mjs";
import { draftOf, dropDraft, dropDrafts, keepDraft, unsaved } from "./drafts.mjs";
import { endpointView, listsOf } from "./endpoint.mjs";
import { endpointForm } from "./form.mjs";
import { later } from "../lib/later.mjs";
import { notice } from "../lib/notice.mjs";
import { watchRows } from "./rows.mjs";
import { Session } from "../lib/session.mjs";
import { download, importView, read } from "./transfer.mjs";

const root = document.getElementById("page");
const api = new Api("/admin/api");
let visits = 0; // number of requested views: only the last one may be shown
let made; // a new endpoint, with its key: shown once
let open = false; // the user is signed in
let importing;

const session = new Session(root, api, {
  ask: {
    title: "Manage this deployment",
    about: "Create and change endpoints, for yourself and for others.",
    label: "ADMIN_KEY",
    hint: "Opens a session of 12 hours in this browser. The browser does not store the key.",
    wrong: "No key, or a wrong one. ADMIN_KEY is a secret of the deployment, not the key of an endpoint.",
  },
  open: async () => {
    const first = await api.call("GET", "/endpoints");
    open = true;
    await route(first);
  },
});

window.addEventListener("hashchange", () => open && route());

// lost asks for the key after the end of the session.
function lost(error) {
  open = false;
  session.lost(error);
}

async function leave() {
  const left = typed();
  if (left.length > 0) {
    const content = h(
      "p",
      null,
      `Not saved: ${left.map(([, title]) => title).join(", ")}. Signing out discards it.`,
    );
    if (
      !(await ask({
        title: "Sign out without saving?",
        content,
        action: "Sign out",
        danger: true,
        act: async () => true,
      }))
    )
      return;
  }
  dropDrafts();
  importing = undefined;
  open = false;
  await session.leave();
}

// place returns what the address names: a view, and maybe its tab.
const place = () => location.hash.split("?")[0];

// route shows the view that the address names, unless the user has moved to another view or tab
// meanwhile. first is the first page of endpoints, if already loaded.
async function route(first) {
  const visit = ++visits;
  const asked = place();
  const view = await viewOf(asked.split("/"), first);
  if (visit === visits && asked === place()) view();
}

// viewOf loads the data of a view, and resolves with a function that shows the view.
async function viewOf([, what, name, tab], first) {
  const key = made;
  made = undefined;
  try {
    if (what === "new") return create;
    if (what === "overview") return overview;
    if (what === "import" && importing) return () => frame("Import endpoints", importing);
    if (what !== "e") {
      const page = first ?? (await api.call("GET", "/endpoints"));
      return () => list(page);
    }
    const draft = draftOf(name);
    if (draft) return () => (draft.view.open(tab), frame(name, draft.view.element));
    const endpoint = await api.call("GET", `/endpoints/${encodeURIComponent(name)}`);
    if (key?.name === endpoint.name) return () => welcome(key);
    return () => frame(endpoint.name, endpointView(api, endpoint, { tab, lost }).element);
  } catch (error) {
    return () => failed(error);
  }
}

// failed shows the error of an API call instead of a view. If the session has ended, the page asks
// for the key.
function failed(error) {
  if (error.status === undefined) throw error;
  if (error.status === 401) lost(error);
  else frame("Endpoints", troubled(error, h("a", { href: "#/" }, "All endpoints")));
}

// troubled returns the error of an API call, a button that loads the view again, and the elements of more.
const troubled = (error, ...more) => [
  notice("bad", error.message),
  h(
    "div",
    { class: "actions" },
    button("Try again", () => route()),
    ...more,
  ),
];

function frame(title, ...content) {
  document.title = `${title} · edgelingua`;
  const heading = h("h1", { tabindex: -1 }, title);
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
        "a",
        { class: "brand", href: "#/" },
        h("img", { src: "/page/icon.svg", alt: "", width: 24, height: 24 }),
        "edgelingua",
      ),
      h(
        "nav",
        { "aria-label": "Pages" },
        [
          ["#/", "Endpoints"],
          ["#/overview", "Overview"],
        ].map(([href, text]) => h("a", { href, "aria-current": text === title && "page" }, text)),
      ),
      button("Sign out", leave, { class: "small quiet-button" }),
    ),
    h("main", { id: "main" }, heading, ...content),
  );
  heading.focus({ preventScroll: true });
  window.scrollTo(0, 0);
}

function overview() {
  const load = (query) => api.call("GET", `/overview?${query}`);
  const view = async () => (await import("../overview/overview.mjs")).overviewView(load, lost);
  frame("Overview", later(view));
}

function list({ endpoints, cursor }) {
  const all = [...endpoints];
  const made = new Map(); // name -> its row
  const problem = h("div", { class: "problem" });
  // unread shows the error of an API call above the list, which stays.
  const unread = (error) => {
    if (error.status === undefined) throw error;
    if (error.status === 401) lost(error);
    else show(problem, troubled(error));
  };
  const watch = watchRows(api, unread);
  const rowOf = (endpoint) => {
    if (!made.has(endpoint.name)) made.set(endpoint.name, row(endpoint, watch));
    return made.get(endpoint.name);
  };
  const rows = h("ul", { class: "list" });
  const count = h("p", { class: "quiet", role: "status" });
  const filter = h("input", {
    type: "search",
    "aria-label": "Find an endpoint",
    placeholder: "Find an endpoint",
    oninput: () => draw(),
  });
  const more = button("Load more", async () => {
    const page = await api.call("GET", `/endpoints?cursor=${encodeURIComponent(cursor)}`).catch(unread);
    if (!page) return;
    all.push(...page.endpoints);
    cursor = page.cursor;
    more.hidden = !cursor;
    draw();
  });
  more.hidden = !cursor;
  let found;
  const draw = () => {
    found = all.filter(({ name }) => name.includes(filter.value.trim().toLowerCase()));
    show(rows, found.map(rowOf));
    count.textContent =
      found.length === all.length
        ? `${all.length}${cursor ? " or more" : ""} in all`
        : `${found.length} of ${all.length}`;
  };
  const body =
    all.length === 0
      ? h(
          "div",
          { class: "card empty" },
          h("h2", null, "No endpoint yet"),
          h(
            "p",
            { class: "quiet" },
            "An endpoint has its own URL, keys and upstreams. Creating one takes a minute.",
          ),
          h("a", { class: "button primary", href: "#/new" }, "Create the first endpoint"),
        )
      : [
          h(
            "div",
            { class: "tools" },
            filter,
            count,
            h("a", { class: "button primary", href: "#/new" }, "New endpoint"),
          ),
          rows,
          more,
        ];
  draw();
  const exportAll = async () => {
    const whole = [];
    try {
      for (const { name } of found)
        whole.push(await api.call("GET", `/endpoints/${encodeURIComponent(name)}`));
      download(whole);
    } catch (error) {
      unread(error);
    }
  };
  const file = h("input", {
    type: "file",
    accept: ".json,application/json",
    hidden: true,
    "aria-label": "The file to import",
    onchange: async () => {
      try {
        importing = importView(
          await read(file.files[0]),
          (body) => api.call("POST", "/endpoints", { body }),
          () => (importing = undefined),
        );
        location.hash = "#/import";
      } catch (error) {
        show(problem, notice("bad", error.message));
      }
      file.value = "";
    },
  });
  const files = h(
    "div",
    { class: "actions files" },
    button("Import …", () => file.click(), { class: "small" }),
    file,
    all.length > 0 && button("Export these", exportAll, { class: "small" }),
  );
  frame("Endpoints", pending(), problem, body, files);
}

// pending returns a notice with links to the unsaved forms, or null.
function pending() {
  const links = typed().map(([href, title], i) => [i > 0 && ", ", h("a", { href }, title)]);
  return links.length > 0 && notice("info", "Not saved yet: ", links, ".");
}

// typed returns [place, title] of each view with unsaved input.
const typed = () => [
  ...unsaved().map((name) => (name ? [`#/e/${name}/setup`, name] : ["#/new", "a new endpoint"])),
  ...(importing ? [["#/import", "an import"]] : []),
];

// row returns an endpoint's row. Once visible, watch adds the endpoint's health.
function row({ name, upstreams = {}, disabled, keys = 0, updated, auth }, watch) {
  const health = h("span", { class: "health" });
  watch(health, name);
  return h(
    "li",
    null,
    h(
      "a",
      { class: "card row", href: `#/e/${encodeURIComponent(name)}` },
      h("span", { class: "name" }, name, disabled && h("span", { class: "badge off" }, "disabled")),
      h(
        "span",
        { class: "chips" },
        Object.entries(upstreams).map(([upstream, protocol]) =>
          h("span", { class: "badge" }, `${upstream} · ${protocol}`),
        ),
      ),
      h(
        "span",
        { class: "quiet" },
        auth === "forward" ? "clients' own keys" : `${keys} ${keys === 1 ? "key" : "keys"}`,
        updated && ` · changed ${when(updated)}`,
      ),
      health,
    ),
  );
}

function create() {
  const draft = draftOf("") ?? {
    form: endpointForm(
      {},
      {
        action: "Create the endpoint",
        save: async (settings) => {
          made = await api.call("POST", "/endpoints", { body: settings });
          dropDraft("");
          location.hash = `#/e/${made.name}`;
        },
        discard: () => {
          dropDraft("");
          create();
        },
        probe: (what, body) => api.call("POST", `/${what}`, { body }),
      },
    ),
  };
  keepDraft("", draft);
  frame("New endpoint", draft.form.element);
}

// welcome shows a new endpoint with its key, and the settings for its clients.
function welcome(endpoint) {
  const view = h(
    "div",
    { class: "stack" },
    endpoint.key
      ? secret(endpoint.key, "Give it to the user; only its hash is stored.")
      : notice("good", "The endpoint is ready. Its clients send their own upstream key."),
    ownerLine(endpoint),
    h("h2", null, "Settings for clients"),
    connectView(endpoint, endpoint.key ?? "", { lists: () => listsOf(api, endpoint) }),
    h(
      "div",
      { class: "actions" },
      h(
        "a",
        {
          class: "button",
          href: `#/e/${endpoint.name}/setup`,
          onclick: () => say("Settings of the endpoint"),
        },
        "Open its settings",
      ),
    ),
  );
  frame(endpoint.name, view);
}

session.start();
