// Tabs, with the keys of the ARIA Authoring Practices ("Tabs Pattern").
import { h, id, show } from "./dom.mjs";

// tabs returns { element, open } of tabs, one shown at a time. list is [[name, text, view]]; view()
// returns the content of the tab's panel. at is the name of the first tab to show, or null to show
// none until the caller calls open. onmove(name) is called when the user changes the tab.
export function tabs(label, list, at, onmove) {
  const panel = h("div", { role: "tabpanel", id: id(), class: "panel", tabindex: 0 });
  const buttons = list.map(([name, text]) =>
    h(
      "button",
      {
        type: "button",
        role: "tab",
        id: id(),
        "data-tab": name,
        "aria-controls": panel.id,
        onclick: () => move(name),
      },
      text,
    ),
  );
  const open = (name) => {
    const i = Math.max(
      0,
      list.findIndex(([n]) => n === name),
    );
    buttons.forEach((b, j) => {
      b.setAttribute("aria-selected", String(i === j));
      b.tabIndex = i === j ? 0 : -1;
    });
    panel.setAttribute("aria-labelledby", buttons[i].id);
    show(panel, list[i][2]());
    return buttons[i];
  };
  const move = (name) => {
    open(name).focus();
    onmove?.(name);
  };
  const onkeydown = (event) => {
    const i = buttons.indexOf(document.activeElement);
    const to = { ArrowRight: i + 1, ArrowLeft: i - 1, Home: 0, End: list.length - 1 }[event.key];
    if (to === undefined) return;
    event.preventDefault();
    move(list[(to + list.length) % list.length][0]);
  };
  if (at !== null) open(at);
  return {
    element: h(
      "div",
      null,
      h("div", { role: "tablist", class: "tabs", "aria-label": label, onkeydown }, buttons),
      panel,
    ),
    open: (name) => open(name),
  };
}
