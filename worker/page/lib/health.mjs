// The health of an upstream, in words.
const STATUSES = {
  0: "no answer",
  401: "invalid key",
  402: "payment required",
  403: "not allowed",
  404: "not found",
  408: "timeout",
  429: "rate limit",
  529: "overloaded",
};

// times returns a number with a word, which gets an s unless the number is 1.
export const times = (n, word) => `${n.toLocaleString()} ${n === 1 ? word : `${word}s`}`;

// lasting formats a number of seconds.
const lasting = (seconds) => (seconds < 120 ? `${seconds} s` : `${Math.round(seconds / 60)} min`);

function reason(status) {
  const words = STATUSES[status] ?? (status >= 500 ? "server error" : "");
  return [status || "", words].filter(Boolean).join(" ");
}

// healthOf says how an upstream does: an upstream of the answer of GET /admin/api/health, or of
// GET /admin/api/overview. now is the time in seconds.
export function healthOf({ state, until, failures = 0, status }, now) {
  if (state === "unknown") return "usage is not counted";
  if (state === "resting") {
    const after = failures > 0 ? `after ${times(failures, "failure")}` : "after failures";
    const what = status === undefined ? "" : `: ${reason(status)}`;
    return until === undefined
      ? `cooling down ${after}${what}`
      : `cooling down for ${lasting(Math.max(Math.ceil(until - now), 1))} ${after}${what}`;
  }
  if (state === "failing")
    return `${failures > 1 ? `${failures} failures in a row` : "has failed"}: ${reason(status ?? 0)}`;
  return "answers";
}
