// The choice of a preset, as chips: the popular ones first, the others in groups.
import { h } from "../lib/dom.mjs";
import { other } from "../lib/other.mjs";
import { presets } from "./presets.mjs";

const POPULAR = ["openai", "anthropic", "openrouter", "cloudflare", "ollama", "groq", "deepseek", "google"];
const GROUPS = [
  ["Clouds", /^(azure|bedrock|vertex|alibaba)/],
  ["Your own machine", /^(vllm|lmstudio)$/],
  ["Other services", /./],
];

// groupOf returns the name of a preset's group.
const groupOf = ({ id }) => GROUPS.find(([, ids]) => ids.test(id))[0];

// presetList returns the choice. start(preset) is called with the chosen preset. The first one is
// chosen at the beginning.
export function presetList(start) {
  const popular = POPULAR.map((id) => presets.find((preset) => preset.id === id));
  const rest = presets.filter((preset) => preset !== other && !popular.includes(preset));
  const chip = (preset) =>
    h(
      "label",
      null,
      h("input", {
        type: "radio",
        name: "preset",
        value: preset.id,
        checked: preset === popular[0],
        onchange: () => start(preset),
      }),
      h("span", null, preset.title),
    );
  return h(
    "fieldset",
    { class: "presets" },
    h("legend", null, "Upstream"),
    [...popular, other].map(chip),
    h(
      "details",
      null,
      h("summary", null, `${rest.length} more`),
      GROUPS.map(([name]) =>
        h(
          "div",
          { class: "presets", role: "group", "aria-label": name },
          h("h3", null, name),
          rest.filter((preset) => groupOf(preset) === name).map(chip),
        ),
      ),
    ),
  );
}
