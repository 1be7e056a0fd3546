// Controls for the option web_search (docs/websearch.md).
import { field, h, select } from "../lib/dom.mjs";

const PROVIDERS = [
  ["", "nowhere: only upstreams search"],
  ["brave", "Brave"],
  ["tavily", "Tavily"],
  ["exa", "Exa"],
  ["searxng", "SearXNG"],
];

// webSearchFields returns { elements, into } of the option's controls. set is the current option,
// or undefined. kept: the provider has a key, which the API does not show. into(options) returns
// options with the values of the controls.
export function webSearchFields(set, kept) {
  const provider = select(PROVIDERS, set?.provider ?? "");
  const url = h("input", { type: "url", spellcheck: "false", autocomplete: "off", value: set?.url ?? "" });
  const key = h("input", {
    type: "password",
    autocomplete: "new-password",
    placeholder: kept ? "unchanged" : "",
  });
  const uses = h("input", { inputmode: "numeric", value: set?.max_uses ?? "" });
  const price = h("input", { inputmode: "decimal", value: set?.price ?? "" });
  const at = (name) => `options.web_search${name}`;
  const [urlField, keyField, usesField, priceField] = [
    field("SearXNG address", url, {
      hint: "The base URL. SearXNG must answer in JSON: search.formats in its settings.yml.",
      path: at(".url"),
    }),
    field("Provider key", key, {
      hint: "Stored encrypted, and never shown. Sent to no other provider.",
      path: at(".key"),
    }),
    field("Maximum searches per answer", uses, { hint: "From 1 to 20. Default 5.", path: at(".max_uses") }),
    field("US dollars per 1,000 searches", price, {
      hint: "Part of costs and budgets. Default: the provider's list price.",
      path: at(".price"),
    }),
  ];
  const arrange = () => {
    urlField.hidden = provider.value !== "searxng";
    keyField.hidden = provider.value === "" || provider.value === "searxng";
    usesField.hidden = priceField.hidden = provider.value === "";
  };
  provider.addEventListener("input", arrange);
  arrange();
  const into = ({ web_search: _, ...options }) => {
    if (provider.value === "") return options;
    const said = { provider: provider.value };
    const add = (name, text, value) => {
      if (text !== "") said[name] = value;
      else if (set?.[name] !== undefined) said[name] = null; // a merge patch would keep the old value
    };
    add("url", urlField.hidden ? "" : url.value.trim(), url.value.trim());
    const number = ({ value }) => (Number.isNaN(Number(value)) ? value : Number(value));
    add("max_uses", uses.value.trim(), number(uses));
    add("price", price.value.trim(), number(price));
    if (!keyField.hidden && key.value) said.key = key.value.trim();
    return { ...options, web_search: said };
  };
  const label = ["Where web searches go ", h("code", { class: "quiet" }, "web_search")];
  const chosen = field(label, provider, {
    hint: "For clients whose upstream can't search the web.",
    path: at(".provider"),
  });
  return { elements: [chosen, urlField, keyField, usesField, priceField], into };
}
