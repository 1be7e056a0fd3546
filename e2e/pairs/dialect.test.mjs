// The client protocol of answers that the host writes without the program: JavaScript must choose
// the same protocol as Go (wasmtest/apis).
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "../lib/fixture.mjs";
import { TARGET } from "../lib/target.mjs";
import { clientOf, failure } from "../../build/dialect.mjs";

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

test("a message with quotes", { skip: TARGET === "wazero" && "its host asks Go" }, async () => {
  for (const line of table) {
    const answer = failure(request(line), 500, "broken", 'it "broke"\n');
    const { error } = await answer.json();
    assert.equal(error.message, 'it "broke"\n');
    assert.equal(answer.headers.get("content-type"), "application/json");
  }
});
