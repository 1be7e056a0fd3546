// The OpenAPI description of the Admin API and the owner API, and checks of answers against the
// description.
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";

const doc = JSON.parse(await readFile(new URL("../../worker/admin/openapi.json", import.meta.url), "utf8"));

const resolve = (node) =>
  node.$ref
    ? node.$ref
        .slice(2)
        .split("/")
        .reduce((at, name) => at[name], doc)
    : node;

// operations are the described operations: method, path, and responses by status.
const operations = Object.entries(doc.paths).flatMap(([path, { parameters, ...methods }]) =>
  Object.entries(methods).map(([method, { responses }]) => ({
    method: method.toUpperCase(),
    path,
    responses,
  })),
);

// operationOf returns the operation of a request.
export function operationOf(method, target) {
  const path = target.split("?")[0].split("/");
  const fits = (pattern) =>
    pattern.length === path.length && pattern.every((part, i) => part === path[i] || part.startsWith("{"));
  return operations.find((operation) => operation.method === method && fits(operation.path.split("/")));
}

// checkAnswer asserts that an answer matches the description of its operation.
export function checkAnswer({ responses }, { status, headers, json }) {
  assert.ok(responses[status], `${status} is not described: ${JSON.stringify(json)}`);
  const described = resolve(responses[status]);
  for (const name of Object.keys(described.headers ?? {})) assert.ok(headers[name], name);
  if (described.content) check(described.content["application/json"].schema, json, "");
  else assert.equal(json, undefined);
}

const types = {
  object: (v) => v !== null && typeof v === "object" && !Array.isArray(v),
  array: Array.isArray,
  string: (v) => typeof v === "string",
  integer: Number.isInteger,
  number: Number.isFinite,
  boolean: (v) => typeof v === "boolean",
  null: (v) => v === null,
};

// check asserts that a value matches a schema. It supports only the keywords in the description's
// schemas of answers.
function check(node, value, path) {
  const {
    type,
    enum: words,
    pattern,
    properties = {},
    required = [],
    additionalProperties: more = true,
    items,
    anyOf,
  } = resolve(node);
  if (anyOf)
    return assert.ok(
      anyOf.some((one) => types[one.type](value)),
      `${path} is of no kind`,
    );
  if (words) assert.ok(words.includes(value), path);
  if (type) assert.ok(types[type](value), `${path} is no ${type}: ${JSON.stringify(value)}`);
  if (pattern) assert.match(value, new RegExp(pattern), path);
  for (const name of required) assert.ok(name in value, `${path}.${name} is missing`);
  if (items) for (const [i, item] of value.entries()) check(items, item, `${path}[${i}]`);
  if (type !== "object") return;
  for (const [name, v] of Object.entries(value)) {
    const schema = properties[name] ?? more;
    assert.ok(schema !== false, `${path}.${name} is not described`);
    if (schema !== true) check(schema, v, `${path}.${name}`);
  }
}
