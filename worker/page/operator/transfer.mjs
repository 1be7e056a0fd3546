// Export and import of endpoints, as a file without keys. An import asks for the keys of the
// upstreams again.
import { parse } from "../lib/api.mjs";
import { secret } from "../lib/copy.mjs";
import { button, field, h, nameInput, show } from "../lib/dom.mjs";
import { notice } from "../lib/notice.mjs";

const KIND = "edgelingua endpoints"; // the kind member of a file
const MOST = 4 << 20; // bytes of a file
// OWN are the members of an endpoint that an export leaves out: an import makes another endpoint,
// with new keys.
const OWN = ["key", "keys", "rev", "created", "updated", "unpriced_models", "alerts", "alert_secret"];

// download makes the browser save a file with endpoints in the API's form.
export function download(endpoints) {
  // Sealed keys are left out: they open only for the same endpoint, host and deployment, and a file
  // with usable keys would be one more place to protect. An import shows the address for each key,
  // since the file may come from a stranger.
  const copies = endpoints.map((endpoint) =>
    Object.fromEntries(Object.entries(endpoint).filter(([name]) => !OWN.includes(name))),
  );
  const text = JSON.stringify({ kind: KIND, version: 1, endpoints: copies }, null, 2);
  const href = URL.createObjectURL(new Blob([text], { type: "application/json" }));
  h("a", { href, download: endpoints.length === 1 ? `${endpoints[0].name}.json` : "endpoints.json" }).click();
  // the browser may first ask the user for a folder, and reads the file only then
  setTimeout(() => URL.revokeObjectURL(href), 60_000);
}

// read resolves with the endpoints in such a file, or throws an Error with a reason.
export async function read(file) {
  if (file.size > MOST) throw new Error(`${file.name} is larger than 4 MB, so it is not an export.`);
  const { kind, version, endpoints } = parse(await file.text()) ?? {};
  const isCopy = (e) =>
    typeof e?.name === "string" &&
    Array.isArray(e.upstreams) &&
    e.upstreams.every((u) => typeof u?.name === "string");
  if (kind !== KIND || version !== 1 || !Array.isArray(endpoints) || !endpoints.every(isCopy))
    throw new Error(`${file.name} is not an export of endpoints. To export an endpoint, open its Settings.`);
  return endpoints;
}

// importView returns the view that asks for the keys of endpoints' upstreams, and makes the
// endpoints with make(body). ondone is called after the last endpoint.
export function importView(endpoints, make, ondone) {
  const cards = endpoints.map((endpoint) => card(endpoint, make));
  const go = button(
    "Import",
    async () => {
      for (const { run } of cards) if (!(await run())) return;
      go.remove();
      ondone();
    },
    { class: "primary" },
  );
  return h(
    "div",
    { class: "stack" },
    h(
      "p",
      { class: "quiet" },
      "The file has no keys. Type the upstream keys: each is sent to the address below it. Every " +
        "endpoint gets a new client key.",
    ),
    cards.map(({ element }) => element),
    h(
      "div",
      { class: "save" },
      h("div", { class: "actions" }, go, h("a", { class: "button", href: "#/" }, "All endpoints")),
    ),
  );
}

// gatewayOf names the gateway of an upstream with its account. The file's author may have added a
// gateway of their own, which sees every request.
const gatewayOf = ({ gateway }) => `AI Gateway ${gateway?.id} of the account ${gateway?.account}`;

// card returns { element, run } of one endpoint; run() makes the endpoint, and resolves with true
// on success.
function card({ sealed_keys: sealed, sealed_tokens: tokens, pools, ...settings }, make) {
  const name = nameInput(settings.name);
  // asked returns [upstream, control, field, put] for each upstream in a list. put(text) returns
  // the upstream's members for the typed text.
  const asked = (list, about) =>
    settings.upstreams
      .filter(({ name: of }) => Array.isArray(list) && list.includes(of))
      .map((upstream) => {
        const control = h("input", { type: "password", autocomplete: "new-password" });
        const { label, hint, put } = about(upstream);
        return [upstream, control, field(label, control, { hint }), put];
      });
  const keys = [
    ...asked(sealed, (u) => {
      const several = Number.isInteger(pools?.[u.name]);
      return {
        label: several ? `Keys of ${u.name}, separated by spaces` : `Key of ${u.name}`,
        hint: `Sent to ${u.url}${u.gateway ? ` through ${gatewayOf(u)}` : ""}. Empty: no key.`,
        put: (text) => (several ? { keys: text.split(/\s+/) } : { key: text }),
      };
    }),
    ...asked(tokens, (u) => ({
      label: `Gateway token of ${u.name}`,
      hint: `Sent to ${gatewayOf(u)}. Empty: no token.`,
      put: (token) => ({ gateway: { ...u.gateway, token } }),
    })),
  ];
  const { web_search: searches, ...options } = settings.options ?? {};
  const searchKey =
    Array.isArray(sealed) &&
    sealed.includes("web_search") &&
    h("input", { type: "password", autocomplete: "new-password" });
  const failed = h("div");
  const element = h(
    "section",
    { class: "card stack" },
    h(
      "div",
      { class: "grid" },
      field("Name of the endpoint", name),
      keys.map(([, , f]) => f),
      searchKey &&
        field(`Key of ${searches?.provider}`, searchKey, {
          hint: "For web searches. Empty: no searches.",
        }),
    ),
    failed,
  );
  let done = false;
  const run = async () => {
    if (done) return true;
    if (!name.reportValidity()) return false;
    const upstreams = settings.upstreams.map((u) => {
      const typed = keys
        .filter(([of, control]) => of === u && control.value.trim() !== "")
        .map(([, control, , put]) => put(control.value.trim()));
      return Object.assign({}, u, ...typed);
    });
    try {
      const typed = searchKey && searchKey.value.trim();
      const searching = searches &&
        (!searchKey || typed) && { web_search: { ...searches, ...(typed && { key: typed }) } };
      const { key, name: made } = await make({
        usage: false, // earlier versions left the member out if usage was off
        ...settings,
        ...(settings.options && { options: { ...options, ...searching } }),
        name: name.value.trim(),
        upstreams,
      });
      done = true;
      show(
        element,
        h("h2", null, h("a", { href: `#/e/${made}` }, made)),
        key
          ? secret(key, "Give it to the user; only its hash is stored.")
          : notice("good", "The endpoint is ready. Its clients send their own upstream key."),
      );
    } catch (error) {
      if (error.status === undefined) throw error;
      show(failed, notice("bad", error.message));
      failed.scrollIntoView({ block: "nearest" });
    }
    return done;
  };
  return { element, run };
}
