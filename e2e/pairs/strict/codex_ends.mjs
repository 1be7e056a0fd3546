// How sessions of Codex break off: Codex acts on the code of an error, which must be OpenAI's whoever the upstream is.
import assert from "node:assert/strict";
import * as chunks from "../../lib/chat.mjs";
import { test } from "../../lib/fixture.mjs";
import * as gemini from "../../lib/gemini.mjs";
import * as interactions from "../../lib/interactions.mjs";
import { event, failure } from "../../lib/messages.mjs";
import { Codex, Failed } from "../../lib/strict/codex.mjs";

const usage = { input: 11, cached: 0, output: 7 };

const openAI = (code, message, type = "invalid_request_error") => ({ error: { message, type, param: null, code } });

// failures has the codes on which Codex acts, and what each vendor answers in such a case. For an error in front of an answer
// Codex sees from the status whether to try again: with a 500 OpenAI sends no code.
const failures = [
  { code: "context_length_exceeded", anthropic: [400, "invalid_request_error", "prompt is too long: 9 tokens > 8 maximum"], openai: [400, "context_length_exceeded"], gemini: [400, "INVALID_ARGUMENT", "The input token count (9) exceeds the maximum number of tokens allowed (8)."], interactions: [400, "invalid_request", "The input token count (9) exceeds the maximum number of tokens allowed (8)."] },
  { code: "rate_limit_exceeded", anthropic: [429, "rate_limit_error"], openai: [429, "rate_limit_exceeded"], gemini: [429, "RESOURCE_EXHAUSTED"], interactions: [429, "rate_limit_exceeded"] },
  { code: "server_is_overloaded", anthropic: [529, "overloaded_error"], openai: [503, "server_is_overloaded"], gemini: [503, "UNAVAILABLE"], interactions: [503, "service_unavailable"] },
  { code: "insufficient_quota", anthropic: [400, "invalid_request_error", "Your credit balance is too low"], openai: [429, "insufficient_quota"], gemini: [429, "RESOURCE_EXHAUSTED", "Your prepayment funds are depleted."], interactions: [402, "payment_required", "Your Prepay credit balance is depleted."] },
  { code: "server_error", anthropic: [500, "api_error"], openai: [500, "server_error"], gemini: [500, "INTERNAL"], interactions: [500, "api_error"] },
];

// begun has the chunks of a stream in front of its failure.
const begun = {
  anthropic: [
    event("message_start", { message: { id: "msg_1", type: "message", role: "assistant", model: "m", content: [], stop_reason: null, stop_sequence: null, usage: { input_tokens: 1, output_tokens: 1 } } }),
    event("content_block_start", { index: 0, content_block: { type: "text", text: "" } }),
    event("content_block_delta", { index: 0, delta: { type: "text_delta", text: "Half" } }),
  ],
  chat: [chunks.role, chunks.text("Half")],
  gemini: [gemini.data(gemini.chunk("gem-1", [{ text: "Half" }]))],
  interactions: [...interactions.begun, ...interactions.texts(0, "Half")],
  responses: [event("response.created", { sequence_number: 0, response: { id: "resp_1", object: "response", created_at: 1, model: "m", status: "in_progress", output: [], tools: [] } })],
};

// inCall has the chunks of a stream that reaches the limit in the free text of a call.
const inCall = {
  anthropic: [
    ...begun.anthropic.slice(0, 1),
    event("content_block_start", { index: 0, content_block: { type: "tool_use", id: "toolu_1", name: "apply_patch", input: {} } }),
    event("content_block_delta", { index: 0, delta: { type: "input_json_delta", partial_json: '{"input":"*** Delete' } }),
    event("content_block_stop", { index: 0 }),
    event("message_delta", { delta: { stop_reason: "max_tokens", stop_sequence: null }, usage: { output_tokens: 7 } }),
    event("message_stop", {}),
  ],
  chat: [chunks.role, chunks.call(0, { id: "call_1", type: "function", function: { name: "apply_patch", arguments: '{"input":"*** Delete' } }), chunks.finish("length"), chunks.done],
  gemini: [
    { functionCall: { id: "call_1", name: "apply_patch", willContinue: true } },
    { functionCall: { id: "call_1", partialArgs: [{ jsonPath: "$.input", stringValue: "*** Delete", willContinue: true }], willContinue: true } },
  ]
    .map((part) => gemini.data(gemini.chunk("gem-1", [part])))
    .concat(gemini.data(gemini.chunk("gem-1", [], { candidate: { finishReason: "MAX_TOKENS" } }))),
  interactions: [...interactions.begun, ...interactions.call(0, { id: "call_1", name: "apply_patch" }, '{"input":"*** Delete'), interactions.ended("incomplete")],
};

// failing returns the chunks of the failure itself.
const failing = {
  anthropic: (code, message) => [event("error", failure(code, message))],
  chat: (code, message) => [chunks.data(openAI(code, message))],
  gemini: (status, message, code) => [gemini.data(gemini.failure(code, status, message))],
  interactions: (status, message) => [interactions.event("error", interactions.failure(status, message))],
  responses: (code, message) => [
    event("response.failed", { sequence_number: 1, response: { id: "resp_1", object: "response", created_at: 1, model: "m", status: "failed", error: { code, message }, output: [], tools: [] } }),
  ],
};

export function ends(upstreams) {
  for (const { name, protocol, url, serve } of Object.values(upstreams).map(fixed)) {
    const fails = async (turn, code) => {
      serve([turn]);
      const err = await new Codex(url(), "gpt-5.5").say("Go on.").then((text) => assert.fail(`an answer: ${text}`), (err) => err);
      assert.ok(err instanceof Failed, err.stack);
      if (code) assert.equal(err.code, code, err.message);
      return err;
    };

    for (const { code, ...vendors } of failures) {
      const [said, word, words = "Try again in 1.2s."] = vendors[protocol] ?? vendors.openai;

      test(`${name}: ${code} in front of an answer`, async () => {
        const body = { anthropic: failure(word, words), gemini: gemini.failure(said, word, words), interactions: interactions.failure(word, words) }[protocol] ?? openAI(word, words);
        const { message } = await fails((x) => x.answer(said, body), said !== 500 && code);
        assert.ok(message.startsWith(`${said === 529 ? 503 : said}: `) && message.includes(words), message);
      });

      test(`${name}: ${code} in the middle of one`, async () => {
        const { message } = await fails((x) => x.stream([...begun[protocol], ...failing[protocol](word, words, said)]), code);
        assert.ok(message.includes(words), message);
      });
    }

    const passes = protocol === "responses" && "bytes pass: the stream ends as the upstream's does";
    test(`${name}: an answer that is cut`, { skip: passes }, () => fails((x) => x.stream(begun[protocol]), "server_error"));

    test(`${name}: the limit`, () => fails({ text: "Half", calls: [], stop: "length", usage }, "incomplete"));

    test(`${name}: the limit in a call`, { skip: passes }, () => fails((x) => x.stream(inCall[protocol]), "incomplete"));

    // Anthropic's stop_reason "refusal" and Google's SAFETY are about the whole answer, as OpenAI's content_filter is: Codex shows it to its user.
    test(`${name}: a refusal`, async () => {
      const refusal = { text: "", refusal: "I can't.", calls: [], usage };
      if (["anthropic", "gemini"].includes(protocol)) return assert.match((await fails(refusal, "incomplete")).message, /content_filter/);
      serve([refusal]);
      assert.equal(await new Codex(url(), "gpt-5.5").say("Go on."), "I can't.");
    });
  }
}

const fixed = (upstream) => ({ ...upstream, url: () => upstream.url });
