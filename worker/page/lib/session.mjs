// The session of this browser. The key is typed and sent once to open a session, and not stored.
// Scripts can't read the session cookie.
import { busy, field, h, show } from "./dom.mjs";
import { notice } from "./notice.mjs";

// Session asks for the key if the user is not signed in, and shows the page to a signed-in user.
export class Session {
  #root;
  #api;
  #ask;
  #open;

  // ask is { title, about, label, hint, wrong } of the form. wrong replaces the API's message for a
  // wrong key. open(key) shows the page. key is the key just typed, or undefined if the browser was
  // signed in before. If a call fails, open throws a Failure.
  constructor(root, api, { ask, open }) {
    this.#root = root;
    this.#api = api;
    this.#ask = ask;
    this.#open = open;
  }

  async start() {
    await this.#try(async () => {
      const { expires } = await this.#api.call("GET", "/session");
      if (expires === null) this.#form();
      else await this.#open();
    });
  }

  // lost asks for the key after a call failed with error, a Failure of status 401.
  lost(error) {
    this.#form(error.message);
  }

  async leave() {
    try {
      await this.#api.call("DELETE", "/session");
      this.#form();
    } catch (error) {
      if (error.status === undefined) throw error;
      this.#form(`You are still signed in: ${error.message}`);
    }
  }

  async #try(act) {
    try {
      await act();
    } catch (error) {
      if (error.status === undefined) throw error;
      this.#form(error.message);
    }
  }

  async #signIn(key) {
    await this.#try(async () => {
      await this.#api.signIn(key).catch((error) => {
        throw error.status === 401 && this.#ask.wrong
          ? Object.assign(error, { message: this.#ask.wrong })
          : error;
      });
      await this.#open(key);
    });
  }

  #form(why) {
    for (const dialog of document.querySelectorAll("dialog")) dialog.remove();
    const { title, about, label, hint } = this.#ask;
    const input = h("input", { type: "password", autocomplete: "off", spellcheck: "false", required: true });
    const go = h("button", { class: "primary" }, "Continue");
    const form = h(
      "form",
      {
        class: "card gate",
        onsubmit: (event) => {
          event.preventDefault();
          form.querySelector(".notice")?.remove(); // the notice is about the previous key
          busy(go, () => this.#signIn(input.value.trim()));
        },
      },
      h("h1", null, title),
      h("p", { class: "quiet" }, about),
      why && notice("bad", why),
      field(label, input, { hint }),
      h("div", { class: "actions" }, go),
    );
    show(
      this.#root,
      h(
        "main",
        { class: "narrow" },
        h(
          "p",
          { class: "brand" },
          h("img", { src: "/page/icon.svg", alt: "", width: 28, height: 28 }),
          "edgelingua",
        ),
        form,
      ),
    );
    input.focus();
  }
}
