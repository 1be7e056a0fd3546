// Checks of the upstreams in an unsaved form.
import { Failure } from "../lib/api.mjs";
import { button, good, h, show } from "../lib/dom.mjs";
import { explain, notice } from "../lib/notice.mjs";

// probes returns { models, card } for a form. models(u) resolves with the models that the upstream
// u lists. If u does not list them, models shows the reason in the element failed, and resolves
// with undefined. card has the button to test all upstreams. probe("test" or "models", body) calls
// the API. upstreams() returns the form's upstreams, made by upstreamFields, and more() the
// endpoint's other settings that affect calls.
export function probes(probe, { upstreams, more, failed }) {
  // ask resolves with the API's answer about the upstream u. The draft for the API has only u: if
  // another upstream were incomplete, the API would refuse the draft.
  const ask = async (what, u) => {
    // Only a press asks: a half-typed address is somebody else's (https://api.openai.co), and a
    // request at each letter would send the key there. A stored key goes only to the host of its
    // seal.
    const upstream = u.read();
    try {
      return await probe(what, { upstream: upstream.name, draft: { upstreams: [upstream], ...more() } });
    } catch (error) {
      if (error.status === undefined) throw error;
      const here = (text) => text?.replace("upstreams[0]", `upstreams[${upstreams().indexOf(u)}]`);
      throw new Failure(error.status, here(error.message), here(error.path));
    }
  };
  const wrong = (u, { status, problem }) => `${u.read().name}: ${problem}${status ? ` (${status})` : ""}`;
  const models = async (u) => {
    show(failed);
    if (!good(controlsOf(u))) return undefined;
    try {
      const answer = await ask("models", u);
      if (answer.ok) return answer.models;
      show(failed, notice("bad", wrong(u, answer)));
    } catch (error) {
      explain(failed, error, u.element.closest("form"));
    }
    return undefined;
  };
  const results = h("ul", { class: "results", role: "status" });
  const test = async () => {
    if (!good(upstreams().flatMap(controlsOf))) return;
    show(results);
    for (const u of upstreams()) {
      const { name } = u.read();
      const item = h("li", { class: "quiet" }, `${name}: testing …`);
      results.append(item);
      const tell = (tone, text) => Object.assign(item, { className: tone, textContent: text });
      try {
        const answer = await ask("test", u);
        if (answer.ok) tell("good", `${name}: works, ${answer.milliseconds} ms`);
        else tell("bad", wrong(u, answer));
      } catch (error) {
        if (error.status === undefined) throw error;
        tell("bad", `${name}: ${error.message}`);
      }
    }
  };
  const about =
    "Requests each upstream's list of models, with the settings and the key in this form. Costs " +
    "nothing, and saves nothing.";
  const card = h(
    "div",
    { class: "card test" },
    h("div", null, h("h2", null, "Test"), h("p", { class: "hint" }, about)),
    button("Test the upstreams", test),
    results,
  );
  return { models, card };
}

const controlsOf = ({ element }) => [...element.querySelectorAll("input, select, textarea")];
