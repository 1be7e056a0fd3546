// Calls to the Admin API and the owner API, which worker/admin/openapi.json describes. The
// session's cookie goes along with them, and with no other request of the page.

// Failure is the error of a call that failed. status is that of the answer, 0 where no answer came;
// path is that of the wrong field, undefined where the API names none.
export class Failure extends Error {
  constructor(status, message, path) {
    super(message);
    this.status = status;
    this.path = path;
  }
}

// Api calls one of the two APIs, in the session of this browser.
export class Api {
  #base;

  constructor(base) {
    this.#base = base;
  }

  // signIn opens a session with a key. This is the only call with which a key goes.
  async signIn(key) {
    await this.call("POST", "/session", { key });
  }

  // call resolves with the answer's JSON, null where it has none. With rev the call fails if the
  // endpoint is at another revision.
  async call(method, path, { body, rev, key } = {}) {
    const headers = { "x-edgelingua-page": `${location.origin} ${secret()}` };
    if (key !== undefined) headers.authorization = `Bearer ${key}`;
    if (body !== undefined) headers["content-type"] = "application/json";
    if (rev !== undefined) headers["if-match"] = `"${rev}"`;
    const answer = await reach(this.#base + path, {
      method,
      headers,
      body: body === undefined ? undefined : JSON.stringify(body),
      credentials: "same-origin",
    });
    const text = await answer.text().catch(() => Promise.reject(lost()));
    const json = parse(text);
    if (answer.ok) return json;
    const { message = `The server answered ${answer.status}.`, path: at } = json?.error ?? {};
    throw new Failure(answer.status, message, at);
  }
}

// secret returns a random text without which a session of this origin is none. Browsers send a
// session's cookie to every port of a host, but give what is in localStorage to one origin alone.
function secret() {
  const kept = localStorage.getItem("edgelingua");
  if (kept) return kept;
  const made = btoa(String.fromCharCode(...crypto.getRandomValues(new Uint8Array(33))));
  localStorage.setItem("edgelingua", made);
  return made;
}

// reach is fetch for this deployment, without cookies unless options say so. It throws a Failure
// where no answer comes.
export async function reach(url, options) {
  try {
    return await fetch(url, { credentials: "omit", ...options, cache: "no-store", redirect: "error" });
  } catch (error) {
    throw options?.signal?.aborted ? error : lost();
  }
}

const lost = () => new Failure(0, "The server can't be reached. Check your connection, and try again.");

// parse returns what a text of JSON holds, null for any other text.
export function parse(text) {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
