// Calls and results: at once, one after the other, and through the SDKs' own tool runners.
import { betaTool } from "@anthropic-ai/sdk/helpers/beta/json-schema";
import assert from "node:assert/strict";
import { describe } from "node:test";
import { ResponsesToolRunner } from "openai/helpers/responses-tool-runner";
import { params, sdk } from "../../lib/client.mjs";
import { test } from "../../lib/fixture.mjs";
import { PROTOCOLS, openai, smallest, talker } from "../../lib/turns.mjs";

const schema = { type: "object", properties: { city: { type: "string" } }, required: ["city"] };
const usage = { input: 11, cached: 0, output: 7 };
const said = (text) => ({ text, calls: [], usage });
const call = (id, name, city) => ({ id, name, input: { city } });

export function tools({ anthropic, chat, responses }) {
  for (const upstream of [anthropic, chat, responses]) {
    describe(`calls to ${upstream.name}`, () => {
      for (const stream of [true, false]) {
        for (const client of PROTOCOLS) {
          test(`${client}, ${stream ? "streamed" : "plain"}, three calls at once, then one, then a question`, () => parallel(client, upstream, stream));
        }
        for (const [name, run] of Object.entries(runners)) {
          test(`${name}, ${stream ? "streamed" : "plain"}`, async () => {
            const { left } = upstream.serve([
              { text: "Let me look.", calls: [call("call_a", "get_weather", "Paris"), call("call_b", "get_weather", "Rome")], usage },
              { text: "", calls: [call("call_c", "get_weather", "Oslo")], usage },
              said("Rain everywhere."),
            ]);
            const ran = [];
            const weather = ({ city }) => `rain in ${city}`.repeat(ran.push(city));
            assert.equal(await run(upstream.url, weather, stream), "Rain everywhere.");
            assert.deepEqual(ran, ["Paris", "Rome", "Oslo"]);
            assert.equal(left.length, 0);
          });
        }
      }
    });
  }
}

// parallel gives results in another order than the calls', one of them empty.
async function parallel(client, upstream, stream) {
  const calls = [call("call_a", "get_weather", "Paris"), call("call_b", "get_time", "Rome"), call("call_c", "get_weather", "")];
  const first = { text: "Let me look.", calls, usage };
  const second = { text: "", calls: [call("call_d", "get_time", "Paris")], usage };
  const { left } = upstream.serve([first, second, said("It is noon."), said("You are welcome.")]);
  const talk = talker(client, upstream.url, { stream, tools: ["get_weather", "get_time"].map((name) => ({ name, schema })) });
  assert.deepEqual(await talk.say("What is it like?"), { ...first, stop: "tool" });
  const results = ["call_c", "call_a", "call_b"].map((id) => ({ id, text: id === "call_a" ? "" : `result of ${id}` }));
  assert.deepEqual(await talk.answer(results), { ...second, stop: "tool" });
  assert.deepEqual(await talk.answer([{ id: "call_d", text: "noon" }]), { ...said("It is noon."), stop: "end" });
  assert.deepEqual(await talk.say("Thank you."), { ...said("You are welcome."), stop: "end" });
  assert.equal(left.length, 0);
}

// runners have an SDK run the tool itself, and return the last text.
const runners = {
  "Anthropic's tool runner": async (url, run, stream) => {
    const tool = betaTool({ name: "get_weather", description: "The weather", inputSchema: schema, run });
    const message = await sdk(url).beta.messages.toolRunner(params({ tools: [tool], stream })).runUntilDone();
    return message.content[0].text;
  },
  "OpenAI's runTools": (url, run, stream) => {
    const tool = { type: "function", function: { name: "get_weather", description: "The weather", parameters: schema, parse: JSON.parse, function: run } };
    return openai(url).chat.completions.runTools(smallest.chat({ tools: [tool], stream })).finalContent();
  },
  "OpenAI's runner of Responses": async (url, run, stream) => {
    const tool = { type: "function", name: "get_weather", description: "The weather", parameters: schema, strict: false };
    const runner = new ResponsesToolRunner({ functions: [{ tool, execute: run }] });
    const { output_text } = await runner.run(openai(url), smallest.responses({ store: false }), { stream });
    return output_text;
  },
};
