// Questions that stand in the way until they are answered.
import { busy, h } from "./dom.mjs";
import { explain } from "./notice.mjs";

// ask opens a dialog of content and a button that runs act, which gets what the form holds. It resolves with what act returned,
// or undefined where nobody wanted to.
export function ask({ title, content, action, danger = false, act }) {
  return new Promise((resolve) => {
    const before = document.activeElement;
    const failed = h("div");
    const go = h("button", { class: danger ? "danger" : "primary" }, action);
    const form = h(
      "form",
      {
        onsubmit: (event) => {
          event.preventDefault();
          busy(go, async () => {
            try {
              close(await act(form));
            } catch (error) {
              explain(failed, error, form);
            }
          });
        },
      },
      h("h2", { id: "question" }, title),
      content,
      failed,
      h("div", { class: "actions" }, h("button", { type: "button", onclick: () => close() }, "Cancel"), go),
    );
    const dialog = h("dialog", { "aria-labelledby": "question", oncancel: () => close() }, form);
    const close = (result) => {
      dialog.remove();
      (before?.isConnected ? before : document.querySelector("main h1"))?.focus(); // act may have drawn all anew
      resolve(result);
    };
    document.body.append(dialog);
    dialog.showModal();
  });
}
