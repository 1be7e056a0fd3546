// The shapes of values. A shape is a function (value, path) that returns if the value has the shape, and otherwise throws a
// Refusal: what a vendor would answer with a 400.

export class Refusal extends Error {
  constructor(path, message) {
    super(path ? `${path}: ${message}` : message);
    this.path = path;
  }
}

export const refuse = (path, message) => {
  throw new Refusal(path, message);
};

const kindOf = (value) => (value === null ? "null" : Array.isArray(value) ? "array" : typeof value);

const kind = (name) => (value, path) => kindOf(value) === name || refuse(path, `must be ${name}, not ${kindOf(value)}`);

export const anything = () => {};
export const boolean = kind("boolean");
export const anyObject = kind("object");

// text is a string; filled: with a character that is not white space; at most max characters; matching pattern.
export const text = ({ filled = false, max = Infinity, pattern = null } = {}) => {
  return (value, path) => {
    kind("string")(value, path);
    if (filled && value.trim() === "") refuse(path, "must not be empty");
    if (value.length > max) refuse(path, `string too long: at most ${max} characters, not ${value.length}`);
    if (pattern && !pattern.test(value)) refuse(path, `must match ${pattern}: ${JSON.stringify(value.slice(0, 80))}`);
  };
};

export const number = (min, max) => (value, path) => {
  kind("number")(value, path);
  if (value < min || value > max) refuse(path, `must be from ${min} to ${max}, not ${value}`);
};

export const integer = (min, max = Number.MAX_SAFE_INTEGER) => (value, path) => {
  number(min, max)(value, path);
  if (!Number.isInteger(value)) refuse(path, "must be an integer");
};

export const oneOf = (...values) => (value, path) => values.includes(value) || refuse(path, `must be one of ${values.join(", ")}, not ${JSON.stringify(value)}`);

export const nullable = (shape) => (value, path) => value === null || shape(value, path);

export const list = (shape, { min = 0, max = Infinity } = {}) => (value, path) => {
  kind("array")(value, path);
  if (value.length < min) refuse(path, `must have at least ${min} elements`);
  if (value.length > max) refuse(path, `must have at most ${max} elements`);
  value.forEach((element, i) => shape(element, `${path}[${i}]`));
};

// object is an object with these members and no others. A member whose name ends with ? may be absent.
export const object = (members) => {
  const known = new Map(Object.entries(members).map(([name, shape]) => [name.replace("?", ""), shape]));
  const required = Object.keys(members).filter((name) => !name.endsWith("?"));
  return (value, path) => {
    anyObject(value, path);
    const at = (name) => (path ? `${path}.${name}` : name);
    for (const name of Object.keys(value)) if (!known.has(name)) refuse(at(name), "unknown field");
    for (const name of required) if (!(name in value)) refuse(at(name), "required");
    for (const name of Object.keys(value)) known.get(name)(value[name], at(name));
  };
};

// tagged is one of several objects, told apart by the value of a member.
export const tagged = (tag, shapes) => (value, path) => {
  anyObject(value, path);
  const shape = Object.hasOwn(shapes, value[tag]) ? shapes[value[tag]] : refuse(`${path}.${tag}`, `unknown value ${JSON.stringify(value[tag])}`);
  shape(value, path);
};

// either is one shape for strings and another one for everything else.
export const either = (string, other) => (value, path) => (typeof value === "string" ? string : other)(value, path);

// unique returns a function that refuses a value which it has had before.
export const unique = (what) => {
  const seen = new Set();
  return (value, path) => {
    if (seen.has(value)) refuse(path, `${what} must be unique: ${value}`);
    seen.add(value);
  };
};

export const base64 = text({ pattern: /^(?:[A-Za-z0-9+/]{4})+(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$|^[A-Za-z0-9+/]{2}==$|^[A-Za-z0-9+/]{3}=$/ });
export const webURL = text({ pattern: /^https?:\/\/[^\s]+$/ });
export const dataURL = (types) => text({ pattern: new RegExp(`^data:(?:${types});base64,[A-Za-z0-9+/]+={0,2}$`) });

// closed refuses a schema with an object that a strict mode would not take: one that allows other properties or, with all, does
// not require each of its own.
export function closed(schema, path, { all }) {
  if (kindOf(schema) === "array") return schema.forEach((element, i) => closed(element, `${path}[${i}]`, { all }));
  if (kindOf(schema) !== "object") return;
  if (schema.type === "object") {
    if (schema.additionalProperties !== false) refuse(path, "'additionalProperties' is required to be supplied and to be false");
    for (const name of all ? Object.keys(schema.properties ?? {}) : []) {
      if (!schema.required?.includes(name)) refuse(path, `'required' must include every key in properties: ${name} is missing`);
    }
  }
  for (const [name, value] of Object.entries(schema)) if (name !== "enum" && name !== "const") closed(value, `${path}.${name}`, { all });
}

// schemas calls see for a schema and for each one in it, but for those that values are only tested against.
function schemas(schema, path, see) {
  if (kindOf(schema) !== "object") return;
  see(schema, path);
  for (const name of ["properties", "$defs", "definitions"])
    for (const [key, value] of Object.entries(schema[name] ?? {})) schemas(value, `${path}.${name}.${key}`, see);
  for (const name of ["anyOf", "oneOf", "allOf", "prefixItems"]) schema[name]?.forEach((value, i) => schemas(value, `${path}.${name}[${i}]`, see));
  for (const name of ["items", "additionalProperties", "then", "else"]) schemas(schema[name], `${path}.${name}`, see);
}

// arrays refuses a schema with an array that does not say what it holds, or with a list of schemas in items, as OpenAI does.
export const arrays = (schema, path) =>
  schemas(schema, path, (node, at) => {
    if ([node.type].flat().includes("array") && !node.items) refuse(at, "array schema missing items");
    if (Array.isArray(node.items)) refuse(at, "is not of type 'object', 'boolean'");
  });

// draft refuses what is no schema by draft 2020-12, as Anthropic does: the tuples of older drafts.
export const draft = (schema, path) =>
  schemas(schema, path, (node) => {
    if (Array.isArray(node.items)) refuse(path, "JSON schema is invalid. It must match JSON Schema draft 2020-12");
  });

// told refuses a schema with keywords that a strict mode does not take: words has them, with a space around each.
export const told = (schema, path, words) =>
  schemas(schema, path, (node, at) => {
    for (const key of Object.keys(node)) if (words.includes(` ${key} `)) refuse(at, `'${key}' is not permitted`);
    if (words.includes(" minItems>1 ") && node.minItems > 1) refuse(at, "'minItems' values other than 0 or 1 are not supported");
  });

// What OpenAI's strict mode and Anthropic's structured outputs do not take.
export const notOpenAI = " allOf oneOf not if then else default uniqueItems minLength maxLength patternProperties prefixItems dependentRequired ";
export const notAnthropic = " oneOf not if then else minimum maximum exclusiveMinimum exclusiveMaximum multipleOf minLength maxLength maxItems uniqueItems minItems>1 ";

// objectAt refuses a schema of a tool's parameters that is not an object at its root.
export function objectAt(schema, path) {
  anyObject(schema, path);
  if (schema.type !== "object") refuse(`${path}.type`, "must be 'object'");
}

// rootObject refuses a schema of a tool's parameters that is not an object at its root, or has a union there.
export function rootObject(schema, path) {
  objectAt(schema, path);
  for (const name of ["oneOf", "anyOf", "allOf"]) if (name in schema) refuse(path, `does not support ${name} at the top level`);
}
