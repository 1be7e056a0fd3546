// The shapes of values. A shape is a function (value, path). If the value does not have the shape,
// the function throws a Refusal.

class Refusal extends Error {
  constructor(path, message) {
    super(path ? `${path}: ${message}` : message);
    this.path = path;
  }
}

export const refuse = (path, message) => {
  throw new Refusal(path, message);
};

const kindOf = (value) => (value === null ? "null" : Array.isArray(value) ? "array" : typeof value);

const kind = (name) => (value, path) =>
  kindOf(value) === name || refuse(path, `must be ${name}, not ${kindOf(value)}`);

export const anything = () => {};
export const boolean = kind("boolean");
export const anyObject = kind("object");

// text is a string. With filled the string must have a character other than white space.
export const text =
  ({ filled = false } = {}) =>
  (value, path) => {
    kind("string")(value, path);
    if (filled && value.trim() === "") refuse(path, "must not be empty");
  };

export const number = (min, max) => (value, path) => {
  kind("number")(value, path);
  if (value < min || value > max) refuse(path, `must be from ${min} to ${max}, not ${value}`);
};

export const integer =
  (min, max = Number.MAX_SAFE_INTEGER) =>
  (value, path) => {
    number(min, max)(value, path);
    if (!Number.isInteger(value)) refuse(path, "must be an integer");
  };

export const oneOf =
  (...values) =>
  (value, path) =>
    values.includes(value) ||
    refuse(path, `must be one of ${values.join(", ")}, not ${JSON.stringify(value)}`);

export const nullable = (shape) => (value, path) => value === null || shape(value, path);

export const list = (shape) => (value, path) => {
  kind("array")(value, path);
  value.forEach((element, i) => shape(element, `${path}[${i}]`));
};

// tagged is one of several objects. The value of the member tag decides which.
export const tagged = (tag, shapes) => (value, path) => {
  anyObject(value, path);
  const shape = Object.hasOwn(shapes, value[tag])
    ? shapes[value[tag]]
    : refuse(`${path}.${tag}`, `unknown value ${JSON.stringify(value[tag])}`);
  shape(value, path);
};

// either is one shape for strings and another shape for all other values.
export const either = (string, other) => (value, path) =>
  (typeof value === "string" ? string : other)(value, path);
