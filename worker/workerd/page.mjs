// Serves the files of the page in the browser, and the Admin API's description, without starting the
// module. build.sh compresses the files with gzip and writes pages.mjs.
import { pathname } from "./dialect.mjs";
import { files } from "./pages.mjs";

const TYPES = {
  html: "text/html; charset=utf-8",
  css: "text/css; charset=utf-8",
  mjs: "text/javascript; charset=utf-8",
  json: "application/json",
  svg: "image/svg+xml",
  wasm: "application/wasm",
};

// policy allows nothing from other origins, no inline script, and no text as HTML. A page with "Try
// it" may compile the module.
const policy = (script) =>
  `default-src 'none'; script-src ${script}; style-src 'self'; img-src 'self'; ` +
  "connect-src 'self'; base-uri 'none'; " +
  "form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'";
const policyOf = (name) => policy(name.endsWith(".html") ? "'self' 'wasm-unsafe-eval'" : "'none'");

const HEADERS = {
  "cache-control": "no-cache",
  "x-content-type-options": "nosniff",
  "referrer-policy": "no-referrer",
  "x-frame-options": "DENY",
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-resource-policy": "same-origin",
};

// page answers a request for a file, and returns undefined for any other request.
export function page(request) {
  if (request.method !== "GET" && request.method !== "HEAD") return undefined;
  const name = nameOf(pathname(request.url), request.headers.get("accept") ?? "");
  const file = Object.hasOwn(files, name) ? files[name] : undefined;
  if (!file) return undefined;
  const etag = tagOf(file);
  const headers = {
    ...HEADERS,
    etag,
    "content-type": TYPES[name.split(".").pop()],
    "content-security-policy": policyOf(name),
  };
  if (name.endsWith(".html") && name !== "admin.html") headers.vary = "accept";
  if (request.headers.get("if-none-match")?.replace("W/", "") === etag)
    return new Response(null, { status: 304, headers });
  headers["content-encoding"] = "gzip";
  return new Response(request.method === "HEAD" ? null : file, { headers, encodeBody: "manual" });
}

// nameOf returns the name of the file for a path, or "". At / and /u/NAME a browser, recognized by
// the accept header, gets the deployment's or the owner's page. An API client gets the program's
// greeting.
function nameOf(path, accept) {
  if (path === "/admin" || path === "/admin/") return "admin.html";
  if (path === "/openapi.json") return "openapi.json";
  const browser = accept.includes("text/html");
  if (path === "/") return browser ? "home.html" : "";
  if (/^\/u\/[a-z0-9-]{1,40}\/?$/.test(path)) return browser ? "owner.html" : "";
  return path.startsWith("/page/") ? path.slice("/page/".length) : "";
}

// tagOf returns an ETag made of the CRC and the size at the end of a gzip file.
function tagOf(file) {
  const end = new Uint8Array(file, file.byteLength - 8);
  return `"${[...end].map((byte) => byte.toString(16).padStart(2, "0")).join("")}"`;
}
