// TranslationError is an error for the client. Answer the client with its status and its body, JSON
// in the client's protocol.
export class TranslationError extends Error {
  constructor({ status, body }) {
    super(messageOf(body) ?? `status ${status}`);
    this.name = "TranslationError";
    this.status = status;
    this.body = body;
  }
}

// messageOf returns the message in the body of an error, or undefined if the body has no message:
// the body of an untranslated error may be anything.
function messageOf(body) {
  try {
    const { message } = JSON.parse(body).error;
    return typeof message === "string" ? message : undefined;
  } catch {
    return undefined;
  }
}
