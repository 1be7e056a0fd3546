// Calls of the Admin API and the owner API (worker/admin/openapi.json). Only these calls send the
// session cookie.

// Failure is the error of a failed call. status is the HTTP status, or 0 without an answer. path
// names the invalid field, if the API names one.
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
  // the endpoint that the local host records (--record), as far as an answer has named one: "" is the
  // deployment's own
  recorded;

  constructor(base) {
    this.#base = base;
  }

  // signIn opens a session. No other call sends the key.
  async signIn(key) {
    await this.call("POST", "/session", { key });
  }

  // call resolves with the JSON of the answer, or null for an empty one. With rev, the call fails
  // if the endpoint has another revision.
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
    this.recorded = answer.headers.get("x-edgelingua-recorded") ?? this.recorded;
    if (answer.ok) return json;
    const { message = `The server answered ${answer.status}.`, path: at } = json?.error ?? {};
    throw new Failure(answer.status, message, at);
  }
}

// secret returns a random text that binds the session to this origin. Browsers send a cookie to
// every port of a host, but localStorage belongs to one origin.
function secret() {
  const kept = localStorage.getItem("edgelingua");
  if (kept) return kept;
  const made = btoa(String.fromCharCode(...crypto.getRandomValues(new Uint8Array(33))));
  localStorage.setItem("edgelingua", made);
  return made;
}

// reach is fetch for this deployment, without cookies unless options include them. Without an
// answer it throws a Failure.
export async function reach(url, options) {
  try {
    return await fetch(url, { credentials: "omit", ...options, cache: "no-store", redirect: "error" });
  } catch (error) {
    throw options?.signal?.aborted ? error : lost();
  }
}

const lost = () => new Failure(0, "The server can't be reached. Check your connection, and try again.");

// parse returns the value of a JSON text, or null for invalid JSON.
export function parse(text) {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
