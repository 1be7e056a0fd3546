// The view of a live call: a question, and the protocols side by side.
import { parse } from "../lib/api.mjs";
import { askedFields } from "./asked.mjs";
import { Axis } from "./axis.mjs";
import { call, isRaw, plan } from "./call.mjs";
import { choose, namesOf } from "../lib/choose.mjs";
import { baseOf, firstModel } from "../lib/connect.mjs";
import { busy, field, h, id, say, select, show, when } from "../lib/dom.mjs";
import { load } from "./module.mjs";
import { explain, notice } from "../lib/notice.mjs";
import { Timeline } from "./timeline.mjs";
import { api, choices, question, streaming } from "../lib/views.mjs";

const ROLES = {
  client: "Your client",
  upstream: "The upstream",
  both: "Your client and the upstream",
  other: "Another client",
};

const OWN_KEY = {
  label: "Your key",
  hint: "Your session does not have the key. It stays in this tab until you reload or close the tab.",
};

// tryView returns the view for an endpoint. If the page does not know the key, key is undefined:
// then make() resolves with a key for each call. Without make, the view asks for a key in the words
// of ask, and keep(key) stores the key for other views. make and keep throw a Failure if the API
// refuses. about says what a call costs. again is the request of a recording, with which the form
// begins: { protocol, model, body, time }.
export function tryView(
  endpoint,
  { key, make, keep, ask = OWN_KEY, about = "A live call, which your upstream may bill.", again },
) {
  load().catch(() => {}); // the call shows the error
  const names = h(
    "datalist",
    { id: id() },
    namesOf(endpoint.upstreams).map((name) => h("option", { value: name })),
  );
  const protocol = select(choices, again?.protocol ?? choices[0][0]);
  const model = h("input", {
    value: again?.model ?? firstModel(endpoint.upstreams),
    list: names.id,
    spellcheck: "false",
    autocomplete: "off",
  });
  const text = h("input", { value: "What is the weather in Paris? Use the tool." });
  const asking = field("Question", text, { wide: true });
  asking.hidden = again !== undefined;
  const recorded = h(
    "p",
    { class: "quiet", hidden: !again },
    again && `The request recorded ${when(Date.parse(again.time) / 1000)}. Try it sends requests as streams.`,
  );
  const body = h("textarea", { rows: 12, spellcheck: "false", class: "mono" });
  const options = h("div");
  let asked;
  const put = (request) => {
    asked.write(request);
    body.value = JSON.stringify(request, null, 2);
  };
  const fill = () => put(question(protocol.value, model.value.trim(), text.value));
  // change shows the options of a protocol. Options that other protocols share keep their values.
  const change = () => {
    const before = {};
    asked?.write(before);
    asked = askedFields(api(protocol.value).options, () =>
      put(objectIn(body.value) ?? question(protocol.value, model.value.trim(), text.value)),
    );
    asked.read({ ...question(protocol.value, model.value.trim(), text.value), ...before }, { strict: true });
    show(options, asked.element);
    fill();
  };
  text.addEventListener("input", fill);
  model.addEventListener("input", () => {
    if (!again) fill();
    else rename(objectIn(body.value));
  });
  // rename changes the model of a recorded request, unless the path names the model.
  const rename = (request) => request?.model !== undefined && put({ ...request, model: model.value.trim() });
  protocol.addEventListener("input", () => {
    again = undefined; // another protocol begins with a question
    for (const element of [recorded, asking]) element.hidden = element === recorded;
    change();
  });
  body.addEventListener("input", () => {
    const request = objectIn(body.value);
    if (request) asked.read(request);
  });
  change();
  if (again) {
    const request = objectIn(again.body);
    body.value = request ? JSON.stringify(request, null, 2) : again.body;
    if (request) asked.read(request);
  }
  const typed = h("input", { type: "password", autocomplete: "off", spellcheck: "false", required: true });
  const wanted = key === undefined && !make && field(ask.label, typed, { wide: true, hint: ask.hint });
  const place = h("div", { class: "stack" });
  const go = h("button", { class: "primary" }, "Send");
  const stop = h("button", { type: "button", hidden: true, onclick: () => abort?.abort() }, "Stop");
  let abort;
  const send = async () => {
    let mine = key;
    try {
      if (make) mine = await make();
      else if (key === undefined) {
        mine = typed.value.trim();
        await keep(mine);
        key = mine;
        wanted.remove();
      }
    } catch (error) {
      return explain(place, error);
    }
    await run(endpoint, mine, protocol.value, body.value, model.value.trim(), place, abort.signal);
  };
  const form = h(
    "form",
    {
      class: "card stack",
      onsubmit: (event) => {
        event.preventDefault();
        busy(go, async () => {
          abort = new AbortController();
          stop.hidden = false;
          await send().finally(() => (stop.hidden = true));
        });
      },
    },
    h(
      "div",
      { class: "grid" },
      field("Your client speaks", protocol),
      h("div", null, field("Model", model), names),
    ),
    recorded,
    asking,
    wanted,
    h("details", null, h("summary", null, "Request options"), options),
    h(
      "details",
      { open: again !== undefined },
      h("summary", null, "Edit the request"),
      field("JSON", body, { wide: true }),
    ),
    h("div", { class: "actions" }, go, stop, h("span", { class: "hint" }, about)),
  );
  return h("div", { class: "stack" }, form, place);
}

// objectIn returns the object in a JSON text, or undefined for any other text.
function objectIn(text) {
  const json = parse(text);
  return typeof json === "object" && json !== null && !Array.isArray(json) ? json : undefined;
}

// run shows a live call. named is the model, if the body has none.
async function run(endpoint, key, client, text, named, place, signal) {
  const failed = (...content) => show(place, notice("bad", ...content));
  let body, model;
  try {
    const request = JSON.parse(text);
    model = request.model ?? named;
    body = JSON.stringify(streaming(client, model, request));
  } catch (error) {
    return failed(`The request is not JSON: ${error.message}`);
  }
  if (typeof model !== "string" || choose(endpoint.upstreams, model).length === 0)
    return failed(`No upstream of this endpoint serves the model ${model}.`);
  let planned;
  try {
    planned = await plan(endpoint, client, body, model);
  } catch (error) {
    return failed(`The translator can't be loaded, or has failed: ${error.message}`);
  }
  const started = performance.now();
  let outcome = "The answer is complete";
  const axis = new Axis(started, (at) => lines.forEach((line) => line.look(at)));
  const lines = new Map(
    planned.sides.map((side) => {
      const [role, title] = [ROLES[side.role], api(side.protocol).title];
      return [side, new Timeline(role, title, side.protocol, started, axis.lane(role, title, isRaw(side)))];
    }),
  );
  for (const [side, line] of lines) {
    if (side.request) line.asked(side.request);
    line.lost(side.lost());
    if (side.refused) refuse(side, side.refused);
  }
  show(
    place,
    h(
      "p",
      { class: "quiet", role: "status" },
      `${model} goes to ${planned.upstream.name || "the upstream"} (${planned.upstream.url}).`,
    ),
    endpoint.options &&
      Object.keys(endpoint.options).length > 0 &&
      notice(
        "info",
        "This endpoint's options change requests and answers. The upstream's request and events are " +
          "shown after these changes.",
      ),
    !planned.sides[0].refused && axis.element,
    h(
      "div",
      { class: "timelines" },
      [...lines.values()].map(({ element }) => element),
    ),
  );
  place.scrollIntoView({ block: "nearest" });
  function refuse(side, { status, body: said }) {
    outcome = `The call was refused: HTTP ${status}`;
    lines.get(side).refused(status, said);
    axis.element.remove();
  }
  if (planned.sides[0].refused) {
    for (const [side, line] of lines) if (!side.refused) line.end("Nothing was sent.");
    return;
  }
  const live = { ...planned, sides: planned.sides.filter(({ refused }) => !refused) };
  try {
    const broken = await call(baseOf(endpoint), key, live, {
      take: (side, bytes, at) => lines.get(side).push(bytes, at),
      refuse,
      signal,
    });
    for (const side of live.sides) {
      const line = lines.get(side);
      line.lost(side.lost());
      line.end(broken ? (signal.aborted ? "Stopped." : "The connection broke.") : usage(side));
    }
    axis.end();
    say(broken ? (signal.aborted ? "Stopped" : "The connection broke") : outcome);
  } catch (error) {
    if (error.status === undefined && !signal.aborted) throw error;
    for (const side of live.sides) lines.get(side).end(signal.aborted ? "Stopped." : error.message);
    if (!signal.aborted) place.prepend(notice("bad", error.message));
  }
}

// usage returns the tokens of an answer, for the user, or "" if its translation has not read any.
function usage({ exchange, role }) {
  if (!exchange || role === "both") return "";
  const { input, output } = exchange.report();
  return output === undefined ? "" : `${input ?? "?"} tokens in, ${output} out`;
}
