// The files of the page: how they are served, their size, and the functions that need no browser.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import http from "node:http";
import { after, before, describe } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { gunzipSync } from "node:zlib";
import { choose, namesOf } from "../../worker/page/lib/choose.mjs";
import { presets } from "../../worker/page/operator/presets.mjs";
import { settingsFor } from "../../worker/page/lib/settings.mjs";
import { Reader } from "../../worker/page/tryit/sse.mjs";
import { answer } from "../lib/chat.mjs";
import { test } from "../lib/fixture.mjs";
import { ADMIN_KEY } from "../lib/page.mjs";
import { start } from "../lib/target.mjs";
import { upstream } from "../lib/upstream.mjs";

const folder = new URL("../../worker/page/", import.meta.url);
const files = (await readdir(folder, { recursive: true })).filter((name) => name.includes("/"));
// worker/page/ROOM -> the rooms that its files may import
const ROOMS = {
  lib: [],
  watch: ["lib"],
  tryit: ["lib"],
  requests: ["lib", "watch"],
  overview: ["lib", "watch"],
  recordings: ["lib", "watch", "tryit"],
};
for (const view of ["home", "operator"]) ROOMS[view] = ["lib", "watch", "tryit", "requests", "recordings"];
ROOMS.owner = ["lib", "watch", "tryit", "requests"];
ROOMS.operator.push("overview");

// bytes of a first view, compressed
const MOST = { "home.html": 47 << 10, "admin.html": 62 << 10, "owner.html": 60 << 10 };
const HTML = { accept: "text/html,*/*" };

// get resolves with an answer, without decompressing the body.
async function get(url, path, { method = "GET", headers = {} } = {}) {
  const request = http.request(url + path, { method, headers: { "accept-encoding": "gzip", ...headers } });
  request.end();
  const [response] = await once(request, "response");
  const parts = [];
  for await (const part of response) parts.push(part);
  return { status: response.statusCode, headers: response.headers, body: Buffer.concat(parts) };
}

describe("the files of the page", () => {
  let target, up, url;
  before(async () => {
    up = await upstream();
    target = await start(
      { ADMIN_KEY, SEAL_KEY: Buffer.alloc(32, 7).toString("base64"), ALLOW_HTTP_UPSTREAM: "true" },
      { state: true },
    );
    url = target.url;
  });
  after(async () => {
    await target?.close();
    await up?.close();
  });

  // packed resolves with the text of a file of worker/page as build.sh packs it: a module without the
  // folders of its imports, and without the lines that are comments.
  const packed = async (name) => {
    const source = await readFile(new URL(name, folder), "utf8");
    if (!name.endsWith(".mjs")) return source;
    return source.replace(/((?:from |import\()"\.)\.\/[^/"]*\//g, "$1/").replace(/^ *\/\/.*\n/gm, "");
  };

  const policy = (script) =>
    `default-src 'none'; script-src ${script}; style-src 'self'; img-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'`;

  for (const [path, file, type, script] of [
    ["/admin", "admin.html", "text/html; charset=utf-8", "'self' 'wasm-unsafe-eval'"],
    ["/admin/", "admin.html", "text/html; charset=utf-8", "'self' 'wasm-unsafe-eval'"],
    ["/", "home.html", "text/html; charset=utf-8", "'self' 'wasm-unsafe-eval'"],
    ["/u/anna/", "owner.html", "text/html; charset=utf-8", "'self' 'wasm-unsafe-eval'"],
    ["/u/anna", "owner.html", "text/html; charset=utf-8", "'self' 'wasm-unsafe-eval'"],
    ["/page/style.css", "style.css", "text/css; charset=utf-8", "'none'"],
    ["/page/api.mjs", "api.mjs", "text/javascript; charset=utf-8", "'none'"],
    ["/page/icon.svg", "icon.svg", "image/svg+xml", "'none'"],
    ["/openapi.json", "../admin/openapi.json", "application/json", "'none'"],
  ]) {
    test(`${path} is served with its headers`, async () => {
      const { status, headers, body } = await get(url, path, { headers: HTML });
      assert.equal(status, 200);
      const source = files.find((name) => name.endsWith(`/${file}`)) ?? file;
      assert.equal(gunzipSync(body).toString(), await packed(source));
      const {
        date,
        connection,
        "keep-alive": alive,
        "transfer-encoding": chunked,
        "content-length": length,
        etag,
        ...rest
      } = headers;
      assert.deepEqual(rest, {
        "content-type": type,
        "content-encoding": "gzip",
        "content-security-policy": policy(script),
        "cache-control": "no-cache",
        "x-content-type-options": "nosniff",
        "referrer-policy": "no-referrer",
        "x-frame-options": "DENY",
        "cross-origin-opener-policy": "same-origin",
        "cross-origin-resource-policy": "same-origin",
        ...(["home.html", "owner.html"].includes(file) && { vary: "accept" }),
      });
      assert.match(etag, /^"[0-9a-f]{16}"$/);
      const again = await get(url, path, { headers: { ...HTML, "if-none-match": `W/${etag}` } });
      assert.deepEqual([again.status, again.body.length, again.headers.etag], [304, 0, etag]);
      assert.equal(again.headers["content-security-policy"], policy(script));
      const changed = await get(url, path, { headers: { ...HTML, "if-none-match": '"0000000000000000"' } });
      assert.equal(changed.status, 200);
      const head = await get(url, path, { method: "HEAD", headers: HTML });
      assert.deepEqual([head.status, head.body.length, head.headers.etag], [200, 0, etag]);
    });
  }

  test("a browser gets a page, and a client the greeting", async () => {
    const answer = async (accept, method) => {
      const { status, headers } = await get(url, "/", { method, headers: { accept } });
      return [status, headers["content-type"], headers.vary];
    };
    const [page, greeting] = [
      [200, "text/html; charset=utf-8", "accept"],
      [200, "application/json", undefined],
    ];
    assert.deepEqual(await answer("text/html,application/xhtml+xml,*/*;q=0.8"), page);
    assert.deepEqual(await answer("text/html", "HEAD"), page);
    for (const accept of ["*/*", "application/json"]) assert.deepEqual(await answer(accept), greeting);
    assert.deepEqual(await answer("*/*", "HEAD"), greeting); // Claude Code at its start
  });

  test("the module of the page is the worker's", async () => {
    const { headers, body } = await get(url, "/page/app.wasm");
    assert.equal(headers["content-type"], "application/wasm");
    assert.deepEqual(gunzipSync(body), await readFile(new URL("../../build/app.wasm", import.meta.url)));
  });

  test("all else goes to the module", async () => {
    for (const path of [
      "/page/",
      "/page/nothing.mjs",
      "/page/../admin.mjs",
      "/page/%2e%2e%2fapp.wasm",
      "/page/constructor",
      "/admin/x",
      "/u/No%20body/",
      "/u//",
    ]) {
      const { headers } = await get(url, path, { headers: HTML });
      // the policy of answers, not of a page
      assert.equal(headers["content-security-policy"], "sandbox; default-src 'none'", path);
    }
    assert.match((await get(url, "/u/anna/")).body.toString(), /This is edgelingua/);
    assert.equal((await get(url, "/admin", { method: "POST" })).status, 404);
  });

  test("a first view is small", async () => {
    for (const page of Object.keys(MOST)) {
      const seen = new Set();
      let size = 0;
      // The demo opens with Try it; other pages load Try it later. Watch, Requests and Recordings are
      // loaded when opened.
      const named =
        page === "home.html"
          ? /(?:from "\.\/|import\("\.\/(?!(?:watch|requests|recordings)\.mjs)|(?:src|href)="\/page\/)([\w.-]+)"/g
          : /(?:from "\.\/|(?:src|href)="\/page\/)([\w.-]+)"/g;
      const load = async (name) => {
        if (seen.has(name)) return;
        seen.add(name);
        const { body } = await get(
          url,
          name === page
            ? { "home.html": "/", "admin.html": "/admin", "owner.html": "/u/anna/" }[page]
            : `/page/${name}`,
          { headers: HTML },
        );
        size += body.length;
        const text = gunzipSync(body).toString();
        for (const [, next] of text.matchAll(named)) await load(next);
      };
      await load(page);
      assert.ok(seen.size > 10 && !seen.has("app.wasm"));
      assert.ok(size < MOST[page], `${page}: ${size} bytes`);
    }
  });

  test("no file makes HTML of a text, or holds what the policy refuses", async () => {
    const views = ["anthropic", "chat", "responses", "gemini", "interactions"].map(
      (name) => `../../translator/${name}/page.mjs`,
    );
    for (const name of [...files, ...views]) {
      const text = await readFile(new URL(name, folder), "utf8");
      assert.doesNotMatch(
        text,
        /innerHTML|outerHTML|insertAdjacentHTML|document\.write|srcdoc|DOMParser|\beval\(|new Function|sessionStorage|document\.cookie/,
        name,
      );
      // api.mjs stores there the secret that binds a session to the origin, and no key
      if (name !== "lib/api.mjs") assert.doesNotMatch(text, /localStorage/, name);
      if (name.endsWith(".html"))
        assert.doesNotMatch(
          text,
          /<style|\son\w+=|\sstyle=|<script(?! type="module" src="\/page\/)|https?:/,
          name,
        );
    }
  });

  test("a file is served with all of its imports from one folder", async () => {
    for (const name of files.filter((name) => name.endsWith(".mjs"))) {
      const [room, file] = name.split("/");
      const source = await readFile(new URL(name, folder), "utf8");
      for (const [, other] of source.matchAll(/(?:from |import\()"\.\.\/([^/"]*)\//g))
        assert.ok(ROOMS[room].includes(other), `${name} imports ../${other}`);
      const { status, body } = await get(url, `/page/${file}`);
      assert.equal(status, 200, file);
      const served = gunzipSync(body).toString();
      assert.equal(served, await packed(name), file);
      for (const [, other] of served.matchAll(/(?:from |import\()"\.\/([^"]*)"/g))
        assert.equal((await get(url, `/page/${other}`)).status, 200, `${file} imports ${other}`);
    }
  });

  test("ready-made settings work as they are", async (t) => {
    const headers = { authorization: `Bearer ${ADMIN_KEY}` };
    const record = { name: "anna", upstreams: [{ name: "up", protocol: "chat", url: up.url }] };
    const { key } = await fetch(`${url}/admin/api/endpoints`, {
      method: "POST",
      headers,
      body: JSON.stringify(record),
    }).then((r) => r.json());
    up.serve((x) => answer(x, "Hello."));
    const all = settingsFor({ base: `${url}/u/anna`, key, model: "gpt-5.5" });
    const run = promisify(execFile);
    const place = await mkdtemp(fileURLToPath(new URL("../node_modules/.settings-", import.meta.url)));
    t.after(() => rm(place, { recursive: true }));
    for (const id of ["openai", "anthropic"]) {
      const { code } = all.find((s) => s.id === id).steps.find(({ where }) => where === "TypeScript");
      await writeFile(`${place}/${id}.mjs`, code);
      assert.equal((await run(process.execPath, [`${place}/${id}.mjs`])).stdout, "Hello.\n", id);
    }
    // A thinking model sends a thinking block before its text, so the code must not use content[0].
    assert.doesNotMatch(
      all.find((s) => s.id === "anthropic").steps.find(({ where }) => where === "Python").code,
      /content\[0\]/,
    );
    for (const { where, code } of all.find((s) => s.id === "curl").steps)
      assert.match((await run("bash", ["-c", code])).stdout, /Hello\./, where);
  });
});

test("a model goes where the worker sends it", async () => {
  const cases = JSON.parse(
    await readFile(new URL("../../worker/endpoint/testdata/choose.json", import.meta.url)),
  );
  for (const { upstreams, cloudflare, model, to } of cases) {
    const list = Object.entries(upstreams).map(([name, models]) => ({
      name,
      url: name === cloudflare ? "cloudflare:ai" : "https://api.example.com",
      ...(models && { models }),
    }));
    assert.deepEqual(
      choose(list, model).map((c) => [c.upstream.name, c.model]),
      to,
      JSON.stringify({ upstreams, model }),
    );
  }
  assert.deepEqual(namesOf([{ models: { "a*": "x", b: "y" } }, { models: ["b", "c"] }, {}]), ["b", "c"]);
});

test("events are read however they are cut", () => {
  const read = (chunks) => {
    const reader = new Reader();
    return chunks.flatMap((chunk) => reader.push(chunk));
  };
  const want = [
    { event: "", data: "é" },
    { event: "x", data: "a\nb" },
    { event: "", data: "{}" },
    { event: "y", data: ":c" },
  ];
  for (const line of ["\n", "\r\n", "\r"]) {
    const text = [
      "data: é",
      "",
      ": note",
      "",
      "event: x",
      "data: a",
      "data:b",
      "",
      "id: 7",
      "data: {}",
      "",
      "event:y",
      "data: :c",
      "",
      "data: cut",
    ].join(line);
    const bytes = new TextEncoder().encode(text);
    assert.deepEqual(read([bytes]), want);
    assert.deepEqual(read([...bytes].map((byte) => Uint8Array.of(byte))), want, JSON.stringify(line));
    for (let i = 1; i < bytes.length; i++)
      assert.deepEqual(read([bytes.subarray(0, i), bytes.subarray(i)]), want, `${JSON.stringify(line)} ${i}`);
  }
  const large = new Uint8Array(600_000).fill(97);
  assert.deepEqual(read([large, large, new TextEncoder().encode("\n\ndata: on\n\n")]), [
    { event: "", data: "an event of more than 1 MB" },
    { event: "", data: "on" },
  ]);
});

test("settings hold keys and models of any form", async () => {
  const odd = `m'"$(x)\\`;
  const all = Object.fromEntries(
    settingsFor({ base: "https://x.example/u/anna", key: `k'"`, model: odd }).map((s) => [
      s.id,
      s.steps.map(({ code }) => code),
    ]),
  );
  const { env } = JSON.parse(all["claude-code"][0]);
  assert.deepEqual(env, {
    ANTHROPIC_BASE_URL: "https://x.example/u/anna",
    ANTHROPIC_AUTH_TOKEN: `k'"`,
    ANTHROPIC_MODEL: odd,
    ANTHROPIC_DEFAULT_OPUS_MODEL: odd,
    ANTHROPIC_DEFAULT_SONNET_MODEL: odd,
    ANTHROPIC_DEFAULT_HAIKU_MODEL: odd,
  });
  const { stdout } = await promisify(execFile)("bash", [
    "-c",
    `${all["claude-code"][1]}\nprintf '%s|%s' "$ANTHROPIC_AUTH_TOKEN" "$ANTHROPIC_MODEL"`,
  ]);
  assert.equal(stdout, `k'"|${odd}`);
  const opencode = JSON.parse(all.opencode[0]);
  assert.equal(opencode.provider.edgelingua.options.baseURL, "https://x.example/u/anna/v1");
  assert.deepEqual(opencode.provider.edgelingua.models, {
    [odd]: { name: odd, attachment: true, modalities: { input: ["text", "image"], output: ["text"] } },
  });
  assert.match(all.codex[0], /^base_url = "https:\/\/x\.example\/u\/anna\/v1"$/m);
  assert.match(all.codex[0], /^wire_api = "responses"$/m);
  assert.ok(all.codex[0].startsWith(`model = ${JSON.stringify(odd)}\n`));
  const served = settingsFor({ base: "https://x.example/u/anna", key: "k", model: odd, claude: true })[0]
    .steps[0].code;
  assert.deepEqual(Object.keys(JSON.parse(served).env), ["ANTHROPIC_BASE_URL", "ANTHROPIC_AUTH_TOKEN"]);
});

test("every preset can be sent as it is", () => {
  for (const { id, url, protocol } of presets) {
    assert.ok(["anthropic", "chat", "responses", "gemini", "interactions"].includes(protocol), id);
    if (url.includes("<"))
      assert.throws(() => new URL(url), id); // the user must name the resource; until then no key is sent
    else if (id !== "other") assert.equal(new URL(url).href.replace(/\/$/, ""), url);
  }
});
