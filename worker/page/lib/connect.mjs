// The view of ready-made settings: the endpoint's URL, a model, and the settings of each client.
import { choose, namesOf } from "./choose.mjs";
import { copyButton } from "./copy.mjs";
import { button, field, h, id, show } from "./dom.mjs";
import { notice } from "./notice.mjs";
import { other } from "./other.mjs";
import { settingsFor } from "./settings.mjs";
import { tabs } from "./tabs.mjs";
import { api } from "./views.mjs";

const CLAUDE = "claude-opus-5-5";
const HIDDEN = "••••••••";
const UNKNOWN =
  "Replace YOUR_KEY with a key of this endpoint. A key is shown only when it is created; create a " +
  "new one under Keys.";
const FORGOTTEN =
  "Replace YOUR_KEY with your key: this page no longer has it after a reload. To include the key in " +
  "what you copy, type it under Try it, or sign out and in again.";
const FORWARD = "Replace YOUR_KEY with your own upstream key: this endpoint passes it through.";
let client = "claude-code"; // the client whose settings were viewed last

// connectView returns the view for an endpoint. key is "" if the page does not know the key. With
// hidden (the owner's page), the view shows dots and only copied text has the key. lists() resolves
// with the models that upstreams list, { upstream: names of models }, or throws a Failure. Without
// lists the page can't ask. The view has settings only for a model that exists, as far as the page
// knows.
export function connectView(endpoint, key, { hidden = false, lists } = {}) {
  const base = location.origin + baseOf(endpoint);
  const names = namesOf(endpoint.upstreams);
  const list = h(
    "datalist",
    { id: id() },
    names.map((name) => h("option", { value: name })),
  );
  const model = h("input", {
    value: firstModel(endpoint.upstreams),
    list: list.id,
    spellcheck: "false",
    autocomplete: "off",
  });
  const where = h("p", { class: "hint", role: "status" });
  const place = h("div");
  let known = {}; // the result of lists()
  // the model is a guess, until the user types one
  let guessed = names.length === 0 && api(endpoint.upstreams[0]?.protocol)?.anyModel === true;
  // Claude Code's own models work, until the user types another model
  let claude = servesClaude(endpoint.upstreams);
  const draw = () => {
    const asked = model.value.trim();
    const without = missing(endpoint.upstreams, asked, known, guessed);
    where.textContent = whither(endpoint.upstreams, asked);
    if (without) return show(place, notice("info", without));
    const all = (k) => settingsFor({ base, key: k, model: model.value.trim() || "MODEL", claude });
    const [shown, copied] = [all(hidden && key ? masked(key) : key || "YOUR_KEY"), all(key || "YOUR_KEY")];
    const views = shown.map((s, i) => [s.id, s.title, () => steps(s, copied[i])]);
    show(place, tabs("Clients", views, client, (name) => (client = name)).element);
  };
  model.addEventListener("input", () => {
    claude = guessed = false;
    draw();
  });
  const fetchModels = async () => {
    try {
      known = await lists();
    } catch (error) {
      if (error.status === undefined) throw error;
      return show(failed, notice("bad", error.message));
    }
    const offered = [...new Set([...names, ...Object.values(known).flat()])];
    show(
      list,
      offered.map((name) => h("option", { value: name })),
    );
    show(
      failed,
      h(
        "p",
        { class: "hint" },
        `${offered.length} ${offered.length === 1 ? "model" : "models"}, suggested as you type.`,
      ),
    );
    if (guessed && missing(endpoint.upstreams, model.value.trim(), known)) model.value = "";
    guessed = false;
    draw();
  };
  const failed = h("div", { role: "status" });
  draw();
  return h(
    "div",
    { class: "stack" },
    h(
      "div",
      { class: "line address" },
      h("code", null, base),
      copyButton(() => base, "the endpoint's URL"),
    ),
    h("div", null, field("Model", model), list, where),
    lists && h("div", { class: "actions" }, button("Fetch models", fetchModels, { class: "small" }), failed),
    !key && notice("info", endpoint.auth === "forward" ? FORWARD : hidden ? FORGOTTEN : UNKNOWN),
    key && hidden && h("p", { class: "hint" }, "Your key is hidden here. What you copy contains it."),
    place,
  );
}

// missing returns the reason, for the user, why a model has no settings, or "". known has the
// models that upstreams list. guessed: no setting or list confirms the model.
function missing(upstreams, model, known, guessed = false) {
  if (model === "") return "Which model? Type one that this endpoint serves.";
  const [first] = choose(upstreams, model);
  if (!first) return `No upstream serves ${model}, so there are no settings for it.`;
  const list = known[first.upstream.name];
  if (list && !list.includes(first.model))
    return `${first.upstream.name} does not list ${first.model}, so there are no settings for it.`;
  return !list && guessed && first.model === model
    ? "Type a model that this endpoint serves: its settings name none."
    : "";
}

// baseOf returns the path of an endpoint, to which clients append the paths of their protocols. An
// endpoint without a name comes from the deployment's variables.
export const baseOf = ({ name }) => (name ? `/u/${name}` : "");

// masked returns a key with dots instead of its secret part.
const masked = (key) => (key.startsWith("el_") ? `${key.slice(0, -43)}${HIDDEN}` : HIDDEN);

// ownerLine links to the owner's page.
export const ownerLine = ({ name }) =>
  h(
    "p",
    { class: "quiet" },
    "Its user opens it at ",
    h("a", { href: `/u/${name}/` }, `/u/${name}/`),
    ", with a key of the endpoint.",
  );

const steps = ({ title, note, steps: list }, copied) => [
  note && h("p", { class: "quiet" }, note),
  list.map(({ where, code }, i) =>
    h(
      "figure",
      { class: "code" },
      h(
        "figcaption",
        null,
        h("span", null, where),
        copyButton(() => copied.steps[i].code, `${title}: ${where}`),
      ),
      h("pre", { tabindex: 0, "aria-label": `${title}: ${where}` }, h("code", null, code)),
    ),
  ),
];

// servesClaude reports whether the upstreams are known to serve Claude's own model names.
function servesClaude(upstreams) {
  const [first] = choose(upstreams, CLAUDE);
  return first !== undefined && (api(first.upstream.protocol)?.model === CLAUDE || first.model !== CLAUDE);
}

// firstModel returns the first model that the endpoint names, or a usual model for clients of the
// first upstream's protocol.
export function firstModel(upstreams) {
  const [name] = namesOf(upstreams);
  if (name) return name;
  return api(upstreams[0]?.protocol ?? other.protocol).model;
}

// whither says, for the user, to which upstreams a model goes.
export function whither(upstreams, model) {
  if (model === "") return "";
  const choices = choose(upstreams, model);
  if (choices.length === 0) return `No upstream serves ${model}.`;
  const [first, ...rest] = choices.map(
    ({ upstream, model: there }) => `${upstream.name || "the upstream"} as ${there}`,
  );
  return (
    `${model} goes ` +
    `to ${first}${rest.length > 0 ? `; if that fails, ` + `to ${rest.join(", then to ")}` : ""}.`
  );
}
