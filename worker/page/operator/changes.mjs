// The audit list of an endpoint: who has changed what, and when.
import { h, show, when } from "../lib/dom.mjs";
import { explain } from "../lib/notice.mjs";

const ACTIONS = {
  create: "made the endpoint",
  delete: "deleted the endpoint",
  add_key: "added a key",
  change_key: "changed the limits of a key",
  revoke_key: "revoked a key",
  rotate: "replaced keys",
};

// changesCard returns the card of the last changes, which load() resolves with when the card is opened.
export function changesCard(load) {
  const list = h("div");
  const read = async () => {
    try {
      const { changes } = await load();
      show(list, changes.length > 0 ? table(changes) : h("p", { class: "quiet" }, "No change is known yet."));
    } catch (error) {
      explain(list, error);
    }
  };
  return h(
    "details",
    { class: "card", ontoggle: ({ target }) => target.open && read() },
    h("summary", null, "Last changes"),
    h("p", { class: "hint" }, "At most 50: who, what and when, without values."),
    list,
  );
}

const table = (changes) =>
  h(
    "table",
    null,
    h("caption", { class: "unseen" }, "Last changes"),
    h(
      "thead",
      null,
      h(
        "tr",
        null,
        ["Time", "Who", "What"].map((text) => h("th", { scope: "col" }, text)),
      ),
    ),
    h(
      "tbody",
      null,
      changes.map((change) =>
        h(
          "tr",
          null,
          h("th", { scope: "row" }, when(change.time)),
          h("td", { "data-head": "Who" }, whoOf(change)),
          h("td", { "data-head": "What" }, whatOf(change)),
        ),
      ),
    ),
  );

const whoOf = ({ who, key, label }) =>
  who === "operator" ? "the operator" : `the owner of the key ${label ? `${label} (${key})` : key}`;

function whatOf({ action, subject, settings }) {
  const names = settings.join(", ");
  if (action === "change") return names ? `changed ${names}` : "saved without a change";
  return `${ACTIONS[action]}${subject ? `: ${subject}` : ""}${names ? `: ${names}` : ""}`;
}
