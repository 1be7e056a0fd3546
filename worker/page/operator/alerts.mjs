// The alerts of an endpoint, for its operator: the webhook, a test, and the last alerts.
import { secret } from "../lib/copy.mjs";
import { button, field, h, say, select, show, when } from "../lib/dom.mjs";
import { explain } from "../lib/notice.mjs";

const FORMATS = [
  ["json", "JSON of edgelingua"],
  ["slack", "Slack"],
  ["discord", "Discord"],
  ["ntfy", "ntfy"],
];
const TRIES = 5;
const LOOKS = 15; // how often the list is read again after a test, once a second

// alertsCard returns the card of an endpoint's alerts. change(patch) changes the endpoint and resolves
// with the answer. load() resolves with the last alerts, and test() raises a test alert. Failures of all
// three are the API's.
export function alertsCard(endpoint, { change, load, test }) {
  const url = h("input", {
    type: "url",
    spellcheck: "false",
    autocomplete: "off",
    placeholder: "https://hooks.slack.com/services/…",
  });
  const format = select(FORMATS, endpoint.alerts?.format ?? "json");
  const failed = h("div");
  const made = h("div");
  const list = h("div");
  const form = h(
    "div",
    { class: "grid" },
    field(endpoint.alerts ? "Another webhook" : "Webhook", url, {
      hint: "An https URL. It is sealed, and not shown again. For ntfy: the URL of the topic.",
      path: "alerts.url",
    }),
    field("Format", format, { path: "alerts.format" }),
  );
  // run shows the error of an action at its field.
  const run = async (action) => {
    show(failed);
    try {
      await action();
    } catch (error) {
      explain(failed, error, form);
    }
  };
  const save = () =>
    run(async () => {
      const typed = url.value.trim();
      const answer = await change({ alerts: { ...(typed && { url: typed }), format: format.value } });
      if (answer?.alert_secret) {
        const place = document.querySelector("[data-alert-secret]");
        show(
          place,
          secret(answer.alert_secret, "It signs the alerts of this webhook.", "The webhook's secret"),
        );
        place.querySelector("button").focus();
      }
    });
  const refresh = async () => {
    const { alerts } = await load();
    show(list, alerts.length > 0 && lastAlerts(alerts));
    return alerts;
  };
  const tryIt = () =>
    run(async () => {
      await test();
      for (let looks = 0; looks < LOOKS; looks++) {
        const now = (await refresh()).filter(({ type }) => type === "test");
        if (now.length > 0 && now.every(({ status }) => status > 0)) break;
        await new Promise((resolve) => setTimeout(resolve, 1000));
      }
      say("The test is in the list of the last alerts");
    });
  made.dataset.alertSecret = "";
  if (endpoint.alerts) run(refresh);
  return h(
    "section",
    { class: "card stack", "aria-label": "Alerts" },
    h(
      "div",
      null,
      h("h2", null, "Alerts"),
      h(
        "p",
        { class: "hint" },
        "A message to a webhook when 80 and 100 % of a budget are spent, when an upstream goes down and " +
          "answers again, when half of the requests fail, and before a key expires. Never with contents " +
          "or keys.",
      ),
    ),
    endpoint.alerts &&
      h(
        "p",
        null,
        "Alerts go to ",
        h("code", null, endpoint.alerts.host),
        ", as ",
        nameOf(endpoint.alerts),
        ".",
      ),
    made,
    form,
    failed,
    h(
      "div",
      { class: "actions" },
      button(endpoint.alerts ? "Change the webhook" : "Set the webhook", save),
      button("Send a test", tryIt),
      endpoint.alerts &&
        button("Remove the webhook", () => run(() => change({ alerts: null })), { class: "danger" }),
    ),
    list,
  );
}

const nameOf = ({ format = "json" }) => FORMATS.find(([value]) => value === format)[1];

// lastAlerts returns the table of alerts.
const lastAlerts = (alerts) =>
  h(
    "table",
    null,
    h("caption", { class: "unseen" }, "Last alerts"),
    h(
      "thead",
      null,
      h(
        "tr",
        null,
        ["Time", "Alert", "Webhook", "State"].map((text) => h("th", { scope: "col" }, text)),
      ),
    ),
    h(
      "tbody",
      null,
      alerts.map((alert) =>
        h(
          "tr",
          null,
          h("th", { scope: "row" }, when(alert.time)),
          h("td", { "data-head": "Alert" }, alert.text),
          h(
            "td",
            { "data-head": "Webhook" },
            alert.webhook === "endpoint" ? "this endpoint's" : "the deployment's",
          ),
          h("td", { "data-head": "State" }, stateOf(alert)),
        ),
      ),
    ),
  );

function stateOf({ state, tries, status }) {
  if (state === "sent") return "sent";
  const answer = status > 0 ? `the webhook answered ${status}` : "no answer";
  if (tries === 0) return "not sent yet";
  return state === "waiting"
    ? `${answer}; tried ${tries} of ${TRIES} times`
    : `not sent: ${answer}, tried ${tries} times`;
}
