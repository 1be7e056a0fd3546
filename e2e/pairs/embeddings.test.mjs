// Embeddings: OpenAI's and Google's SDKs and LangChain with vendors of both forms. The doubles of the
// vendors are in wasmtest/vendors/embeddings.go. cloudflare.test.mjs has Cloudflare's own models.
import assert from "node:assert/strict";
import { describe } from "node:test";
import { GoogleGenerativeAIEmbeddings } from "@langchain/google-genai";
import OpenAI from "openai";
import { CLIENT_KEY } from "../lib/client.mjs";
import { fixture, test } from "../lib/fixture.mjs";
import { genai } from "../lib/turns.mjs";
import { embeds } from "../lib/vendor.mjs";

const TEXTS = ["The first text.", 'And "the" second.'];
const openai = (url) => new OpenAI({ apiKey: CLIENT_KEY, baseURL: `${url}/v1`, maxRetries: 0 });
const length = (vector) => Math.sqrt(vector.reduce((sum, n) => sum + n * n, 0));

// near asserts that two lists of vectors are equal as 32-bit numbers.
function near(got, want) {
  assert.deepEqual(
    got.map(({ length }) => length),
    want.map(({ length }) => length),
  );
  for (const [i, vector] of want.entries())
    for (const [j, n] of vector.entries()) assert.ok(Math.abs(got[i][j] - n) < 1e-7, `${got[i][j]} ${n}`);
}

// all asserts that every SDK gets the vectors of one vendor, with the aliases a-model.
async function all(url) {
  const client = openai(url);
  const coded = await client.embeddings.create({ model: "a-model", input: TEXTS });
  const floats = await client.embeddings.create({ model: "a-model", input: TEXTS, encoding_format: "float" });
  assert.ok(coded.usage.prompt_tokens > 0);
  assert.equal(coded.usage.total_tokens, coded.usage.prompt_tokens);
  const want = floats.data.map(({ embedding }) => embedding);
  assert.equal(want.length, 2);
  near(
    coded.data.map(({ embedding }) => [...embedding]),
    want,
  );
  for (const vector of want) assert.ok(Math.abs(length(vector) - 1) < 1e-6);

  const { embeddings } = await genai(url).models.embedContent({ model: "a-model", contents: TEXTS });
  near(
    embeddings.map(({ values }) => values),
    want,
  );
  // embedContent for a query, batchEmbedContents for documents
  const langchain = new GoogleGenerativeAIEmbeddings({
    apiKey: CLIENT_KEY,
    model: "a-model",
    maxRetries: 0,
    baseUrl: url,
  });
  near(await langchain.embedDocuments(TEXTS), want);
  near([await langchain.embedQuery(TEXTS[1])], [want[1]]);
}

for (const [protocol, name, model] of [
  ["gemini", "google", "gemini-embedding-001"],
  ["chat", "openai", "text-embedding-3-small"],
  ["responses", "openai", "text-embedding-3-large"],
]) {
  describe(`embeddings of ${name} by ${protocol}`, () => {
    const f = fixture({ UPSTREAM_PROTOCOL: protocol, MODELS: JSON.stringify({ "a-*": model }) });

    test("every SDK", async () => {
      embeds(f.up, name);
      await all(f.url);
    });

    test("fewer dimensions have the length 1 for OpenAI's clients", async () => {
      embeds(f.up, name);
      const options = { model: "a-model", input: TEXTS, dimensions: 3 };
      for (const encoding_format of [undefined, "float", "base64"]) {
        const { data } = await openai(f.url).embeddings.create({ ...options, encoding_format });
        if (encoding_format === "base64") {
          assert.match(data[0].embedding, /^[A-Za-z0-9+/]{16}$/);
          continue;
        }
        for (const { embedding } of data) {
          assert.equal(embedding.length, 3);
          assert.ok(Math.abs(length([...embedding]) - 1) < 1e-6);
        }
      }
      const config = { outputDimensionality: 3, taskType: "RETRIEVAL_QUERY" };
      const { embeddings } = await genai(f.url).models.embedContent({
        model: "a-model",
        contents: TEXTS,
        config,
      });
      assert.equal(embeddings[1].values.length, 3);
    });

    test("errors are those of the client's API", async () => {
      embeds(f.up, name);
      await assert.rejects(
        openai(f.url).embeddings.create({ model: "a-model", input: [""] }),
        (err) => err instanceof OpenAI.BadRequestError,
      );
      await assert.rejects(
        genai(f.url).models.embedContent({ model: "gpt-or-gemini", contents: "x" }),
        ({ name, status }) => name === "ApiError" && (status === 403 || status === 404),
      );
    });
  });
}
