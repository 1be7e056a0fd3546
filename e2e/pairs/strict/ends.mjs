// Answers without a regular end: a refusal, a limit, an error before the answer, or an error in the
// middle of an answer.
import Anthropic from "@anthropic-ai/sdk";
import assert from "node:assert/strict";
import { describe } from "node:test";
import OpenAI from "openai";
import * as chunks from "../../lib/chat.mjs";
import { params, sdk } from "../../lib/client.mjs";
import { test } from "../../lib/fixture.mjs";
import { event, failure, message as messageOf } from "../../lib/messages.mjs";
import { PROTOCOLS, openai, smallest } from "../../lib/turns.mjs";

const usage = { input: 11, cached: 0, output: 7 };

// run sends a request with an SDK, and returns the result of the SDK.
const run = {
  anthropic: (url, stream) =>
    stream ? sdk(url).messages.stream(params()).finalMessage() : sdk(url).messages.create(params()),
  chat: (url, stream) => {
    const { completions } = openai(url).chat;
    return stream
      ? completions.stream(smallest.chat()).finalChatCompletion()
      : completions.create(smallest.chat());
  },
  responses: (url, stream) => {
    const request = smallest.responses({ store: false });
    const { responses } = openai(url);
    return stream ? responses.stream(request).finalResponse() : responses.create(request);
  },
};

const refused = {
  anthropic: ({ stop_reason, content }) =>
    assert.deepEqual([stop_reason, content[0].text], ["refusal", "I can't."]),
  chat: ({ choices: [{ message }] }) => assert.equal(message.refusal ?? message.content, "I can't."),
  responses: ({
    output: [
      {
        content: [part],
      },
    ],
  }) => assert.equal(part.refusal ?? part.text, "I can't."),
};

const limited = {
  anthropic: ({ stop_reason, content }) =>
    assert.deepEqual([stop_reason, content[0].text], ["max_tokens", "Half of"]),
  chat: ({ choices: [{ message, finish_reason }] }) =>
    assert.deepEqual([finish_reason, message.content], ["length", "Half of"]),
  responses: ({ status, incomplete_details, output_text }) =>
    assert.deepEqual(
      [status, incomplete_details.reason, output_text],
      ["incomplete", "max_output_tokens", "Half of"],
    ),
};

const openAIError = (type, message) => ({ error: { message, type, param: null, code: null } });

// errors has the errors of each upstream: the body of an error with a status, and a stream that
// breaks off.
const errors = {
  anthropic: {
    body: (type, message) => failure(type, message),
    stream: (message) => [
      event("message_start", { message: messageOf({ usage: { input_tokens: 1, output_tokens: 1 } }) }),
      event("content_block_start", { index: 0, content_block: { type: "text", text: "" } }),
      event("content_block_delta", { index: 0, delta: { type: "text_delta", text: "Half" } }),
      event("error", failure("api_error", message)),
    ],
  },
  chat: {
    body: openAIError,
    stream: (message) => [
      chunks.role,
      chunks.text("Half"),
      chunks.data(openAIError("server_error", message)),
    ],
  },
  responses: {
    body: openAIError,
    stream: (message) => [
      event("response.created", {
        sequence_number: 0,
        response: {
          id: "resp_1",
          object: "response",
          created_at: 1,
          model: "m",
          status: "in_progress",
          output: [],
          tools: [],
        },
      }),
      event("error", { sequence_number: 1, code: "server_error", message, param: null }),
    ],
  },
};

const classes = { anthropic: Anthropic, chat: OpenAI, responses: OpenAI };

// before has statuses, the vendors' names of these errors, and the class of the error in both SDKs.
const before = [
  [400, "invalid_request_error", "BadRequestError"],
  [401, "authentication_error", "AuthenticationError"],
  [404, "not_found_error", "NotFoundError"],
  [429, "rate_limit_error", "RateLimitError"],
  [500, "api_error", "InternalServerError"],
];

export function ends({ anthropic, chat, responses }) {
  for (const upstream of [anthropic, chat, responses]) {
    describe(`ends of ${upstream.name}`, () => {
      for (const client of PROTOCOLS) {
        for (const stream of [true, false]) {
          const name = `${client}, ${stream ? "streamed" : "plain"}`;

          test(`${name}, a refusal`, async () => {
            upstream.serve([{ text: "", refusal: "I can't.", calls: [], usage }]);
            refused[client](await run[client](upstream.url, stream));
          });

          test(`${name}, the limit`, async () => {
            upstream.serve([{ text: "Half of", calls: [], stop: "length", usage }]);
            limited[client](await run[client](upstream.url, stream));
          });

          test(`${name}, errors in front of the answer`, async () => {
            for (const [status, type, kind] of before) {
              upstream.serve([
                (x) => x.answer(status, errors[upstream.protocol].body(type, `Said with ${status}.`)),
              ]);
              const err = await thrown(run[client](upstream.url, stream));
              assert.ok(err instanceof classes[client][kind], `${status}: ${err.stack}`);
              assert.match(err.message, new RegExp(`Said with ${status}\\.`));
            }
          });
        }

        test(`${client}, an error in the middle of a stream`, async () => {
          upstream.serve([(x) => x.stream(errors[upstream.protocol].stream("Broke in half."))]);
          const err = await thrown(run[client](upstream.url, true));
          assert.ok(err instanceof classes[client].APIError, err.stack);
          assert.match(err.message, /Broke in half\./);
        });
      }
    });
  }
}

const thrown = (running) =>
  running.then(
    (answer) => assert.fail(`an answer: ${JSON.stringify(answer)}`),
    (err) => err,
  );
