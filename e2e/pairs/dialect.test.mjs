// The client protocol of answers that the host writes without the program: JavaScript must choose
// the same protocol as Go (wasmtest/apis).
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "../lib/fixture.mjs";
import { TARGET } from "../lib/target.mjs";
import { keyForms } from "../../build/apis.mjs";
import { clientOf, failure } from "../../build/dialect.mjs";
import { lineOf } from "../../build/log.mjs";

const table = JSON.parse(
  await readFile(new URL("../../wasmtest/apis/testdata/clients.json", import.meta.url), "utf8"),
);
const request = ({ path, header }) =>
  new Request("https://edgelingua.example" + path, { headers: header ? { [header]: "there" } : {} });

test("the same clients as in Go", { skip: TARGET === "wazero" && "its host asks Go" }, () => {
  for (const line of table) assert.equal(clientOf(request(line)).name, line.client, JSON.stringify(line));
  const empty = new Request("https://edgelingua.example/v1/models", { headers: { "x-api-key": "" } });
  assert.equal(clientOf(empty).name, "chat", "an empty header says nothing");
});

test("the same keys as in Go", { skip: TARGET === "wazero" && "its host asks Go" }, async () => {
  const cases = new URL("../../worker/keyforms/testdata/cases.json", import.meta.url);
  for (const [text, masked] of JSON.parse(await readFile(cases, "utf8"))) {
    assert.equal(text.replace(keyForms, "[key]"), masked, text);
    const id = /^[\w.-]{1,128}$/.test(text) ? text : "none";
    const headers = { "x-request-id": id };
    const answer = failure(
      new Request("https://edgelingua.example/", { headers }),
      500,
      "broken",
      "it broke",
    );
    assert.equal(answer.headers.get("x-request-id") === id, masked === text || id === "none", text);
  }
});

test("a key in a path is not logged", { skip: TARGET === "wazero" && "its host asks Go" }, () => {
  const times = { came: 0, over: 0 };
  for (const [path, logged] of [
    ["/v1beta/models/sk-proj-0123456789:generateContent", "/v1beta/models/KEY:generateContent"],
    ["/v1/models/openai%2Fsk-0123456789/x", "/v1/models/openai/KEY/x"],
    ["/u/el_anna_" + "x".repeat(43) + "/v1", "/u/KEY/v1"],
    ["/v1/models/model_a_b", "/v1/models/model_a_b"],
    ["/" + "-eyJ".repeat(5000), "/" + "-eyJ".repeat(64).slice(0, 255)],
  ]) {
    const request = new Request("https://edgelingua.example" + path);
    assert.equal(JSON.parse(lineOf(request, new Response(), {}, times)).path, logged, path);
  }
});

test("a message with quotes", { skip: TARGET === "wazero" && "its host asks Go" }, async () => {
  for (const line of table) {
    const answer = failure(request(line), 500, "broken", 'it "broke"\n');
    const { error } = await answer.json();
    assert.equal(error.message, 'it "broke"\n');
    assert.equal(answer.headers.get("content-type"), "application/json");
  }
});
