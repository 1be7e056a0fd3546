// Tests of the strict upstreams' rules: each must refuse what breaks it.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { Refusal } from "./shape.mjs";

// rules runs rows of [what is wrong, the change to a good request, what the refusal says].
export function rules(name, { check, refusal }, issued, good, rows, options) {
  describe(name, () => {
    test("a good request", () => check(good(), issued, options));
    for (const [wrong, change, says] of rows) {
      test(wrong, () => {
        const body = good();
        change(body);
        assert.throws(
          () => check(body, issued, options),
          (err) => {
            assert.ok(err instanceof Refusal, err.stack);
            assert.match(refusal(err).error.message, says);
            return true;
          },
        );
      });
    }
  });
}
