// The settings of an endpoint in words, for its owner.
import { h } from "../lib/dom.mjs";
import { LIMITS } from "../lib/limits.mjs";

const n = (number) => number.toLocaleString();

// The texts of limits that are not counted. An undefined text is left out.
const OTHERS = {
  models: (names) => ["only the models ", names.map((name, i) => [i > 0 && ", ", h("code", null, name)])],
  over_budget: (what) => what === "next" && "over a budget, requests go to the next upstream",
  unpriced: (what) => what === "allow" && "models without a price do not count in a budget",
};

const list = (items) =>
  h(
    "ul",
    { class: "plain" },
    items.map((item) => h("li", null, item)),
  );

const other = ([name, value]) => [name, ": ", h("code", null, JSON.stringify(value))];

// The names of settings, and functions that return their values in words.
const FACTS = {
  auth: [
    "Keys of clients",
    (auth) => (auth === "forward" ? "clients send their own upstream key" : "keys of this endpoint"),
  ],
  limits: [
    "Limits",
    (limits) => {
      const texts = Object.entries(limits).map(([name, value]) => {
        if (Object.hasOwn(LIMITS, name)) return LIMITS[name][2](value);
        return Object.hasOwn(OTHERS, name) ? OTHERS[name](value) : other([name, value]);
      });
      return texts.some(Boolean) ? list(texts.filter(Boolean)) : "none";
    },
  ],
  usage: ["Usage", (usage) => (usage ? "counted, without contents" : "not counted")],
  head_wait: ["Wait for the head of an answer", (seconds) => `${n(seconds)} s`],
  batch: ["Window of fast streams", (ms) => `${n(ms)} ms`],
  max_output_bytes: ["Buffered part of an answer", (bytes) => `at most ${n(bytes)} bytes`],
  options: ["Options", (options) => h("code", null, JSON.stringify(options))],
};

// factsOf returns [name, value] of each setting of an endpoint that is not its upstreams'.
export const factsOf = (endpoint) =>
  Object.entries(FACTS)
    .filter(([key]) => endpoint[key] !== undefined)
    .map(([key, [name, words]]) => [name, words(endpoint[key])]);
