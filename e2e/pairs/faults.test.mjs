// Faults of upstreams and networks in an answer, for every pair of protocols, streamed and plain. A
// client of another protocol gets the whole answer or an error in its own format, never a part with
// a good end. A client of the same protocol gets the upstream's bytes: its answer ends where the
// upstream's answer ends. If the upstream's answer breaks off, the client's connection breaks. The
// default times are tested in wasmtest/host/clock_test.go, limits of bodies in errors.test.mjs and
// same.test.mjs, and a late-reading client in bridge.test.mjs.
import assert from "node:assert/strict";
import { describe } from "node:test";
import { open, textOf } from "../lib/client.mjs";
import { faults, hangs, offer, answerOf, turn, whole } from "../lib/faults.mjs";
import { fixture, impatient, test, worker } from "../lib/fixture.mjs";
import { PATHS, PROTOCOLS, smallest } from "../lib/turns.mjs";
import { unreachable } from "../lib/upstream.mjs";
import { verdict, verdictOf } from "../lib/verdict.mjs";

// ask sends a client's request with the tool of offer.
const ask = (url, client, stream) =>
  open(url, { path: PATHS[client], body: smallest[client]({ stream, ...offer[client] }) });

// modesOf returns the modes of a fault: true for streamed, false for plain.
const modesOf = ({ only }) => [true, false].filter((stream) => !only || stream === (only === "stream"));

// listen has the upstream play a fault, and returns the bytes of the upstream's answer.
function listen(f, upstream, fault) {
  const sent = { bytes: Buffer.alloc(0) };
  f.up.serve((x) => {
    const said = answerOf(upstream, x.json);
    for (const name of ["send", "end"]) {
      const method = x[name].bind(x);
      x[name] = (data = "") => {
        sent.bytes = Buffer.concat([sent.bytes, Buffer.from(data)]);
        return method(data);
      };
    }
    return fault.play(x, said);
  });
  return sent;
}

for (const upstream of PROTOCOLS) {
  describe(`faults of an upstream that speaks ${upstream}`, () => {
    const f = fixture({ UPSTREAM_PROTOCOL: upstream });
    for (const fault of faults) {
      for (const client of PROTOCOLS.filter((client) => client !== upstream)) {
        test(`${fault.name}: ${client}`, async () => {
          for (const stream of modesOf(fault)) {
            listen(f, upstream, fault);
            const got = await verdict(client, stream, ask(f.url, client, stream));
            judge(got, fault[stream ? "streamed" : "plain"], fault);
          }
        });
      }

      test(`${fault.name}: passed`, async () => {
        for (const stream of modesOf(fault)) {
          const sent = listen(f, upstream, fault);
          const { status, bytes, broken } = await received(ask(f.url, upstream, stream));
          assert.equal(status >= 400, fault.passed === "error", `status ${status}`);
          assert.equal(broken, fault.passed === "broken", "the client's connection");
          if (fault.passed === "same")
            assert.ok(bytes.equals(sent.bytes), "the bytes are not the upstream's");
          if (fault.passed === "broken")
            assert.ok(sent.bytes.subarray(0, bytes.length).equals(bytes), "the bytes are not the upstream's");
        }
      });
    }
  });
}

// judge compares a client's result with the required result.
function judge(got, want, { message = /./, changed = (text) => text }) {
  if (want === "error") {
    assert.ok(got.error, `no error: ${JSON.stringify(got).slice(0, 300)}`);
    assert.match(got.error.message, message);
  } else {
    assert.deepEqual(got, whole({ ...turn, text: changed(turn.text) }));
  }
}

// received reads an answer, and notes whether the connection broke.
async function received(call) {
  const { status, body } = await call.reply;
  const parts = [];
  let broken = false;
  try {
    for await (const part of body) parts.push(part);
  } catch {
    broken = true;
  }
  return { status, bytes: Buffer.concat(parts), broken };
}

for (const upstream of PROTOCOLS) {
  describe(`an upstream that speaks ${upstream} and hangs`, () => {
    const f = impatient(200, { UPSTREAM_PROTOCOL: upstream, HEAD_WAIT: "0.05" });
    for (const client of PROTOCOLS) {
      const passes = client === upstream;
      for (const [name, play] of Object.entries(hangs)) {
        // in passthrough the client itself must judge the silence
        if (passes && name !== "before its head") continue;
        f.test(`${name}: ${client}`, async () => {
          for (const stream of [true, false]) {
            const call = ask(f.url, client, stream);
            const answer = verdict(client, stream, call);
            const x = await f.next(answer);
            // fails if the request has already ended, unnoticed by the client
            await Promise.resolve(play(x, answerOf(upstream, x.json))).catch(() => {});
            const { error, status } = await answer;
            assert.match(error.message, /the upstream's timeout/);
            assert.equal(status, stream && !passes ? 200 : 504);
            await x.gone;
          }
        });
      }
    }
  });

  describe(`clients that leave an upstream that speaks ${upstream}`, () => {
    const f = fixture({ UPSTREAM_PROTOCOL: upstream });
    for (const client of PROTOCOLS) {
      for (const [name, play] of Object.entries(hangs)) {
        test(`${name}: ${client}`, async () => {
          for (const stream of [true, false]) {
            const call = ask(f.url, client, stream);
            const x = await f.up.next();
            await play(x, answerOf(upstream, x.json));
            if (name !== "before its head" && (stream || client === upstream)) await call.reply;
            call.abort();
            await x.gone;
          }
        });
      }
    }
  });

  test(`an upstream that speaks ${upstream} and refuses connections`, async (t) => {
    const url = await worker(t, await unreachable(), { UPSTREAM_PROTOCOL: upstream });
    for (const client of PROTOCOLS) {
      for (const stream of [true, false]) {
        const { error, status } = await verdict(client, stream, ask(url, client, stream));
        assert.equal(status, 502);
        assert.match(error.message, /base URL/);
      }
    }
  });
}

describe("the verdict itself", () => {
  const f = fixture({ UPSTREAM_PROTOCOL: "anthropic" });
  for (const client of PROTOCOLS.slice(1)) {
    test(`takes no part of a stream for the whole: ${client}`, async () => {
      f.up.serve((x) => x.stream(answerOf("anthropic", x.json).chunks));
      const { status, headers, body } = await ask(f.url, client, true).reply;
      const events = (await textOf(body)).split(/(?<=\n\n)/);
      const verdictOn = (events) => verdictOf(client, true, { status, headers, text: events.join("") });
      assert.deepEqual(verdictOn(events), whole(turn));
      for (const i of events.keys())
        assert.throws(() => verdictOn(events.slice(0, i)), `the first ${i} events`);
    });
  }
});
