// Hashes, seals and opens for the program, with WebCrypto. Each function resolves with the
// arguments of the export settle: a code, and bytes. worker/bridge/doc.go describes the functions.

const encoder = new TextEncoder();
const NOTHING = new Uint8Array(0);
const UNOPENED = [1, NOTHING];
const KEYS = { SEAL_KEY: 0, SEAL_KEY_PREVIOUS: 2 }; // results of open, by the key that opened the text
const MAX_SECRET = 64 << 10; // bytes
const MAX_SEALED = 88 << 10;
// the key's id, the nonce, and the ciphertext with its tag
const FORM = /^v1\.([\w-]{8})\.([\w-]{16})\.([\w-]+)$/;
const ID_DOMAIN = encoder.encode("edgelingua SEAL_KEY v1\0");
const BASE64URL = { alphabet: "base64url", omitPadding: true };

export async function digest(text) {
  return [0, encoder.encode(await hash(text))];
}

export async function seal(env, context, secret) {
  if (secret.length > MAX_SECRET)
    throw new Error(`A secret may have up to ${MAX_SECRET} bytes, and this one has ${secret.length}.`);
  const { id, bytes } = await keyOf(env, "SEAL_KEY");
  const nonce = crypto.getRandomValues(new Uint8Array(12));
  const key = await crypto.subtle.importKey("raw", bytes, "AES-GCM", false, ["encrypt"]);
  const sealed = await crypto.subtle.encrypt(
    { name: "AES-GCM", iv: nonce, additionalData: context },
    key,
    secret,
  );
  return [
    0,
    encoder.encode(`v1.${id}.${nonce.toBase64(BASE64URL)}.${new Uint8Array(sealed).toBase64(BASE64URL)}`),
  ];
}

export async function open(env, context, sealed) {
  const form = sealed.length <= MAX_SEALED && FORM.exec(sealed);
  if (!form) return unopened("it is not of their form");
  const [id, nonce, ciphertext] = form.slice(1);
  for (const [name, code] of Object.entries(KEYS)) {
    const found = await keyOf(env, name);
    if (found?.id !== id) continue;
    try {
      const key = await crypto.subtle.importKey("raw", found.bytes, "AES-GCM", false, ["decrypt"]);
      const secret = await crypto.subtle.decrypt(
        { name: "AES-GCM", iv: decode(nonce), additionalData: context },
        key,
        decode(ciphertext),
      );
      return [code, new Uint8Array(secret)];
    } catch {
      return unopened("it was changed, or is not where it was sealed for");
    }
  }
  return unopened(`its key ${id} is neither SEAL_KEY nor SEAL_KEY_PREVIOUS`);
}

function unopened(reason) {
  console.error(`edgelingua: a sealed text does not open: ${reason}`);
  return UNOPENED;
}

// keyOf returns a master key and its id, or undefined if SEAL_KEY_PREVIOUS is not set.
async function keyOf(env, name) {
  const text = env[name];
  if (!text && name !== "SEAL_KEY") return undefined;
  const bytes = masterKey(text);
  if (!bytes) {
    const wrong = text ? "is not 32 bytes in base64" : "is missing";
    throw new Error(`The secret ${name} ${wrong}. This makes one: openssl rand -base64 32`);
  }
  return { id: (await hash(concat(ID_DOMAIN, bytes))).slice(0, 8), bytes };
}

// masterKey decodes 32 bytes from base64url without padding, or from standard base64 with padding.
// It returns undefined for any other text.
function masterKey(text) {
  if (!/^[\w-]{43}$|^[A-Za-z0-9+/]{43}=$/.test(text)) return undefined;
  try {
    return decode(text.slice(0, 43).replaceAll("+", "-").replaceAll("/", "_"));
  } catch {
    return undefined;
  }
}

// decode accepts each value in one spelling only: otherwise the last character of a sealed text
// could be changed, and the text would still open.
function decode(text) {
  const bytes = Uint8Array.fromBase64(text, BASE64URL);
  if (bytes.toBase64(BASE64URL) !== text) throw new Error("not canonical");
  return bytes;
}

async function hash(bytes) {
  return new Uint8Array(await crypto.subtle.digest("SHA-256", bytes)).toBase64(BASE64URL);
}

function concat(a, b) {
  const both = new Uint8Array(a.length + b.length);
  both.set(a);
  both.set(b, a.length);
  return both;
}
