// The deployment's state for the program, stored in bindings. Each function resolves with the
// arguments of the export settle: a code, and bytes. worker/bridge/doc.go describes the functions.

const encoder = new TextEncoder();
const NOTHING = new Uint8Array(0);
const NOT_FOUND = [1, NOTHING];
const DONE = [0, NOTHING];

// The lines to add to wrangler.toml if a binding is missing. Without an id, Wrangler creates the KV
// namespace on deploy.
const MISSING = {
  ENDPOINTS: '[[kv_namespaces]] binding = "ENDPOINTS"',
  ENDPOINT_STATE:
    '[[durable_objects.bindings]] name = "ENDPOINT_STATE" class_name = "EndpointState", ' +
    'and [[migrations]] tag = "v1" new_sqlite_classes = ["EndpointState"]',
};

function bound(env, name) {
  if (env[name] === undefined)
    throw new Error(`There is no binding ${name}. Add to wrangler.toml: ${MISSING[name]}.`);
  return env[name];
}

export async function kvGet(env, key) {
  const { value, metadata } = await bound(env, "ENDPOINTS").getWithMetadata(key, "arrayBuffer");
  if (value === null) return NOT_FOUND;
  const about = metadata === null ? NOTHING : encoder.encode(JSON.stringify(metadata));
  const bytes = new Uint8Array(4 + about.length + value.byteLength);
  new DataView(bytes.buffer).setUint32(0, about.length, true);
  bytes.set(about, 4);
  bytes.set(new Uint8Array(value), 4 + about.length);
  return [0, bytes];
}

export async function kvPut(env, key, value, metadata, expiration) {
  const options = {};
  if (metadata !== "") options.metadata = parse(metadata);
  if (expiration !== 0) options.expiration = expiration;
  await bound(env, "ENDPOINTS").put(key, value, options);
  return DONE;
}

function parse(metadata) {
  try {
    return JSON.parse(metadata);
  } catch {
    throw new Error("KV PUT failed: the metadata is not JSON");
  }
}

export async function kvDelete(env, key) {
  await bound(env, "ENDPOINTS").delete(key);
  return DONE;
}

export async function kvList(env, prefix, cursor, limit) {
  const { keys, cursor: next } = await bound(env, "ENDPOINTS").list({
    prefix,
    limit,
    cursor: cursor || undefined,
  });
  return [0, encoder.encode(JSON.stringify({ keys, cursor: next ?? "" }))];
}

export async function batch(env, object, statements) {
  return [0, await bound(env, "ENDPOINT_STATE").getByName(object).batch(statements)];
}

// account runs statements in an object. If the last one has a row, account runs the packed statements
// merge, if any, in the object further, with the row's text as the argument of each.
export async function account(env, object, statements, further, merge) {
  const states = bound(env, "ENDPOINT_STATE");
  const text = await states.getByName(object).account(statements);
  if (text !== undefined && merge.length > 0) await states.getByName(further).merge(merge, text);
}

export async function change(env, object, ...change) {
  bound(env, "ENDPOINTS");
  await bound(env, "ENDPOINT_STATE")
    .getByName(object)
    .change(...change);
  return DONE;
}
