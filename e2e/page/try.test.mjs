// "Try it" in a browser: the page's view of a live call must match the upstream's request, and the
// worker's answer to clients.
import assert from "node:assert/strict";
import { describe } from "node:test";
import * as chat from "../lib/chat.mjs";
import { test } from "../lib/fixture.mjs";
import * as gemini from "../lib/gemini.mjs";
import * as interactions from "../lib/interactions.mjs";
import * as messages from "../lib/messages.mjs";
import { goOffline, inspect, over, pages } from "../lib/page.mjs";
import * as responses from "../lib/responses.mjs";
import { elsewhere } from "../lib/target.mjs";
import { until } from "../lib/waiting.mjs";
import { apis } from "../../build/apis.mjs";

const peers = { anthropic: messages, chat, responses, gemini, interactions };
const protocols = Object.keys(peers);
const paths = {
  ...Object.fromEntries(apis.map(({ name, path }) => [name, path])),
  gemini: "/v1beta/models/claude-x:streamGenerateContent?alt=sse",
};
const views = Object.fromEntries(
  await Promise.all(protocols.map(async (name) => [name, await import(`../../translator/${name}/page.mjs`)])),
);
const tool = {
  name: "get_weather",
  description: "The weather in a city now.",
  schema: { type: "object", properties: { city: { type: "string" } }, required: ["city"] },
};
const REFUSED = /status of (4\d\d|5\d\d)/;
const turn = {
  text: "I look it up.",
  calls: [{ id: "call_1", name: "get_weather", input: { city: "Paris" } }],
  usage: { input: 11, cached: 0, output: 7 },
};

// before returns an endpoint's upstream for a protocol.
const before = (up, protocol, more) => ({
  name: "up",
  protocol,
  url: ["anthropic", "gemini", "interactions"].includes(protocol) ? up.url.replace(/\/v1$/, "") : up.url,
  ...more,
});

// timeless returns an answer without times.
const timeless = (text) =>
  text
    .replaceAll(/"(created|created_at|completed_at)":\d+/g, '"$1":0')
    .replaceAll(/unnamed_\d+/g, "unnamed") // the id of an answer without one begins with the time
    .replaceAll(/"(created|updated)":"[^"]*"/g, '"$1":""');

describe("a call in the page", { skip: elsewhere("wazero") }, () => {
  const f = pages();

  for (const upstream of protocols) {
    test(`calls of each client to ${upstream}: each side is as the worker has it`, async () => {
      const { key } = await f.make("anna", {
        upstreams: [before(f.up, upstream, { models: { "claude-*": "there" } })],
      });
      f.up.serve((x) => peers[upstream].play(x, turn));
      const page = await f.own("anna", key);
      for (const client of protocols) {
        const body = JSON.stringify(views[client].question("claude-x", "Weather?", tool));
        const earlier = f.up.requests.length;
        const sides = await page.evaluate(
          async ([key, client, body]) => {
            const [{ plan, call }, { Api }] = await Promise.all([
              import("/page/call.mjs"),
              import("/page/api.mjs"),
            ]);
            const planned = await plan(
              await new Api("/u/anna/api").call("GET", ""),
              client,
              body,
              "claude-x",
            );
            const texts = new Map(planned.sides.map((side) => [side, ""]));
            const decoder = new TextDecoder();
            const broken = await call("/u/anna", key, planned, {
              take: (side, bytes) => texts.set(side, texts.get(side) + decoder.decode(bytes)),
            });
            return [...texts].map(([{ protocol, role, request, lost }, text]) => ({
              protocol,
              role,
              request,
              lost: lost(),
              text,
              broken,
            }));
          },
          [key, client, body],
        );
        assert.deepEqual(
          sides.map(({ role }) => role),
          client === upstream
            ? ["both", "other", "other", "other", "other"]
            : ["client", "upstream", "other", "other", "other"],
        );
        assert.deepEqual(new Set(sides.map(({ protocol }) => protocol)), new Set(protocols));
        const got = f.up.requests[earlier].json;
        for (const { protocol, role, request, text, broken } of sides) {
          assert.equal(broken, undefined);
          if (role === "upstream") {
            assert.deepEqual(JSON.parse(request), got);
            continue;
          }
          // A client of the protocol sends the worker the same request.
          const headers = { "x-api-key": key, "content-type": "application/json" };
          const reply = await fetch(`${f.url}/u/anna${paths[protocol]}`, {
            method: "POST",
            headers,
            body: request,
          });
          assert.equal(timeless(text), timeless(await reply.text()), protocol);
          // the page sent the same body as the worker
          if (role === "client") assert.deepEqual(f.up.requests.at(-1).json, got);
        }
      }
    });
  }

  // lines returns the displayed events of one side.
  const lines = (page, name) =>
    page
      .getByRole("region", { name, exact: true })
      .locator("li")
      .evaluateAll((all) =>
        all.map((li) => [li.querySelector("code").textContent, li.querySelector(".said").textContent]),
      );

  test("three timelines that grow as chunks come", async () => {
    const { key } = await f.make("anna");
    const page = await f.own("anna", key, "#try");
    await page.getByRole("button", { name: "Send" }).click();
    const x = await f.up.next();
    x.head();
    const region = (name) => page.getByRole("region", { name, exact: true });
    await x.send(chat.role + chat.text("Look"));
    await region("Your client").getByText("Look", { exact: true }).waitFor();
    await x.send(chat.text("ing."));
    await region("Your client").getByText("Looking.", { exact: true }).waitFor();
    await x.send(
      chat.call(0, { id: "call_1", type: "function", function: { name: "get_weather", arguments: "" } }),
    );
    await x.send(chat.call(0, { function: { arguments: '{"ci' } }));
    await region("Another client").getByText('{"ci', { exact: true }).waitFor();
    await page.getByRole("button", { name: "Stop" }).waitFor();
    await x.send(
      chat.call(0, { function: { arguments: 'ty":"Paris"}' } }) +
        chat.finish("tool_calls") +
        chat.usage() +
        chat.done,
    );
    await x.end();
    await region("Your client").getByText("11 tokens in, 7 out").waitFor();
    await over(page);
    assert.deepEqual(await lines(page, "Your client"), [
      ["message_start", "gpt-5.5"],
      ["content_block_start", "text"],
      ["text_delta", "Looking."],
      ["content_block_stop", ""],
      ["content_block_start", "tool_use get_weather"],
      ["input_json_delta", '{"city":"Paris"}'],
      ["content_block_stop", ""],
      ["message_delta", "stop_reason tool_use, 7 output tokens"],
      ["message_stop", ""],
    ]);
    assert.deepEqual(await lines(page, "The upstream"), [
      ["role", "assistant"],
      ["content", "Looking."],
      ["tool_calls", "get_weather"],
      ["tool_calls[].arguments", '{"city":"Paris"}'],
      ["finish_reason", "tool_calls"],
      ["usage", "7 output tokens"],
      ["[DONE]", ""],
    ]);
    const other = await lines(page, "Another client");
    assert.deepEqual(
      other.filter(([type]) => /delta$/.test(type)),
      [
        ["response.output_text.delta", "Looking."],
        ["response.function_call_arguments.delta", '{"city":"Paris"}'],
        ["arguments_delta", '{"city":"Paris"}'],
      ],
    );
    assert.equal(await page.getByRole("button", { name: "Stop" }).isHidden(), true);
  });

  test("what is lost is named, and what is refused is not sent", async () => {
    const { key } = await f.make("anna");
    const page = await f.own("anna", key, "#try");
    await page.getByText("Edit the request").click();
    const ask = async (change) => {
      await page
        .getByRole("textbox", { name: "JSON" })
        .fill(JSON.stringify({ ...views.anthropic.question("gpt-5.5", "Hi", tool), ...change }));
      await page.getByRole("button", { name: "Send" }).click();
    };
    await ask({ top_k: 5, inference_geo: "us", "$(id)": 1 });
    const x = await f.up.next();
    const client = page.getByRole("region", { name: "Your client" });
    for (const field of ["top_k", "inference_geo", "$(id)"])
      await client.locator(".badge").getByText(field, { exact: true }).waitFor();
    // a shell would run the other name
    await page.getByText(/^edgelingua explain (top_k inference_geo|inference_geo top_k)$/).waitFor();
    assert.equal(x.json.top_k, undefined);
    await chat.answer(x, "Hello.");
    await page
      .getByText(/[0-9]+ out$/)
      .first()
      .waitFor();
    await inspect(page);
    const count = f.up.requests.length;
    await ask({ max_tokens: "many" });
    await page.getByRole("region", { name: "Your client" }).getByText("HTTP 400").waitFor();
    await page.getByText("Nothing was sent.").first().waitFor();
    await page
      .getByRole("region", { name: "Your client" })
      .locator(".failure p")
      .getByText(/max_tokens/)
      .waitFor();
    assert.equal(await page.locator(".rhythm").count(), 0);
    await ask({ model: 5 });
    await page.getByText("No upstream of this endpoint serves the model 5.").waitFor();
    await page.getByRole("textbox", { name: "JSON" }).fill("{");
    await page.getByRole("button", { name: "Send" }).click();
    await page.getByText("The request is not JSON").waitFor();
    assert.equal(f.up.requests.length, count);
  });

  test("options of the endpoint are in what goes upstream", async () => {
    const { key } = await f.make("anna", {
      options: { tool_map: { get_weather: { name: "wetter" } }, guidance: "Be brief." },
    });
    f.up.serve((x) => chat.play(x, { ...turn, calls: [{ ...turn.calls[0], name: "wetter" }] }));
    const page = await f.own("anna", key, "#try");
    await page.getByRole("button", { name: "Send" }).click();
    await page.getByRole("region", { name: "Your client" }).getByText("tool_use get_weather").waitFor();
    await page.getByText("This endpoint's options change requests and answers.").waitFor();
    const shown = JSON.parse(await page.getByLabel("Request: The upstream").textContent());
    assert.deepEqual(shown, f.up.requests.at(-1).json);
    assert.equal(shown.tools[0].function.name, "wetter");
  });

  test("of several upstreams only the first is asked, by its name", async () => {
    f.expected = [REFUSED];
    const { key } = await f.make("anna", {
      upstreams: [
        before(f.up, "chat", { models: { x: "one" } }),
        before(f.up, "anthropic", { name: "second" }),
        before(f.up, "responses", { name: "third" }),
      ],
    });
    f.up.serve((x) => x.answer(503, messages.failure("api_error", "Not now.")));
    const page = await f.own("anna", key, "#try");
    await page.getByLabel("Model").fill("y");
    await page.getByRole("button", { name: "Send" }).click();
    await page.getByText("y goes to second").waitFor();
    await page
      .getByRole("region", { name: "Your client and the upstream" })
      .getByText("Not now.", { exact: true })
      .waitFor();
    assert.equal(f.up.requests.length, 1); // the next upstream is not tried: its protocol might differ
    assert.equal(f.up.requests[0].json.model, "y");
  });

  for (const client of protocols) {
    test(`an error of the upstream, for ${client}`, async () => {
      f.expected = [REFUSED];
      const { key } = await f.make("anna");
      f.up.serve((x) => x.answer(503, { error: { message: "Too much to do.", type: "server_error" } }));
      const page = await f.own("anna", key, "#try");
      await page.getByLabel("Your client speaks").selectOption(client);
      await page.getByRole("button", { name: "Send" }).click();
      await page
        .getByText(/^HTTP \d+$/)
        .nth(2)
        .waitFor();
      await page
        .locator(".unseen[role=status]")
        .getByText(/^The call was refused: HTTP \d+$/)
        .waitFor();
      const name = client === "chat" ? "Your client and the upstream" : "Your client";
      const failure = page.getByRole("region", { name, exact: true }).locator(".failure");
      await failure.getByText("Too much to do.", { exact: true }).waitFor();
      const status = await failure.locator("strong").textContent();
      const body = await failure.locator("pre").textContent();
      const headers = { "x-api-key": key, "content-type": "application/json" };
      const reply = await fetch(`${f.url}/u/anna${paths[client]}`, {
        method: "POST",
        headers,
        body: JSON.stringify(views[client].question("gpt-5.5", "Hi", tool)),
      });
      assert.equal(status, `HTTP ${reply.status}`);
      const said = await reply.json();
      assert.deepEqual(JSON.parse(body), said);
      assert.equal(
        await failure.locator("p code").first().textContent(),
        said.error.type ?? said.error.status ?? said.error.code,
      );
    });
  }

  test("a stream that breaks off is no clean end", async () => {
    f.expected = [/ERR_INCOMPLETE_CHUNKED_ENCODING|ERR_CONNECTION|net::/];
    const { key } = await f.make("anna");
    const page = await f.own("anna", key, "#try");
    await page.getByRole("button", { name: "Send" }).click();
    const x = await f.up.next();
    x.head();
    await x.send(chat.role + chat.text("Look"));
    await page.getByRole("region", { name: "Your client" }).getByText("Look", { exact: true }).waitFor();
    x.cut();
    await page.getByText("The connection broke.").first().waitFor();
    assert.doesNotMatch(await page.locator(".unseen[role=status]").textContent(), /complete/);
    await over(page);
    const [type, text] = (await lines(page, "Your client")).at(-1);
    assert.deepEqual([type, /connection to the upstream broke/.test(text)], ["error", true]);
    const failure = page.getByRole("region", { name: "Your client" }).locator(".failure");
    assert.match(
      await failure.textContent(),
      /^The stream failed \w+_error.*connection to the upstream broke/,
    );
  });

  test("one axis shows when each side spoke, and what was held back", async () => {
    const { key } = await f.make("anna");
    const page = await f.own("anna", key, "#try");
    await page.getByRole("button", { name: "Send" }).click();
    const x = await f.up.next();
    x.head();
    const region = (name) => page.getByRole("region", { name, exact: true });
    await x.send(chat.role + chat.text("Look"));
    await region("Your client").getByText("Look", { exact: true }).waitFor();
    for (const i of [0, 1])
      await x.send(
        chat.call(i, { id: `call_${i}`, type: "function", function: { name: "get_weather", arguments: "" } }),
      );
    const args = (i, text) => x.send(chat.call(i, { function: { arguments: text } }));
    await args(0, '{"city":');
    await region("Your client").getByText('{"city":', { exact: true }).waitFor();
    await args(1, '{"city":'); // of two calls at a time the second waits for the first
    await region("The upstream").getByText('{"city":', { exact: true }).nth(1).waitFor();
    await args(0, '"Paris"}');
    await args(1, '"Rome"}');
    await region("The upstream").getByText('"Rome"}').waitFor();
    await x.send(chat.finish("tool_calls") + chat.usage() + chat.done);
    await x.end();
    await region("Your client").getByText("11 tokens in, 7 out").waitFor();
    await over(page);
    const lanes = page.locator(".lanes .lane");
    const words = (i) => lanes.nth(i).locator(".hint").textContent();
    assert.match(await words(0), /^\d+ events, 35 characters, buffered for up to [\d,]+ ms$/);
    assert.match(await words(1), /^\d+ events, 35 characters$/);
    for (const i of [2, 3]) assert.match(await words(i), /^\d+ events, 35 characters/);
    for (const [i, held] of [
      [0, true],
      [1, false],
    ])
      assert.equal((await lanes.nth(i).locator("path.held").getAttribute("d")) !== "", held);
    const slider = page.getByRole("slider", { name: "The selected moment" });
    await slider.focus();
    await page.keyboard.press("Home");
    assert.match(await words(1), /^2 events, 4 characters, by [\d,]+ ms$/);
    assert.ok((await region("The upstream").locator("li.later").count()) > 3);
    assert.equal(await region("The upstream").locator("li").first().getAttribute("class"), "frame");
    await page.keyboard.press("End");
    assert.equal(await slider.getAttribute("aria-valuetext"), "the end");
    assert.equal(await page.locator("li.later").count(), 0);
    const image = lanes.nth(1).locator(".image");
    await image.click({ position: { x: 2, y: 5 } });
    assert.notEqual(await slider.getAttribute("aria-valuetext"), "the end");
    await inspect(page);
  });

  test("options of a request are chosen in words, and stay", async () => {
    const { key } = await f.make("anna");
    const page = await f.own("anna", key, "#try");
    const json = async () => JSON.parse(await page.getByRole("textbox", { name: "JSON" }).inputValue());
    await page.getByText("Edit the request").click();
    await page.getByText("Request options").click();
    assert.equal(await page.getByLabel("Maximum output tokens").inputValue(), "1024");
    await page.getByLabel("Effort").selectOption({ label: "high" });
    await page.getByLabel("Tools", { exact: true }).selectOption({ label: "automatic, one call at a time" });
    await page.getByLabel("Stop sequences").fill("END, STOP");
    await page.getByLabel("Model").fill("other");
    const { model, output_config: config, tool_choice: choice, stop_sequences: stops } = await json();
    assert.deepEqual(
      [model, config, choice, stops],
      ["other", { effort: "high" }, { type: "auto", disable_parallel_tool_use: true }, ["END", "STOP"]],
    );
    await page.getByLabel("Effort").selectOption({ label: "not set" });
    assert.equal((await json()).output_config, undefined);

    const odd = { ...(await json()), tool_choice: { type: "tool", name: "get_weather" }, temperature: 0.5 };
    await page.getByRole("textbox", { name: "JSON" }).fill(JSON.stringify(odd));
    assert.equal(await page.getByLabel("Temperature").inputValue(), "0.5");
    await page.getByLabel("Temperature").fill("0.7");
    assert.deepEqual((await json()).tool_choice, odd.tool_choice, "what the list has no words for stays");

    await page.getByLabel("Your client speaks").selectOption("responses");
    assert.equal((await json()).temperature, 0.7);
    await page.getByLabel("Store the response").selectOption({ label: "yes" });
    await page.getByLabel("Labels").fill('{"for":"a test"}');
    f.up.serve((x) => chat.answer(x));
    await page.getByRole("button", { name: "Send" }).click();
    await page.getByRole("region", { name: "Your client" }).getByText("Lost: ").waitFor();
    await page
      .getByText(/[0-9]+ out$/)
      .first()
      .waitFor();
    const { store, metadata, temperature } = JSON.parse(
      await page.getByLabel("Request: Your client").textContent(),
    );
    assert.deepEqual([store, metadata, temperature], [true, { for: "a test" }, 0.7]);
    assert.equal(f.up.requests.at(-1).json.temperature, 0.7);
    for (const client of protocols) {
      await page.getByLabel("Your client speaks").selectOption(client);
      await inspect(page);
    }
  });

  test("an answer that is a document stays text, and events of no form end nothing", async () => {
    f.expected = [REFUSED];
    const { key } = await f.make("anna");
    f.up.serve((x) =>
      x.answer(502, `<h1>Bad gateway</h1><script>alert(1)</script>`, { "content-type": "text/html" }),
    );
    const page = await f.own("anna", key, "#try");
    await page.getByRole("button", { name: "Send" }).click();
    await page.getByText("HTTP 502").first().waitFor();
    assert.equal(await page.locator("main script, .timelines h1").count(), 0);
    assert.match(
      await page.getByRole("region", { name: "The upstream" }).locator(".failure").textContent(),
      /Bad gateway/,
    );
    const odd = [
      { choices: null },
      { choices: [{ delta: null }] },
      { choices: [{ delta: { content: { a: 1 } } }] },
      [],
      5,
      { error: { message: { evil: 1 } } },
    ];
    f.up.serve((x) =>
      x.stream([
        chat.role,
        ...odd.map((event) => chat.data(event)),
        chat.text("on"),
        chat.finish("stop"),
        chat.done,
      ]),
    );
    await page.getByRole("button", { name: "Send" }).click();
    await page
      .getByRole("region", { name: "The upstream" })
      .getByText(/^\d+ events, /)
      .waitFor();
    await over(page);
    assert.deepEqual((await lines(page, "The upstream")).at(-1), ["[DONE]", ""]);
  });

  test("the operator's, by a key made for it", async () => {
    await f.make("anna", { usage: true });
    f.up.serve((x) => chat.answer(x, "Hello."));
    const page = await f.operate("#/e/anna/try");
    assert.equal((await f.api("GET", "/endpoints/anna")).keys.length, 1, "none is made before it is needed");
    for (let i = 0; i < 2; i++) {
      await page.getByRole("button", { name: "Send" }).click();
      await until(() => f.up.requests.length > i);
      await page
        .getByText(/[0-9]+ out$/)
        .first()
        .waitFor();
      await over(page);
    }
    const { keys } = await f.api("GET", "/endpoints/anna");
    const [, { label, created, expires }, ...more] = keys;
    assert.deepEqual([label, Math.round((expires - created) / 60), more], ["Try it", 15, []]);
    const kept = await page.evaluate(() =>
      JSON.stringify([
        { ...sessionStorage },
        { ...localStorage },
        location.href,
        document.documentElement.innerHTML,
      ]),
    );
    assert.ok(!kept.includes("el_anna_"));
    // The requests are counted, after their answers.
    await until(
      async () =>
        (await f.api("GET", "/endpoints/anna/usage?days=1")).days.reduce(
          (sum, { requests }) => sum + requests,
          0,
        ) === 2,
    );
    await page.getByRole("tab", { name: "Keys" }).click();
    await page.getByRole("row", { name: /Try it/ }).waitFor();
    await page.getByRole("tab", { name: "Settings" }).click();
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByText("Saved.").waitFor(); // the new key does not count as a change by somebody else

    await f.make("ben", { auth: "forward" });
    await page.evaluate(() => (location.hash = "#/e/ben/try"));
    await page.getByLabel("Your upstream key").fill("a-key-of-the-upstream");
    await page.getByRole("button", { name: "Send" }).click();
    await page
      .getByText(/[0-9]+ out$/)
      .first()
      .waitFor();
    assert.equal(f.up.requests.at(-1).headers.authorization, "Bearer a-key-of-the-upstream");
  });

  test("a stopped call ends at the upstream", async () => {
    const { key } = await f.make("anna");
    const page = await f.own("anna", key, "#try");
    await page.getByRole("button", { name: "Send" }).click();
    const x = await f.up.next();
    x.head();
    await x.send(chat.role + chat.text("Look"));
    await page.getByRole("region", { name: "Your client" }).getByText("Look", { exact: true }).waitFor();
    await page.getByRole("button", { name: "Stop" }).click();
    await page.getByText("Stopped.").first().waitFor();
    const flood = async () => {
      // workerd notices a client's disconnect only when writing to the client
      for (;;) await x.send(chat.text("more"));
    };
    await assert.rejects(flood());
    await x.gone;
  });

  test("a network that is lost before the call", async () => {
    f.expected = [/ERR_INTERNET_DISCONNECTED/];
    const { key } = await f.make("anna");
    f.up.serve((x) => chat.answer(x));
    const page = await f.own("anna", key, "#try");
    await page.getByRole("button", { name: "Send" }).click();
    await page
      .getByText(/[0-9]+ out$/)
      .first()
      .waitFor();
    await goOffline(page);
    await page.getByRole("button", { name: "Send" }).click();
    await page.getByRole("alert").getByText("The server can't be reached.").waitFor();
  });

  test("the module is fetched when it is needed", async () => {
    const { key } = await f.make("anna");
    const page = await f.open("/u/anna/");
    const asked = [];
    page.on("request", (request) => asked.push(request.url()));
    await page.getByLabel("Your key").fill(key);
    await page.keyboard.press("Enter");
    await page.getByRole("tab", { name: "Connect" }).waitFor();
    assert.ok(!asked.some((url) => url.endsWith(".wasm")));
    const fetched = page.waitForRequest(/app\.wasm$/);
    await page.getByRole("tab", { name: "Try it" }).click();
    await fetched;
  });

  test("events that try to be HTML stay text", async () => {
    const evil = `<img src=x onerror="alert(1)">`;
    const { key } = await f.make("anna");
    f.up.serve((x) =>
      x.stream([
        chat.role,
        chat.text(evil),
        chat.call(0, {
          id: "c",
          type: "function",
          function: { name: evil, arguments: JSON.stringify({ evil }) },
        }),
        chat.finish("tool_calls"),
        chat.usage(),
        chat.done,
      ]),
    );
    const page = await f.own("anna", key, "#try");
    await page.getByLabel("Model").fill(evil);
    await page.getByRole("button", { name: "Send" }).click();
    await page
      .getByText(/[0-9]+ out$/)
      .first()
      .waitFor();
    await over(page);
    assert.equal((await lines(page, "The upstream"))[1][1], evil);
    assert.equal(await page.locator("main img").count(), 0);
  });
});

describe(
  "a call in the page of a protocol that has model and stream in its paths",
  { skip: elsewhere("wazero") },
  () => {
    const f = pages({ faults: true });

    test("as client and as upstream", async () => {
      for (const [client, upstream] of [
        ["toy", "chat"],
        ["chat", "toy"],
        ["toy", "toy"],
      ]) {
        const { key } = await f.make("anna", {
          upstreams: [before(f.up, upstream, { models: { "m-*": "there" } })],
        });
        const said = [{ id: "a1" }, { say: "Hello" }, { end: "done", in: 3, out: 2 }].map(
          (part) => `data: ${JSON.stringify(part)}\n\n`,
        );
        f.up.serve((x) =>
          upstream === "toy" ? x.stream(said) : chat.play(x, { ...turn, text: "Hello", calls: [] }),
        );
        const page = await f.own("anna", key);
        const texts = await page.evaluate(
          async ([key, client]) => {
            const [{ plan, call }, { Api }, { question, streaming }] = await Promise.all(
              ["call", "api", "views"].map((name) => import(`/page/${name}.mjs`)),
            );
            const body = JSON.stringify(streaming(client, "m-1", question(client, "m-1", "Hi")));
            const planned = await plan(await new Api("/u/anna/api").call("GET", ""), client, body, "m-1");
            const texts = Object.fromEntries(planned.sides.map(({ protocol }) => [protocol, ""]));
            const decoder = new TextDecoder();
            await call("/u/anna", key, planned, {
              take: ({ protocol }, bytes) => (texts[protocol] += decoder.decode(bytes)),
              refuse: (side, refused) => (texts[side.protocol] = JSON.stringify(refused)),
            });
            return texts;
          },
          [key, client],
        );
        assert.deepEqual(Object.keys(texts).sort(), [
          "anthropic",
          "chat",
          "gemini",
          "interactions",
          "responses",
          "toy",
        ]);
        for (const [protocol, text] of Object.entries(texts))
          assert.match(text, /He[^]*llo/, `${client} to ${upstream}: ${protocol}`);
        const asked = f.up.requests.at(-1);
        assert.equal(asked.path, upstream === "toy" ? "/v1/toy/there:stream" : "/v1/chat/completions");
        if (upstream === "chat") assert.equal(asked.json.model, "there");
      }
    });
  },
);
