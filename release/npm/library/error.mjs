// TranslationError is an error as the client gets it: answer with its status and its body, which is
// JSON in the client's protocol.
export class TranslationError extends Error {
  constructor({ status, body }) {
    super(messageOf(body) ?? `status ${status}`);
    this.name = "TranslationError";
    this.status = status;
    this.body = body;
  }
}

// messageOf returns the message in the body of an error, undefined where it has none: one that
// passes may be anything.
function messageOf(body) {
  try {
    const { message } = JSON.parse(body).error;
    return typeof message === "string" ? message : undefined;
  } catch {
    return undefined;
  }
}
