// Claude Code with streams of the form that Gemini 3 sends: a text in pieces, then the signature of the
// text, with the finishReason, in a last part with an empty text (recorded from gemini-3-pro-preview). Claude
// Code prints the last block of an answer.
import assert from "node:assert/strict";
import { after, before, describe } from "node:test";
import { CLIENT_KEY, UPSTREAM_KEY } from "../lib/client.mjs";
import { clients, lacking, run, unpack } from "../lib/clis.mjs";
import { test } from "../lib/fixture.mjs";
import { start } from "../lib/target.mjs";
import { upstream } from "../lib/upstream.mjs";

const claude = clients.find(({ bin }) => bin === "claude");
const SIGNATURE = "c2lnbmVk".repeat(200);

// chunk returns an event of a stream with one part.
const chunk = (part, more) =>
  `data: ${JSON.stringify({
    candidates: [{ content: { role: "model", parts: [part] }, index: 0, ...more }],
    usageMetadata: {
      promptTokenCount: 9,
      candidatesTokenCount: 7,
      thoughtsTokenCount: 302,
      totalTokenCount: 318,
    },
    modelVersion: "gemini-3-pro-preview",
    responseId: "r1",
  })}\r\n\r\n`;

describe("Claude Code on Gemini 3", () => {
  let up, target;
  before(async () => {
    await unpack();
    up = await upstream();
    const url = "http://generativelanguage.googleapis.com";
    target = await start(
      {
        UPSTREAM_PROTOCOL: "gemini",
        UPSTREAM_URL: url,
        UPSTREAM_KEY,
        CLIENT_KEY,
        MODELS: '{"*":"gemini-3-pro-preview"}',
      },
      { connect: up },
    );
  });
  after(async () => {
    await target.close();
    await up.close();
  });

  const ends = {
    "in a part of its own": [{ text: "letters." }, { text: "", thoughtSignature: SIGNATURE }],
    "on the last piece": [{ text: "letters.", thoughtSignature: SIGNATURE }],
  };
  for (const [name, parts] of Object.entries(ends))
    test(`prints a text whose signature is ${name}`, { skip: lacking(claude) }, async () => {
      const last = parts.length - 1;
      up.serve((exchange) =>
        exchange.stream([
          chunk({ text: "There are **3** " }),
          ...parts.map((part, n) => chunk(part, n === last ? { finishReason: "STOP" } : {})),
        ]),
      );
      const { code, printed } = await run(claude, claude.ways[0], target.url, "signed");
      assert.equal(code, 0, printed);
      assert.match(printed, /"result":"There are \*\*3\*\* letters\."/);
    });
});
