// A reporter of node:test: the tests that failed, each with its file, line and error. The reporter "tap"
// prints each failure where it happens, thousands of lines before the end.

export default async function* failed(events) {
  for await (const { type, data } of events) {
    if (type !== "test:fail" || data.todo) continue;
    const { failureType, cause } = data.details.error;
    if (failureType === "subtestsFailed") continue; // its subtests have been reported
    const error = String(cause?.stack ?? cause ?? failureType);
    yield `not ok: ${data.name}\n  at ${data.file}:${data.line}\n${error.replace(/^/gm, "  ")}\n`;
  }
}
