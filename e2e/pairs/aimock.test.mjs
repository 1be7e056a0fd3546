// The upstreams are @copilotkit/aimock's doubles of all five APIs, written outside of this project. The
// SDK of every client has a turn with a tool call with each double, streamed and plain. Within one
// protocol the bytes pass untranslated, so such a pair would only test aimock.
import assert from "node:assert/strict";
import { after, before, describe } from "node:test";
import { LLMock } from "@copilotkit/aimock";
import { defaults, test } from "../lib/fixture.mjs";
import { start } from "../lib/target.mjs";
import { EVERY, UPSTREAMS, talker } from "../lib/turns.mjs";

const schema = { type: "object", properties: { city: { type: "string" } }, required: ["city"] };
const tools = [{ name: "get_weather", schema }];

describe("aimock", () => {
  const mock = new LLMock({ port: 0, host: "127.0.0.1" });
  before(async () => {
    mock.on({ userMessage: "weather", hasToolResult: true }, { content: "It is sunny." });
    mock.onMessage("weather", { toolCalls: [{ name: "get_weather", arguments: '{"city":"Paris"}' }] });
    await mock.start();
  });
  after(() => mock.stop());

  for (const upstream of UPSTREAMS) {
    describe(`to ${upstream}`, () => {
      let target;
      before(async () => {
        const url = mock.url + (upstream === "chat" || upstream === "responses" ? "/v1" : "");
        target = await start({ ...defaults(url), UPSTREAM_PROTOCOL: upstream });
      });
      after(() => target?.close());

      for (const client of EVERY.filter((client) => client !== upstream)) {
        for (const stream of [true, false]) {
          test(`${client} to ${upstream}, ${stream ? "streamed" : "plain"}`, async () => {
            const talk = talker(client, target.url, { stream, tools });
            const { calls, stop } = await talk.say("What is the weather?");
            assert.equal(stop, "tool");
            assert.deepEqual(
              calls.map(({ name, input }) => ({ name, input })),
              [{ name: "get_weather", input: { city: "Paris" } }],
            );
            const said = await talk.answer([{ id: calls[0].id, text: "sun" }]);
            assert.equal(said.text, "It is sunny.");
            assert.equal(said.stop, "end");
          });
        }
      }
    });
  }
});
