// Helpers of the SDKs: running tools, and parsing answers that follow a schema.
import { betaTool } from "@anthropic-ai/sdk/helpers/beta/json-schema";
import { jsonSchemaOutputFormat } from "@anthropic-ai/sdk/helpers/json-schema";
import assert from "node:assert/strict";
import { ResponsesToolRunner } from "openai/helpers/responses-tool-runner";
import { params, sdk } from "../../lib/client.mjs";
import { test } from "../../lib/fixture.mjs";
import { openai, smallest } from "../../lib/turns.mjs";

const schema = {
  type: "object",
  properties: { city: { type: "string" } },
  required: ["city"],
  additionalProperties: false,
};
const usage = { input: 11, cached: 0, output: 7 };
const said = (text) => ({ text, calls: [], usage });
const call = (id, city) => ({ id, name: "get_weather", input: { city } });

// runners use the tool runner of an SDK, and return the last text.
const runners = {
  "Anthropic's tool runner": async (url, run, stream) => {
    const tool = betaTool({ name: "get_weather", description: "The weather", inputSchema: schema, run });
    const message = await sdk(url)
      .beta.messages.toolRunner(params({ tools: [tool], stream }))
      .runUntilDone();
    return message.content[0].text;
  },
  "OpenAI's runTools": (url, run, stream) => {
    const tool = {
      type: "function",
      function: {
        name: "get_weather",
        description: "The weather",
        parameters: schema,
        parse: JSON.parse,
        function: run,
      },
    };
    return openai(url)
      .chat.completions.runTools(smallest.chat({ tools: [tool], stream }))
      .finalContent();
  },
  "OpenAI's runner of Responses": async (url, run, stream) => {
    const tool = {
      type: "function",
      name: "get_weather",
      description: "The weather",
      parameters: schema,
      strict: false,
    };
    const runner = new ResponsesToolRunner({ functions: [{ tool, execute: run }] });
    const { output_text } = await runner.run(openai(url), smallest.responses({ store: false }), { stream });
    return output_text;
  },
};

const format = { name: "place", schema, strict: true };

// parsers request an answer in the format of a schema, and return the SDK's parsed answer.
const parsers = {
  anthropic: async (url, stream) => {
    const request = params({ output_config: { format: jsonSchemaOutputFormat(schema) } });
    const client = sdk(url);
    const message = await (stream
      ? client.messages.stream(request).finalMessage()
      : client.messages.parse(request));
    return message.parsed_output;
  },
  chat: async (url, stream) => {
    const request = smallest.chat({ response_format: { type: "json_schema", json_schema: format } });
    const { completions } = openai(url).chat;
    const { choices } = await (stream
      ? completions.stream(request).finalChatCompletion()
      : completions.parse(request));
    return choices[0].message.parsed;
  },
  responses: async (url, stream) => {
    const request = smallest.responses({
      store: false,
      text: { format: { type: "json_schema", ...format } },
    });
    const { responses } = openai(url);
    const { output_parsed } = await (stream
      ? responses.stream(request).finalResponse()
      : responses.parse(request));
    return output_parsed;
  },
};

export function helpers({ anthropic, chat, responses }) {
  for (const upstream of [anthropic, chat, responses]) {
    for (const [name, run] of Object.entries(runners)) {
      test(`${name}, to ${upstream.name}`, async () => {
        const { left } = upstream.serve([
          { text: "Let me look.", calls: [call("call_a", "Paris"), call("call_b", "Rome")], usage },
          { text: "", calls: [call("call_c", "Oslo")], usage },
          said("Rain everywhere."),
        ]);
        const ran = [];
        const weather = ({ city }) => `rain in ${city}`.repeat(ran.push(city));
        assert.equal(await run(upstream.url, weather, true), "Rain everywhere.");
        assert.deepEqual(ran, ["Paris", "Rome", "Oslo"]);
        assert.equal(left.length, 0);
      });
    }

    for (const [client, parsed] of Object.entries(parsers)) {
      for (const stream of [true, false]) {
        test(`${client} to ${upstream.name}, ${stream ? "streamed" : "plain"}: an answer that follows a schema`, async () => {
          const { asked, left } = upstream.serve([said('{"city":"Paris \\u0022"}')]);
          assert.deepEqual(await parsed(upstream.url, stream), { city: 'Paris "' });
          assert.ok(
            JSON.stringify(asked).includes(`"city":{"type":"string"}`),
            "the upstream was told of the schema",
          );
          assert.equal(left.length, 0);
        });
      }
    }
  }
}
