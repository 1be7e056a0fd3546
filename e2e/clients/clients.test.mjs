// The command-line clients on npm, with a strict upstream of each protocol. In each turn a client
// runs its own shell tool.
import assert from "node:assert/strict";
import { after, before, describe } from "node:test";
import { CLIENT_KEY, UPSTREAM_KEY } from "../lib/client.mjs";
import { clients, COMPACT_LIMIT, lacking, PICTURE, run, unpack, versions } from "../lib/clis.mjs";
import { test } from "../lib/fixture.mjs";
import { HOSTS, read, update } from "../lib/results.mjs";
import { thoughts } from "../lib/strict.mjs";
import { start, TARGET } from "../lib/target.mjs";
import { upstreams as protocols } from "../lib/turns.mjs";
import { upstream } from "../lib/upstream.mjs";
import { vendor } from "../lib/vendor.mjs";
import { until } from "../lib/waiting.mjs";

const upstreams = {
  anthropic: { name: "Anthropic's Messages", url: "http://api.anthropic.com", model: "claude-opus-5-5" },
  chat: {
    name: "a server with Chat Completions",
    url: "http://chat.test/v1",
    model: "some-model",
    check: { unions: true },
  },
  responses: { name: "OpenAI's Responses", url: "http://api.openai.com/v1", model: "gpt-5.5" },
  gemini: {
    name: "Google's Gemini",
    url: "http://generativelanguage.googleapis.com",
    model: "gemini-3.1-pro-preview",
  },
  interactions: {
    name: "Google's Interactions",
    url: "http://generativelanguage.googleapis.com",
    model: "gemini-3.1-pro-preview",
  },
};

// Only a shell knows the commands' output, so a result proves that the command ran.
const command = (n) => `echo $((6*7))-${n}`;

// The bytes of the picture in a request, apart from the padding.
const shown = PICTURE.toString("base64").replace(/=+$/, "");

// Task is the task of one client: to run some commands, one in each turn, and then to look at a
// picture. Each request of the client contains the task's marker.
class Task {
  asked = 0; // the number of requests
  results = []; // the tool's results, one for each command
  summaries = 0; // how often the upstream was asked for a summary

  constructor(client, { suite, ...way }, commands = 2) {
    Object.assign(this, way, {
      commands,
      marker: `${client.name}-${way.protocol}-${suite}-${commands}`.replaceAll(/\W+/g, "-"),
    });
  }

  // next returns the upstream's answer to a request: a tool call until all commands have run, then
  // the end. If a task compacts, the usage of its first answer makes the conversation too long.
  next(body, protocol) {
    assert.ok(++this.asked < this.commands + 8, "a client that does not come to an end");
    const usage = { input: this.compacts && this.asked === 1 ? COMPACT_LIMIT : 1100, cached: 0, output: 7 };
    const { tools, results } = protocols[protocol].read(body, "/models/m:");
    const result = results.at(-1);
    const id = result && (result.id ?? `the result ${results.length}`); // only Google's own ids reach Google
    if (result && id !== this.last) this.results.push(result.text);
    this.last = id ?? this.last;
    if (protocol === "responses" && body.input.some(({ type }) => type === "compaction_trigger")) {
      this.summaries++;
      return { compaction: this.blob, text: "", calls: [], usage };
    }
    // Anthropic requires the declarations of a conversation's tools even if no tool may be called.
    if (!tools.some(({ name }) => name === this.tool.name) || body.tool_choice?.type === "none") {
      if (!this.compacts) return { text: "A title", calls: [], usage }; // a request outside the conversation
      this.summaries++;
      return { text: this.summary, calls: [], usage };
    }
    if (this.summaries > 0)
      assert.ok(
        [this.summary, this.blob].some((text) => JSON.stringify(body).includes(text)),
        "the summary is lost",
      );
    const n = this.results.length;
    if (n === this.steps) {
      if (this.picture)
        assert.ok(JSON.stringify(body).includes(this.picture.bytes ?? shown), "the picture is lost");
      return { text: this.end, calls: [], usage };
    }
    const { name, argument, bytes, ...more } = n === this.commands ? this.picture : this.tool;
    const about = `${n} ${this.marker}`;
    const forgotten = this.forgets && ["responses", "interactions"].includes(protocol);
    const reasoning = forgotten
      ? []
      : thoughts[protocol](about).map((thought) => ({
          ...thought,
          ...(thought.id && { id: `rs_${n}_${this.marker}` }),
        }));
    return {
      reasoning,
      text: "One moment.",
      calls: [
        {
          id: `${protocol === "gemini" ? "g" : "call"}_${n}_${this.marker}`,
          name,
          input: { [argument]: this.argument(n, body), ...more },
        },
      ],
      usage,
    };
  }

  // steps is the number of tool calls: the commands, and then the picture.
  get steps() {
    return this.commands + (this.picture ? 1 : 0);
  }

  // argument returns the argument of the n-th call. The prompt names the file of the picture.
  argument(n, body) {
    if (n < this.commands) return (this.command ?? command)(n);
    return /The picture is ([^\s"]+\.png)\./.exec(JSON.stringify(body))[1];
  }

  get summary() {
    return `It printed 42-0 in the task ${this.marker}.`;
  }

  get blob() {
    return `gAAA${this.marker}`;
  }

  get end() {
    return `The end of ${this.marker.toUpperCase()}.`;
  }
}

// The row of a client's way in the table of docs/clients.md.
const rowOf = (client, { protocol, suite }) => ({
  client: `${client.name} ${versions[client.package]}`,
  api: protocol,
  suite,
});
const ran = []; // rows of the run for the table

// ./build.sh test --full sets FULL. Without FULL each way of a client runs with one upstream on
// each host, a different upstream per host, and the clients and ways with full do not run.
const FULL = process.env.FULL || process.env.UPDATE;
const ways = clients.flatMap((client) => client.ways);
const beyond = (client, way, protocol) => {
  const names = Object.keys(upstreams);
  const chosen = names[(ways.indexOf(way) + 2 * HOSTS.indexOf(TARGET)) % names.length];
  const rare = client.full || way.full || chosen !== protocol;
  return !FULL && rare && "./build.sh test --full runs it";
};

for (const [protocol, { name, url, model, check }] of Object.entries(upstreams)) {
  describe(name, { concurrency: 2 }, () => {
    const tasks = [];
    const targets = new Map(); // workers, by their OPTIONS or by their only task
    let up;

    before(async () => {
      if (clients.every(lacking)) return;
      await unpack();
      up = await upstream();
      const taskOf = (text) => tasks.find(({ marker }) => text.includes(`the task ${marker}.`));
      // Gemini CLI has the tokens of a picture counted, and the double counts none.
      const serve = (script) =>
        up.serve((x) => (x.path.includes(":countTokens") ? x.answer(200, { totalTokens: 1100 }) : script(x)));
      const strict = vendor(
        { ...up, serve },
        protocol,
        () => {
          const body = strict.asked.at(-1);
          return taskOf(JSON.stringify(body)).next(body, protocol);
        },
        check,
      );
    });

    after(async () => {
      const running = await Promise.all(targets.values());
      for (const target of running) await target.close();
      await up?.close();
      const failed = running
        .flatMap(({ lines }) => lines.all)
        .filter((line) => JSON.parse(line).status >= 400);
      assert.deepEqual(failed, [], "every request was answered");
      assert.deepEqual(up?.requests.flatMap(({ refused }) => refused ?? []) ?? [], []);
    });

    // target resolves with the worker for a task. A task with a WebSocket has a separate worker,
    // because the worker's log must show the use of the WebSocket.
    function target(task) {
      const options = task.protocol === protocol ? task.sameAPI : undefined;
      const key = task.socket ? task : options;
      const config = {
        UPSTREAM_PROTOCOL: protocol,
        UPSTREAM_URL: url,
        UPSTREAM_KEY,
        CLIENT_KEY,
        MODELS: JSON.stringify({ "*": model }),
        ...(options && { OPTIONS: options }),
      };
      if (!targets.has(key)) targets.set(key, start(config, { connect: up }));
      return targets.get(key);
    }

    // perform has a client do a task, and asserts the number of WebSockets that the client has
    // opened.
    async function perform(client, way, task, sockets = 0) {
      tasks.push(task);
      const { url, lines } = await target(task);
      const { code, printed } = await run(client, way, url, task.marker);
      const mine = up.requests.filter(({ body }) => body.includes(`the task ${task.marker}.`));
      assert.deepEqual(
        mine.flatMap(({ refused }) => refused ?? []),
        [],
        printed,
      );
      assert.equal(code, 0, printed);
      assert.ok(printed.includes(task.end), printed);
      assert.equal(task.results.length, task.steps, printed);
      task.results
        .slice(0, task.commands)
        .forEach((text, n) => assert.match(text, new RegExp(`\\b42-${n}\\b`)));
      assert.equal(task.summaries, task.compacts ? 1 : 0, printed);
      const opened = () => lines.all.filter((line) => JSON.parse(line).status === 101).length;
      await until(() => opened() >= sockets);
      if (task.socket) assert.equal(opened(), sockets);
    }

    for (const client of clients) {
      for (const way of client.ways) {
        test(
          `${client.name}, which speaks ${way.protocol}: ${way.suite}`,
          { skip: beyond(client, way, protocol) || lacking(client) },
          async () => {
            const row = { ...rowOf(client, way), upstream: protocol, ok: false };
            ran.push(row);
            await perform(client, way, new Task(client, way), way.socket ? 1 : 0);
            row.ok = true;
          },
        );

        // On workerd a connection ends before its invocation has spent its subrequests.
        if (way.socket && protocol === "chat")
          test(
            `${client.name} goes on when its WebSocket is used up`,
            { skip: lacking(client) },
            async () => {
              await perform(client, way, new Task(client, way, 45), TARGET === "workerd" ? 2 : 1);
            },
          );
      }
    }
  });
}

describe("results.json", () => {
  before(() => process.env.UPDATE && update(TARGET, ran));

  test("has every client, in the version that runs, with every upstream on both hosts", async () => {
    const passed = Object.fromEntries(Object.keys(upstreams).map((protocol) => [protocol, HOSTS]));
    const all = clients.flatMap((client) => client.ways.map((way) => ({ ...rowOf(client, way), passed })));
    const rows = (await read()).filter((row) =>
      clients.some(({ name }) => row.client.startsWith(`${name} `)),
    );
    assert.deepEqual(
      rows.map(({ date, ...row }) => row),
      all,
    );
    for (const { date } of rows) assert.match(date, /^\d{4}-\d\d-\d\d$/);
  });
});
