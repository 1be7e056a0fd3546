// The official SDKs talk to the demo upstream of the local host, through every pair.
import assert from "node:assert/strict";
import { after, before, describe } from "node:test";
import { CLIENT_KEY, sdk } from "../lib/client.mjs";
import { test } from "../lib/fixture.mjs";
import { TARGET, startDemo } from "../lib/target.mjs";
import { PROTOCOLS, openai, talker } from "../lib/turns.mjs";

const tools = [
  { name: "get_time", schema: { type: "object", properties: {} } },
  {
    name: "get_weather",
    schema: { type: "object", properties: { city: { type: "string" } }, required: ["city"] },
  },
];

describe("demo", { skip: TARGET !== "wazero" && "it is a part of the local host" }, () => {
  for (const upstream of PROTOCOLS) {
    describe(`that speaks ${upstream}`, () => {
      const f = {};
      before(async () => Object.assign(f, await startDemo({ UPSTREAM_PROTOCOL: upstream, CLIENT_KEY })));
      after(() => f.close?.());

      test("lists its model", async () => {
        const ids = [];
        for await (const { id } of sdk(f.url).models.list()) ids.push(id);
        for await (const { id } of openai(f.url).models.list()) ids.push(id);
        ids.push(
          (await sdk(f.url).models.retrieve("demo")).id,
          (await openai(f.url).models.retrieve("demo")).id,
        );
        assert.deepEqual(ids, ["demo", "demo", "demo", "demo"]);
      });

      for (const client of PROTOCOLS) {
        for (const stream of [true, false]) {
          test(`${client}, ${stream ? "streamed" : "plain"}`, async () => {
            const offered = talker(client, f.url, { stream, tools });
            const turn = await offered.say("What is the weather in Paris?");
            assert.equal(turn.stop, "tool");
            assert.deepEqual(
              turn.calls.map(({ name, input }) => ({ name, input })),
              [{ name: "get_weather", input: { city: "Paris" } }],
            );
            const last = await offered.answer([{ id: turn.calls[0].id, text: "20 degrees" }]);
            assert.deepEqual([last.text, last.stop, last.calls], ["The tool says: 20 degrees", "end", []]);
            assert.ok(last.usage.input > 0 && last.usage.output > 0);

            const forced = talker(client, f.url, { stream, tools, forced: "get_time" });
            assert.deepEqual(
              (await forced.say("What is the weather in Paris?")).calls.map(({ name, input }) => ({
                name,
                input,
              })),
              [{ name: "get_time", input: {} }],
            );
          });
        }
      }
    });
  }
});
