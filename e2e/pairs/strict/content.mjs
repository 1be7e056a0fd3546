// Images and documents in turns and in results, and answers that follow a schema.
import { jsonSchemaOutputFormat } from "@anthropic-ai/sdk/helpers/json-schema";
import assert from "node:assert/strict";
import { describe } from "node:test";
import { params, sdk } from "../../lib/client.mjs";
import { test } from "../../lib/fixture.mjs";
import { PROTOCOLS, openai, smallest, talker } from "../../lib/turns.mjs";

const usage = { input: 11, cached: 0, output: 7 };
const said = (text) => ({ text, calls: [], usage });
const schema = { type: "object", properties: { city: { type: "string" } }, required: ["city"], additionalProperties: false };
const tools = [{ name: "look", schema }];

const asked = "iVBORw0KGgoAAAAAAA==";
const found = "iVBORw0KGgoBBBBBBB==";
const pdf = "JVBERi0xLjQKAAAA";
const link = "https://example.com/a.png";
const png = (data) => `data:image/png;base64,${data}`;

// media is each client's form of its user's turn and of a tool's result.
const media = {
  anthropic: {
    turn: [
      { type: "text", text: "What is this?" },
      { type: "image", source: { type: "base64", media_type: "image/png", data: asked } },
      { type: "image", source: { type: "url", url: link } },
      { type: "document", title: "a.pdf", source: { type: "base64", media_type: "application/pdf", data: pdf } },
    ],
    result: [{ type: "text", text: "It is" }, { type: "image", source: { type: "base64", media_type: "image/png", data: found } }],
  },
  chat: {
    turn: [
      { type: "text", text: "What is this?" },
      { type: "image_url", image_url: { url: png(asked) } },
      { type: "image_url", image_url: { url: link, detail: "low" } },
      { type: "file", file: { filename: "a.pdf", file_data: `data:application/pdf;base64,${pdf}` } },
    ],
    result: [{ type: "text", text: "It is" }], // Chat Completions has no images in results
  },
  responses: {
    turn: [
      { type: "input_text", text: "What is this?" },
      { type: "input_image", image_url: png(asked), detail: "auto" },
      { type: "input_image", image_url: link, detail: "low" },
      { type: "input_file", filename: "a.pdf", file_data: `data:application/pdf;base64,${pdf}` },
    ],
    result: [{ type: "input_text", text: "It is" }, { type: "input_image", image_url: png(found), detail: "auto" }],
  },
};

const format = { name: "place", schema, strict: true };

// parsed asks for an answer that follows the schema, and returns it as the SDK parsed it.
const parsed = {
  anthropic: async (url, stream) => {
    const request = params({ output_config: { format: jsonSchemaOutputFormat(schema) } });
    const client = sdk(url);
    const message = await (stream ? client.messages.stream(request).finalMessage() : client.messages.parse(request));
    return message.parsed_output;
  },
  chat: async (url, stream) => {
    const request = smallest.chat({ response_format: { type: "json_schema", json_schema: format } });
    const { completions } = openai(url).chat;
    const { choices } = await (stream ? completions.stream(request).finalChatCompletion() : completions.parse(request));
    return choices[0].message.parsed;
  },
  responses: async (url, stream) => {
    const request = smallest.responses({ store: false, text: { format: { type: "json_schema", ...format } } });
    const { responses } = openai(url);
    const { output_parsed } = await (stream ? responses.stream(request).finalResponse() : responses.parse(request));
    return output_parsed;
  },
};

export function content({ anthropic, chat, responses }) {
  for (const upstream of [anthropic, chat, responses]) {
    describe(`content to ${upstream.name}`, () => {
      for (const client of PROTOCOLS) {
        for (const stream of [true, false]) {
          test(`${client}, ${stream ? "streamed" : "plain"}, images and a document`, async () => {
            const call = { text: "", calls: [{ id: "call_1", name: "look", input: { city: "Paris" } }], usage };
            const { asked: bodies } = upstream.serve([call, said("A cat.")]);
            const talk = talker(client, upstream.url, { stream, tools });
            const { turn, result } = media[client];
            await talk.say(turn);
            assert.deepEqual(await talk.answer([{ id: "call_1", text: result }]), { ...said("A cat."), stop: "end" });
            const last = JSON.stringify(bodies[1]);
            const expected = [asked, link, "It is"];
            if (client !== "chat") expected.push(found);
            if (client === upstream.protocol || upstream !== chat) expected.push(pdf); // a Chat server of which nothing is known is not sent PDFs
            for (const part of expected) assert.ok(last.includes(part), part);
          });

          test(`${client}, ${stream ? "streamed" : "plain"}, an answer that follows a schema`, async () => {
            const { asked: bodies, left } = upstream.serve([said('{"city":"Paris \\u0022"}')]);
            assert.deepEqual(await parsed[client](upstream.url, stream), { city: 'Paris "' });
            assert.ok(JSON.stringify(bodies).includes(`"city":{"type":"string"}`), "the upstream was told of the schema");
            assert.equal(left.length, 0);
          });
        }
      }
    });
  }
}
