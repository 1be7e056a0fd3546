// Deeply nested JSON: the module's stacks are small, so the limit is 128 levels, and deeper JSON is
// refused before the stack overflows.
import assert from "node:assert/strict";
import { beforeEach, describe } from "node:test";
import { ask, errorOf } from "../lib/client.mjs";
import { fixture, test } from "../lib/fixture.mjs";
import { PATHS, PROTOCOLS, smallest, upstreams } from "../lib/turns.mjs";

const LIMIT = 128;
const TRAPPED = /edgelingua failed on this request/;
const done = { text: "ok", calls: [], usage: { input: 1, cached: 0, output: 1 } };

// nested returns the text of an object with depth levels.
const nested = (depth) => `${'{"a":'.repeat(depth - 1)}{}${"}".repeat(depth - 1)}`;

// The positions of JSON of any depth in a request, and the number of levels around the JSON. The
// JSON replaces "MARK", or its text in a string replaces "QUOTED".
const places = {
  anthropic: {
    "a tool's schema": [
      4,
      { tools: [{ name: "deep", input_schema: { type: "object", properties: "MARK" } }] },
    ],
    "a call's arguments": [
      5,
      {
        messages: [
          { role: "user", content: "hi" },
          { role: "assistant", content: [{ type: "tool_use", id: "call_1", name: "deep", input: "MARK" }] },
          { role: "user", content: [{ type: "tool_result", tool_use_id: "call_1", content: "ok" }] },
        ],
      },
    ],
    "an unknown field": [1, { unknown: "MARK" }],
  },
  chat: {
    "a tool's schema": [
      5,
      {
        tools: [
          {
            type: "function",
            function: { name: "deep", parameters: { type: "object", properties: "MARK" } },
          },
        ],
      },
    ],
    "a call's arguments": [
      0,
      {
        messages: [
          { role: "user", content: "hi" },
          {
            role: "assistant",
            content: null,
            tool_calls: [{ id: "call_1", type: "function", function: { name: "deep", arguments: "QUOTED" } }],
          },
          { role: "tool", tool_call_id: "call_1", content: "ok" },
        ],
      },
    ],
    "an unknown field": [1, { unknown: "MARK" }],
  },
  responses: {
    "a tool's schema": [
      4,
      {
        tools: [
          {
            type: "function",
            name: "deep",
            parameters: { type: "object", properties: "MARK" },
            strict: false,
          },
        ],
      },
    ],
    "a call's arguments": [
      0,
      {
        input: [
          { role: "user", content: "hi" },
          { type: "function_call", call_id: "call_1", name: "deep", arguments: "QUOTED" },
          { type: "function_call_output", call_id: "call_1", output: "ok" },
        ],
      },
    ],
    "an unknown field": [1, { unknown: "MARK" }],
  },
};

const errorIn = (client, answer) => {
  if (client === "anthropic") return errorOf(answer, 400, "invalid_request_error");
  assert.equal(answer.status, 400, answer.text);
  const { error } = JSON.parse(answer.text);
  assert.equal(error.type, "invalid_request_error");
  return error;
};

for (const upstream of PROTOCOLS) {
  describe(`to ${upstream}`, () => {
    const f = fixture({ UPSTREAM_PROTOCOL: upstream });
    beforeEach(() => f.up.serve((x) => upstreams[upstream].play(x, done)));

    for (const client of PROTOCOLS.filter((client) => client !== upstream)) {
      const send = (body) => ask(f.url, { path: PATHS[client], body });

      // works asserts that the worker serves the next request.
      const works = async () => {
        f.up.serve((x) => upstreams[upstream].play(x, done));
        const { status, text } = await send(smallest[client]());
        assert.equal(status, 200, text);
      };

      for (const [place, [around, more]] of Object.entries(places[client])) {
        const template = JSON.stringify(smallest[client](more));
        const body = (depth) => {
          const text = nested(depth - around);
          return template.replace('"MARK"', () => text).replace('"QUOTED"', () => JSON.stringify(text));
        };

        for (const depth of [LIMIT - 1, LIMIT]) {
          test(`${client}, ${depth} levels in ${place}`, async () => {
            const { status, text } = await send(body(depth));
            assert.equal(status, 200, text);
            const [{ json }] = f.up.requests;
            if (place === "a tool's schema")
              assert.deepEqual(
                upstreams[upstream].read(json).tools[0].schema.properties,
                JSON.parse(nested(depth - around)),
              );
            if (place === "a call's arguments")
              assert.deepEqual(
                upstreams[upstream].read(json).calls[0].input,
                JSON.parse(nested(depth - around)),
              );
          });
        }

        for (const depth of [LIMIT + 1, 10_000]) {
          test(`${client}, ${depth} levels in ${place}`, async () => {
            const answer = await send(body(depth));
            if (around === 0) {
              // For the translator, arguments in a string are text: a model's mistake must not end
              // the session.
              assert.equal(answer.status, 200, answer.text);
              assert.deepEqual(upstreams[upstream].read(f.up.requests[0].json).calls[0].input, {
                invalid_arguments: nested(depth),
              });
            } else {
              errorIn(client, answer);
              assert.equal(f.up.requests.length, 0);
            }
            await works();
          });
        }
      }

      for (const depth of [LIMIT, LIMIT + 1, 10_000]) {
        test(`${client}, an answer of ${depth} levels`, async () => {
          // No answer has such members. Up to the limit the answer fails because of missing
          // members, above the limit because of its depth.
          const answer = `{"deep":${nested(depth - 1)}}`;
          for (const stream of [false, true]) {
            f.up.serve((x) => (stream ? x.stream([`data: ${answer}\n\n`]) : x.answer(200, answer)));
            const { status, text } = await send(smallest[client]({ stream }));
            assert.equal(status, stream ? 200 : 502, text);
            assert.match(text, /"error"/);
            assert.doesNotMatch(text, TRAPPED);
          }
          await works();
        });
      }

      for (const depth of [100, LIMIT + 1, 1000]) {
        for (const stream of [false, true]) {
          test(`${client}, a call with arguments of ${depth} levels, ${stream ? "streamed" : "plain"}`, async () => {
            const calls = [{ id: "call_1", name: "deep", input: JSON.parse(nested(depth)) }];
            f.up.serve((x) => upstreams[upstream].play(x, { text: "", calls, usage: done.usage }));
            const offered = JSON.parse(
              JSON.stringify(places[client]["a tool's schema"][1]).replace('"MARK"', "{}"),
            );
            const { status, text } = await send(smallest[client]({ stream, ...offered }));
            assert.doesNotMatch(text, TRAPPED);
            // Above the limit an answer succeeds only if the arguments stay in a string.
            if (depth < LIMIT) assert.equal(status, 200, text);
            else assert.ok(status === 200 || status === 502, text);
            await works();
          });
        }
      }
    }
  });
}
