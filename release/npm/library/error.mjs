// TranslationError is an error for the client. Answer the client with its status and its body, JSON
// in the client's protocol.
export class TranslationError extends Error {
  constructor({ status, body }, options) {
    super(messageOf(body) ?? `status ${status}`, options);
    this.name = "TranslationError";
    this.status = status;
    this.body = body;
  }
}

// messageOf returns the message in the body of an error, or undefined if the body has no message:
// the body of an untranslated error may be anything.
export function messageOf(body) {
  try {
    const { error, response } = JSON.parse(body);
    const { message } = error ?? response?.error ?? JSON.parse(body);
    return typeof message === "string" ? message : undefined;
  } catch {
    return undefined;
  }
}
