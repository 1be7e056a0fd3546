// Questions in a modal dialog.
import { busy, h } from "./dom.mjs";
import { explain } from "./notice.mjs";

// ask opens a dialog with content and a button that calls act with the dialog's form. It resolves
// with the result of act, or undefined if the user cancels.
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
      // act may have redrawn the page
      (before?.isConnected ? before : document.querySelector("main h1"))?.focus();
      resolve(result);
    };
    document.body.append(dialog);
    dialog.showModal();
  });
}
