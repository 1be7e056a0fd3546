// The key of this tab: typed, kept in sessionStorage until the tab closes, and never put into an address.
import { busy, field, h, show } from "./dom.mjs";
import { notice } from "./notice.mjs";

// Session asks for the key, and shows the page once the API takes that.
export class Session {
  #root;
  #place;
  #ask;
  #open;

  // place tells keys of different pages apart. ask is { title, about, label, wrong } of the form; wrong is shown for a wrong key in place of
  // the API's message. open(key) shows the page; it throws a Failure, with status 401 or 403 where the API does not take the key.
  constructor(root, { place, ask, open }) {
    this.#root = root;
    this.#place = `edgelingua ${place}`;
    this.#ask = ask;
    this.#open = open;
  }

  async start() {
    const key = sessionStorage.getItem(this.#place);
    if (key) await this.#try(key);
    else this.#form();
  }

  // replace keeps another key from now on.
  replace(key) {
    sessionStorage.setItem(this.#place, key);
  }

  // end forgets the key and asks for one. The form shows error, a Failure, if there is one.
  end(error) {
    sessionStorage.removeItem(this.#place);
    this.#form(error && this.#why(error));
  }

  #why({ status, message }) {
    return (status === 401 && this.#ask.wrong) || message;
  }

  async #try(key) {
    try {
      await this.#open(key);
      this.replace(key);
    } catch (error) {
      if (error.status === undefined) throw error;
      if (error.status === 401 || error.status === 403) sessionStorage.removeItem(this.#place);
      this.#form(this.#why(error));
    }
  }

  #form(why) {
    for (const dialog of document.querySelectorAll("dialog")) dialog.remove();
    const { title, about, label } = this.#ask;
    const input = h("input", { type: "password", autocomplete: "off", spellcheck: "false", required: true });
    const go = h("button", { class: "primary" }, "Continue");
    const form = h(
      "form",
      {
        class: "card gate",
        onsubmit: (event) => {
          event.preventDefault();
          form.querySelector(".notice")?.remove(); // it is about the key that was typed before
          busy(go, () => this.#try(input.value.trim()));
        },
      },
      h("h1", null, title),
      h("p", { class: "quiet" }, about),
      why && notice("bad", why),
      field(label, input, { hint: "Kept in this tab until you close it." }),
      h("div", { class: "actions" }, go),
    );
    show(this.#root, h("main", { class: "narrow" }, h("p", { class: "brand" }, h("img", { src: "/page/icon.svg", alt: "", width: 28, height: 28 }), "edgelingua"), form));
    input.focus();
  }
}
