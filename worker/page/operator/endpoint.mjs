// One endpoint for the operator: clients' settings, its own settings, keys, usage.
import { alertsCard } from "./alerts.mjs";
import { Failure } from "../lib/api.mjs";
import { changesCard } from "./changes.mjs";
import { connectView, ownerLine } from "../lib/connect.mjs";
import { secret } from "../lib/copy.mjs";
import { ask } from "../lib/dialog.mjs";
import { button, field, h, say, show } from "../lib/dom.mjs";
import { draftOf, dropDraft, keepDraft } from "./drafts.mjs";
import { endpointForm } from "./form.mjs";
import { keysView } from "../lib/keys.mjs";
import { later } from "../lib/later.mjs";
import { notice } from "../lib/notice.mjs";
import { tabs } from "../lib/tabs.mjs";
import { download } from "./transfer.mjs";

const [TRY, LENT] = ["Try it", 900]; // the label of a key for live calls, and its lifetime in seconds

// listsOf resolves with the models that each upstream of an endpoint lists, { upstream: names }. It
// throws a Failure if one does not list them.
export async function listsOf(api, { name, upstreams }) {
  const lists = {};
  for (const { name: upstream } of upstreams) {
    const { ok, models, problem } = await api.call("POST", `/endpoints/${name}/models`, {
      body: { upstream },
    });
    if (!ok) throw new Failure(0, `${upstream}: ${problem}`);
    lists[upstream] = models;
  }
  return lists;
}

// unpriced returns a notice about the models that an endpoint refuses for want of a price, or false.
// setPrices() shows the form of the prices.
function unpriced(names, setPrices) {
  return (
    names &&
    notice(
      "info",
      h("strong", null, "Models without a price are refused. "),
      "This endpoint has a budget in US dollars, and these prices are unknown: ",
      names.map((name, i) => [i > 0 && ", ", h("code", null, name)]),
      ". In Settings, Limits and usage, set their prices, or allow models without a price. ",
      button("Set prices", setPrices, { class: "link" }),
    )
  );
}

// endpointView returns the view of an endpoint, { element, open }. Each change of the endpoint
// updates the view. tab is the first tab to show, and open(tab) shows another one. lost(error) is
// called if the session has ended. A view with an unsaved form is a draft, and is shown again
// unchanged. If another user has changed the endpoint meanwhile, the page says so when the user
// saves.
export function endpointView(api, endpoint, { tab, lost }) {
  const path = `/endpoints/${endpoint.name}`;
  let lent; // { key, expires } of the last key for live calls
  const top = h("div", { tabindex: -1 });
  // tell shows the outcome of a change at the top of the view, and scrolls there from the pressed
  // button.
  const tell = (...content) => {
    show(top, ...content);
    top.scrollIntoView({ block: "center" });
    top.focus({ preventScroll: true });
  };
  // change calls the API for the displayed revision. It shows a conflict if the endpoint has
  // another revision by then.
  const change = async (method, at, body) => {
    try {
      const answer = await api.call(method, path + at, { body, rev: endpoint.rev });
      show(top);
      if (answer) {
        const { key, alert_secret, ...rest } = answer; // a new key or secret goes only to the caller
        endpoint = rest;
      }
      return answer;
    } catch (error) {
      if (error.status !== 412) stale(error);
      await conflict(method, at, body);
      throw new Failure(
        412,
        "Nothing was changed: somebody else has changed this endpoint meanwhile. Choose above what to do.",
      );
    }
  };
  // stale rethrows the error of a call, and calls lost if the session has ended.
  const stale = (error) => {
    if (error.status === 401) lost(error);
    throw error;
  };
  const conflict = async (method, at, body) => {
    const theirs = await api.call("GET", path);
    const fields = Object.keys({ ...endpoint, ...theirs }).filter(
      (key) =>
        !["rev", "updated", "unpriced_models"].includes(key) &&
        JSON.stringify(endpoint[key]) !== JSON.stringify(theirs[key]),
    );
    tell(
      notice(
        "bad",
        h(
          "p",
          null,
          h("strong", null, "Somebody else has changed this endpoint meanwhile. "),
          `This page shows revision ${endpoint.rev}; the current one is ${theirs.rev}. ` +
            `Changed: ${fields.join(", ") || "nothing shown here"}.`,
        ),
        h(
          "div",
          { class: "actions" },
          button("Load their version", () => {
            dropDraft(endpoint.name);
            endpoint = theirs;
            redraw();
          }),
          button("Apply mine anyway", async () => {
            endpoint = theirs;
            const answer = await told(change(method, at, body));
            if (answer === null) return gone();
            if (!answer) return;
            if (method === "PATCH" && body.upstreams) dropDraft(endpoint.name);
            redraw();
            tell(answer.key ? secret(answer.key, "Only its hash is stored.") : notice("good", "Done."));
          }),
        ),
      ),
    );
  };
  const state = h("div");
  const view = {
    element: undefined,
    open: (name) => {
      tab = name;
      views.open(tab);
    },
  };
  const redraw = () => {
    show(top);
    show(
      state,
      endpoint.disabled && notice("info", "This endpoint is disabled: it refuses every request."),
      unpriced(endpoint.unpriced_models, setPrices),
    );
    views.open(tab);
  };

  const views = tabs(
    "Endpoint",
    [
      [
        "connect",
        "Connect",
        () =>
          h(
            "div",
            { class: "stack" },
            ownerLine(endpoint),
            connectView(endpoint, "", { lists: () => listsOf(api, endpoint).catch(stale) }),
          ),
      ],
      ["setup", "Settings", () => setup()],
      [
        "try",
        "Try it",
        () => {
          const request = again;
          again = undefined;
          return later(() => tryIt(request));
        },
      ],
      [
        "keys",
        "Keys",
        () => keysView(endpoint, change, redraw, () => api.call("GET", `${path}/usage?days=90`).catch(stale)),
      ],
      ["watch", "Watch", () => later(() => watch())],
      ["requests", "Requests", () => later(() => requests())],
      api.recorded === endpoint.name && ["recordings", "Recordings", () => later(() => recordings())],
    ].filter(Boolean),
    null,
    (name) => moved(name),
  );
  let again; // the request of a recording, for the next view of Try it
  function moved(name) {
    tab = name;
    history.replaceState(null, "", `#/e/${endpoint.name}/${name}`);
  }
  async function recordings() {
    const { recordingsView } = await import("../recordings/recordings.mjs");
    return recordingsView(
      (at) => api.call("GET", `${path}/recordings${at}`).catch(stale),
      (request) => {
        again = request;
        views.open("try").focus();
        moved("try");
      },
    );
  }
  async function watch() {
    const { watchView } = await import("../watch/watch.mjs");
    return watchView(
      (query) => api.call("GET", `${path}/usage?${query}`).catch(stale),
      Object.fromEntries(endpoint.keys.map(({ id, label }) => [id, label])),
      { keep: () => told(change("PATCH", "", { usage: true })), setPrices },
    );
  }
  async function requests() {
    const { requestsView } = await import("../requests/requests.mjs");
    return requestsView((at) => api.call("GET", `${path}/${at}`).catch(stale), {
      keys: endpoint.keys.map(({ id, label }) => [id, label || id]),
      upstreams: endpoint.upstreams.map(({ name }) => name),
      keep: () => told(change("PATCH", "", { request_log: { ttl: 7 * 86_400, rows: 1000 } })),
      routed: true,
    });
  }
  // setPrices shows the form of the prices.
  function setPrices() {
    moved("setup");
    views.open(tab);
    const prices = views.element.querySelector("[data-prices]");
    prices.closest("details").open = true;
    prices.scrollIntoView({ block: "center" });
    prices.querySelector("input, button").focus({ preventScroll: true });
  }
  // tryIt resolves with the view of a live call. The view makes a key, because the operator has no
  // key of the endpoint.
  async function tryIt(again) {
    const { tryView } = await import("../tryit/tryit.mjs");
    if (endpoint.auth === "forward")
      return tryView(endpoint, {
        again,
        keep: async () => {},
        ask: {
          label: "Your upstream key",
          hint: "This endpoint passes the key through. It stays in this tab until you leave this view.",
        },
      });
    return tryView(endpoint, {
      again,
      make: lend,
      about:
        `A live call, counted and logged like any other. It creates a key for this endpoint, ` +
        `“${TRY}”, valid for 15 minutes; other locations know the key within a minute.`,
    });
  }
  // lend resolves with a key for live calls: the last key, if it is valid for another minute, or a
  // new one.
  async function lend() {
    // A key, not the session: a session is valid for the Admin API only. A call with a session
    // would reach models without a key of the endpoint, so nothing would count or log the call, and
    // a script in the operator's page could spend money. The key stays in this tab's memory, is in
    // the list of keys, and can be revoked.
    const now = Math.floor(Date.now() / 1000);
    if (!lent || lent.expires < now + 60) {
      const expires = now + LENT;
      const { key } = await change("POST", "/keys", { label: TRY, expires });
      lent = { key, expires };
    }
    return lent.key;
  }
  function setup() {
    const draft = draftOf(endpoint.name) ?? {
      form: endpointForm(endpoint, {
        action: "Save",
        save: async (settings) => {
          show(top); // removes the outcome of the previous change
          await change("PATCH", "", settings);
          dropDraft(endpoint.name);
          redraw();
          tell(notice("good", "Saved. Other locations see the change within a minute."));
        },
        discard: () => {
          dropDraft(endpoint.name);
          redraw();
        },
        probe: (what, body) => api.call("POST", `${path}/${what}`, { body }).catch(stale),
      }),
    };
    keepDraft(endpoint.name, Object.assign(draft, { view }));
    const alerts = alertsCard(endpoint, {
      change: async (patch) => {
        const answer = await change("PATCH", "", patch);
        redraw();
        return answer;
      },
      load: () => api.call("GET", `${path}/alerts`).catch(stale),
      test: () => api.call("POST", `${path}/alerts`).catch(stale),
    });
    const changed = changesCard(() => api.call("GET", `${path}/changes`).catch(stale));
    return h("div", { class: "stack" }, draft.form.element, alerts, changed, exported(), danger());
  }

  function exported() {
    return h(
      "section",
      { class: "card test", "aria-label": "Export" },
      h(
        "div",
        null,
        h("h2", null, "Export"),
        h(
          "p",
          { class: "hint" },
          "A file with the saved settings, without any key. Import it in the list of endpoints.",
        ),
      ),
      button("Export it", () => download([endpoint])),
    );
  }

  function danger() {
    return h(
      "section",
      { class: "card danger-zone", "aria-label": "Disable or delete" },
      h(
        "div",
        null,
        h("h2", null, endpoint.disabled ? "Enable" : "Disable"),
        h(
          "p",
          { class: "hint" },
          endpoint.disabled
            ? "The endpoint accepts requests again."
            : "The endpoint refuses every request until it is enabled. Nothing is deleted.",
        ),
      ),
      button(endpoint.disabled ? "Enable it" : "Disable it", async () => {
        await told(
          change("PATCH", "", { disabled: !endpoint.disabled }).then(() => {
            redraw();
            tell(
              notice("good", endpoint.disabled ? "The endpoint is disabled." : "The endpoint is enabled."),
            );
          }),
        );
      }),
      h(
        "div",
        null,
        h("h2", null, "Delete"),
        h("p", { class: "hint" }, "Deletes the settings and keys for good."),
      ),
      button("Delete …", remove, { class: "danger" }),
    );
  }

  function gone() {
    dropDraft(endpoint.name);
    say(`${endpoint.name} is deleted`);
    location.hash = "#/";
  }

  async function remove() {
    const typed = h("input", { autocomplete: "off", spellcheck: "false" });
    await ask({
      title: `Delete ${endpoint.name}?`,
      content: [
        h("p", null, "Its clients are refused afterwards. This can't be undone."),
        field(`Type ${endpoint.name} to confirm`, typed),
      ],
      action: "Delete it",
      danger: true,
      act: async () => {
        if (typed.value.trim() !== endpoint.name) {
          typed.setAttribute("aria-invalid", "true");
          typed.focus();
          throw Object.assign(new Error(`Type ${endpoint.name}.`), { status: 0 });
        }
        await change("DELETE", "");
        gone();
      },
    });
  }

  // told shows the error of a change at the top of the view, except a conflict, which change shows.
  const told = (doing) =>
    doing.catch((error) => {
      if (error.status === undefined) throw error;
      if (error.status !== 412) tell(notice("bad", error.message));
    });

  redraw();
  view.element = h("div", { class: "stack" }, top, state, views.element);
  return view;
}
