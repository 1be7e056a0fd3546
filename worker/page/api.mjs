// Calls to the Admin API and the owner API, which worker/admin/openapi.json describes. The key goes as a header, and nowhere else.

// Failure is the error of a call that failed. status is that of the answer, 0 where no answer came; path is that of the wrong field,
// undefined where the API names none.
export class Failure extends Error {
  constructor(status, message, path) {
    super(message);
    this.status = status;
    this.path = path;
  }
}

// Api calls one of the two APIs with a key.
export class Api {
  #base;
  #key;

  constructor(base, key) {
    this.#base = base;
    this.#key = key;
  }

  // call resolves with the answer's JSON, null where it has none. With rev the call fails if the endpoint is at another revision.
  async call(method, path, { body, rev } = {}) {
    const headers = { authorization: `Bearer ${this.#key}` };
    if (body !== undefined) headers["content-type"] = "application/json";
    if (rev !== undefined) headers["if-match"] = `"${rev}"`;
    const answer = await reach(this.#base + path, { method, headers, body: body === undefined ? undefined : JSON.stringify(body) });
    const text = await answer.text().catch(() => Promise.reject(lost()));
    const json = parse(text);
    if (answer.ok) return json;
    const { message = `The server answered ${answer.status}.`, path: at } = json?.error ?? {};
    throw new Failure(answer.status, message, at);
  }
}

// reach is fetch for this deployment, without cookies. It throws a Failure where no answer comes.
export async function reach(url, options) {
  try {
    return await fetch(url, { ...options, credentials: "omit", cache: "no-store", redirect: "error" });
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
