// Google's own SDK with Interactions and each upstream: stored interactions with
// previous_interaction_id, the stateless form, errors, and ADK where it is installed.
import assert from "node:assert/strict";
import { describe } from "node:test";
import { CLIENT_KEY } from "../lib/client.mjs";
import { fixture, test } from "../lib/fixture.mjs";
import { sdks } from "../lib/sdks.mjs";
import { UPSTREAMS, genai, talker, upstreams } from "../lib/turns.mjs";

const usage = { input: 11, cached: 3, output: 7 };
const schema = { type: "object", properties: { city: { type: "string" } }, required: ["city"] };
const tools = [{ name: "get_weather", schema }];
const call = { id: "call_a", name: "get_weather", input: { city: "Oslo 漢😀" } };
const turns = [
  { text: "Let me look.", calls: [call], usage },
  { text: "It rains.", calls: [], usage },
  { text: "Good bye.", calls: [], usage },
];
const modes = { streamed: true, plain: false };

for (const protocol of UPSTREAMS) {
  describe(`@google/genai with Interactions to ${protocol}`, () => {
    const config = { UPSTREAM_PROTOCOL: protocol, OPTIONS: '{"store":"on"}' };
    const f = fixture(config, { state: true });

    // serve answers with the turns, and returns the requests to the upstream.
    const serve = () => {
      const asked = [];
      f.up.serve((x) => upstreams[protocol].play(x, turns[asked.push(x.json) - 1]));
      return asked;
    };
    const holds = (body, text) => assert.ok(JSON.stringify(body).includes(text), JSON.stringify(body));

    for (const [mode, stream] of Object.entries(modes))
      for (const previous of [true, false])
        test(`a call in a conversation of two questions, ${mode}, ${previous ? "stored" : "stateless"}`, async () => {
          const asked = serve();
          const talk = talker("interactions", f.url, { stream, tools, more: { previous } });
          const first = await talk.say("What is it like?");
          assert.equal(first.text, "Let me look.");
          assert.deepEqual(first.usage, usage);
          assert.equal(first.stop, "tool");
          const [{ id, ...made }] = first.calls;
          assert.deepEqual(made, { name: call.name, input: call.input });
          assert.equal(Boolean(talk.id), previous);
          assert.equal((await talk.answer([{ id, text: "rain" }])).text, "It rains.");
          const last = await talk.say("Thanks.");
          assert.deepEqual([last.text, last.stop], ["Good bye.", "end"]);
          for (const text of ["What is it like?", "rain", "It rains.", "Thanks."]) holds(asked[2], text);
        });

    test("a stored interaction, and its deletion", async () => {
      f.up.serve((x) => upstreams[protocol].play(x, turns[1]));
      const { interactions } = genai(f.url);
      const made = await interactions.create({ model: "m", input: "Hi" });
      const { output_text, ...got } = await interactions.get(made.id);
      assert.equal(output_text, "It rains.");
      assert.deepEqual(got.steps, made.steps);
      assert.deepEqual((await interactions.get(made.id, { include_input: true })).input, [
        { type: "user_input", content: [{ type: "text", text: "Hi" }] },
      ]);
      await assert.rejects(interactions.cancel(made.id), { status: 400, message: /background interactions/ });
      await interactions.delete(made.id);
      const gone = { status: 404, message: /Interaction with id '.*' not found/ };
      await assert.rejects(interactions.get(made.id), gone);
      await assert.rejects(interactions.delete(made.id), gone);
      await assert.rejects(
        interactions.create({ model: "m", input: "Hi", previous_interaction_id: made.id, stream: true }),
        { status: 400, message: /previous_interaction_id: Previous interaction with id '.*' not found/ },
      );
    });

    // ADK stores nothing itself: it continues the interaction that the last event names
    const adk = sdks.find(({ name, protocol }) => /^ADK/.test(name) && protocol === "interactions");
    for (const [mode, stream] of Object.entries(modes))
      test(`${adk.name}, ${mode}, stored`, { skip: adk.lacking }, async () => {
        const asked = serve();
        const run = async ({ city }) => `weather of ${city}: 42.`;
        const { texts } = await adk.run({
          apiKey: CLIENT_KEY,
          url: f.url,
          model: "gemini-3.1-pro-preview",
          system: "Be brief.",
          stream,
          tools: [{ name: call.name, description: "Tells the weather.", schema, run }],
          questions: ["What is it like?", "Thanks."],
        });
        assert.deepEqual(texts, ["It rains.", "Good bye."]);
        for (const text of ["Be brief.", "What is it like?", "of Oslo 漢😀: 42.", "It rains.", "Thanks."])
          holds(asked[2], text);
      });

    for (const [mode, stream] of Object.entries(modes))
      test(`an agent, a step without a type and an upstream's error, ${mode}`, async () => {
        const { interactions } = genai(f.url, { retryOptions: { attempts: 1 } });
        const fails = (status, message, body) =>
          assert.rejects(interactions.create({ stream, ...body }, { retries: { strategy: "none" } }), {
            status,
            message,
          });
        await fails(400, /Agents run at Google/, { agent: "deep-research-pro", input: "Hi" });
        await fails(400, /input\[0\]\.type: /, { model: "m", input: [{ content: [] }] });
        f.up.serve((x) => x.answer(400, { error: { message: "no such thing", code: "invalid_request" } }));
        await fails(400, /no such thing/, { model: "m", input: "Hi" });
      });
  });
}
