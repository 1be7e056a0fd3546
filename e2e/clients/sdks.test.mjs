// SDKs and agent frameworks with a strict upstream of each protocol, streamed and plain. Each does
// two tasks: tools, with parallel calls and reasoning, in a conversation of two questions; and
// an object as the answer, after a call.
import assert from "node:assert/strict";
import { before, describe } from "node:test";
import { CLIENT_KEY } from "../lib/client.mjs";
import { test } from "../lib/fixture.mjs";
import { HOSTS, read, update } from "../lib/results.mjs";
import { FULL, sdks } from "../lib/sdks.mjs";
import { thoughts, vendors } from "../lib/strict.mjs";
import { TARGET } from "../lib/target.mjs";
import { upstreams as protocols } from "../lib/turns.mjs";
import { upstream } from "../lib/upstream.mjs";
import { vendor } from "../lib/vendor.mjs";

const { openAI, ...upstreams } = vendors();
// An upstream of the client's own API gets the client's bytes; with this option they are translated.
const translated = vendors({ OPTIONS: '{"strict":"off"}' }, [
  "anthropic",
  "openAI",
  "gemini",
  "interactions",
]);

const models = {
  anthropic: "claude-opus-5-5",
  chat: "gpt-4.1",
  responses: "gpt-5.5",
  gemini: "gemini-3.1-pro-preview",
  interactions: "gemini-3.1-pro-preview",
};
const objectOf = (properties) => ({
  type: "object",
  properties,
  required: Object.keys(properties),
  additionalProperties: false,
});
const OBJECT = { city: "Oslo", rain: true };
const usage = { input: 11, cached: 3, output: 7 };
const call = (id, name, city) => ({ id, name, input: { city } });

// jobOf returns a task for an SDK. Its tools add their calls to called.
const jobOf = (way, called, more) => ({
  apiKey: CLIENT_KEY,
  model: way.model ?? models[way.protocol],
  system: "Be brief.",
  tools: ["get_weather", "get_time"].map((name) => ({
    name,
    description: `Tells the ${name.slice(4)}.`,
    schema: objectOf({ city: { type: "string" } }),
    run: async ({ city }) => {
      called.push([name, city]);
      return `${name} of ${city}: 42.`;
    },
  })),
  ...more,
});

// upstreamOf returns the upstream for a way. The upstream with Chat Completions is OpenAI for
// clients of Chat Completions, since OpenAI gets the bytes of their SDKs.
const upstreamOf = (way, kind) => {
  if (kind !== way.protocol) return [kind, upstreams[kind]];
  const vendor = kind === "chat" ? "openAI" : kind;
  return [vendor, (way.translates ? translated : { ...upstreams, openAI })[vendor]];
};

// turn returns the n-th turn. The doubles require the reasoning before calls back, so a client that
// forgets reasoning gets none before a call.
const turn = (way, kind, n, text, calls = []) => ({
  reasoning: way.forgets && calls.length > 0 ? [] : thoughts[kind](n),
  text,
  calls,
  usage,
});

// perform runs an SDK with an upstream's turns, and asserts that the upstream has accepted each
// request.
async function perform(way, vendor, url, { asked, refused, left }, more) {
  const called = [];
  const effort = vendor === "openAI" ? undefined : "high"; // OpenAI refuses it with tools
  const ran = way.run(jobOf(way, called, { url, effort, ...more }));
  const outcome = await ran.catch((err) => assert.fail([err.stack, err.responseBody, ...refused].join("\n")));
  assert.deepEqual(refused, []);
  return { called: way.repeats && more.stream ? distinct(called) : called, asked, left, ...outcome };
}

const distinct = (list) => [...new Set(list.map((one) => JSON.stringify(one)))].map((one) => JSON.parse(one));

// usesTools has two parallel calls, one more call, the end, and one more question.
async function usesTools(way, kind, stream) {
  const [vendor, upstream] = upstreamOf(way, kind);
  const turns = [
    turn(way, vendor, 1, "Let me look.", [
      call("call_a", "get_weather", "Oslo 漢😀"),
      call("call_b", "get_weather", "Paris"),
    ]),
    turn(way, vendor, 2, "", [call("call_c", "get_time", "Oslo")]),
    turn(way, vendor, 3, "It rains."),
    turn(way, vendor, 4, "Good bye."),
  ];
  const questions = ["What is it like?", "Thanks."];
  const outcome = await perform(way, vendor, upstream.url, upstream.serve(turns), { stream, questions });
  // The model of a request to Gemini is in the path, and so is the choice of streaming.
  if (stream && upstream.protocol !== "gemini") assert.equal(outcome.asked[0].stream, true);
  assert.deepEqual(outcome.texts, ["It rains.", "Good bye."]);
  const cities = [
    ["get_time", "Oslo"],
    ["get_weather", "Oslo 漢😀"],
    ["get_weather", "Paris"],
  ];
  assert.deepEqual(outcome.called.toSorted(), cities);
  assert.equal(outcome.left.length, 0);
  const last = JSON.stringify(outcome.asked.at(-1));
  assert.ok(last.includes("Be brief."));
  for (const [name, city] of cities) assert.ok(last.includes(`${name} of ${city}: 42.`), last);
  if (!way.hides)
    for (const { text } of thoughts[vendor](3)) assert.ok(outcome.thoughts.includes(text), outcome.thoughts);
  if (way.forgets || vendor === "chat") return; // an unknown server gets no reasoning back
  for (const n of [1, 2])
    for (const { text, blob } of thoughts[vendor](n))
      assert.ok(
        JSON.stringify(outcome.asked[n]).includes(JSON.stringify(blob ?? text).slice(1, -1)),
        `the reasoning ${blob ?? text} goes back: ${JSON.stringify(outcome.asked[n])}`,
      );
}

// givesObject has one call, and then an object for each request.
async function givesObject(way, kind, stream) {
  const [vendor, upstream] = upstreamOf(way, kind);
  const schema = objectOf({ city: { type: "string" }, rain: { type: "boolean" } });
  const served = upstream.serve(() => {
    const { tools, results } = protocols[upstream.protocol].read(served.asked.at(-1), "/models/m:");
    if (tools.length === 0 || results.length > 0) return turn(way, vendor, 2, JSON.stringify(OBJECT));
    return turn(way, vendor, 1, "", [call("call_a", "get_weather", "Oslo")]);
  });
  const questions = ["What is it like?"];
  const outcome = await perform(way, vendor, upstream.url, served, { stream, questions, schema });
  assert.deepEqual(outcome.called, [["get_weather", "Oslo"]]);
  assert.deepEqual(outcome.object, OBJECT);
}

// Without FULL each way runs with one upstream on each host, a different upstream per host.
const kinds = Object.keys(upstreams);
const beyond = (way, kind) =>
  !FULL &&
  kinds[(sdks.indexOf(way) + 2 * HOSTS.indexOf(TARGET)) % kinds.length] !== kind &&
  "./build.sh test --full runs it";

const rowOf = ({ name, protocol, suite, fails }) => ({
  client: name,
  api: protocol,
  suite,
  ...(fails && { fails }),
});
const ran = []; // rows of the run for the table

for (const [kind, { name }] of Object.entries(upstreams)) {
  describe(name, () => {
    for (const way of sdks) {
      const skip = way.lacking || way.fails?.[kind] || beyond(way, kind);
      const row = { ...rowOf(way), upstream: kind, passed: 0 };
      if (!skip || way.fails?.[kind]) ran.push(row);
      for (const [task, perform] of Object.entries({ tools: usesTools, "an object": givesObject }))
        for (const stream of [true, false])
          test(
            `${way.name}, ${way.protocol}, ${stream ? "streamed" : "plain"}: ${task}`,
            { skip },
            async () => {
              await perform(way, kind, stream);
              row.passed++;
            },
          );
    }
  });
}

// With "display": "omitted", the default since Opus 4.7, Anthropic sends thinking blocks without a
// text (platform.claude.com/docs, "Extended thinking"). A client that fails at such a block of
// another upstream fails at Anthropic's.
describe("a server of Anthropic's, without edgelingua", () => {
  for (const way of sdks.filter(({ failsAlone }) => failsAlone))
    for (const stream of [true, false])
      test(`${way.name} fails, ${stream ? "streamed" : "plain"}`, { skip: way.lacking }, async (t) => {
        const up = await upstream();
        t.after(up.close);
        const reasoning = [{ text: "", blob: "sig+/1==" }];
        const calls = [call("call_a", "get_weather", "Oslo")];
        const served = vendor(up, "anthropic", [{ reasoning, text: "Let me look.", calls, usage }]);
        const more = {
          url: new URL(up.url).origin,
          stream,
          display: "omitted",
          questions: ["What is it like?"],
        };
        await assert.rejects(way.run(jobOf(way, [], more)), way.failsAlone);
        assert.deepEqual(served.refused, []);
        assert.deepEqual(
          served.asked.map(({ thinking }) => thinking),
          [{ type: "adaptive", display: "omitted" }],
        );
      });
});

// Without FULL not every upstream runs, so the table is not compared with the results.
describe("results.json", () => {
  before(
    () =>
      process.env.UPDATE &&
      update(
        TARGET,
        ran.map(({ passed, ...row }) => ({ ...row, ok: passed === 4 })),
      ),
  );

  test("has every SDK, in the version that runs, with every upstream on both hosts", async () => {
    const rows = await read();
    for (const way of sdks.filter(({ lacking }) => !lacking)) {
      const row = rows.find(({ client, api }) => client === way.name && api === way.protocol);
      const passed = Object.fromEntries(kinds.map((kind) => [kind, way.fails?.[kind] ? [] : HOSTS]));
      assert.deepEqual(row, { ...rowOf(way), passed, date: row?.date }, `${way.name}, ${way.protocol}`);
    }
  });
});
