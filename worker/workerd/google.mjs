// Google's tokens for service accounts ("Using OAuth 2.0 for Server to Server Applications",
// developers.google.com/identity/protocols/oauth2/service-account). worker/bridge/doc.go,
// "Secrets", describes token.
import { digest, open } from "./seal.mjs";

const ADDRESS = "https://oauth2.googleapis.com/token";
const SCOPE = "https://www.googleapis.com/auth/cloud-platform";
const GRANT = "urn:ietf:params:oauth:grant-type:jwt-bearer";
const PATIENCE = 10_000; // ms
const LEFT = 60; // seconds for which a cached token must still be valid
const MAX_ANSWER = 64 << 10; // bytes
const BASE64URL = { alphabet: "base64url", omitPadding: true };

const encoder = new TextEncoder();
const decoder = new TextDecoder();
// UNOPENED has the words of endpoint.Unopened.
const UNOPENED =
  "the key can't be opened. If SEAL_KEY has changed, start with the former one, or with both " +
  "(SEAL_KEY_PREVIOUS). If it is lost, set this key again.";

// kept caches the token of the deployment's own service account. The cache key is the digest of
// UPSTREAM_KEY, so only a worker with the same key gets the token.
const kept = new Map();

// token resolves with the arguments of the export settle.
export async function token(env, context, sealed) {
  if (sealed !== "") {
    const [code, secret] = await open(env, context, sealed);
    if (code === 1) throw new Error(UNOPENED);
    return outcomeOf(await tokenFor(decoder.decode(secret)));
  }
  const key = env.UPSTREAM_KEY ?? "";
  const id = decoder.decode((await digest(encoder.encode(key)))[1]);
  const now = Date.now() / 1000;
  if (!(kept.get(id)?.expires > now + LEFT)) {
    const one = await tokenFor(key);
    kept.clear();
    kept.set(id, one);
  }
  return outcomeOf(kept.get(id));
}

const outcomeOf = ({ expires, token }) => [0, encoder.encode(`${expires} ${token}`)];

async function tokenFor(text) {
  const account = objectOf(text);
  if (
    typeof account?.client_email !== "string" ||
    typeof account.private_key !== "string" ||
    account.type !== "service_account"
  ) {
    throw new Error(
      "the key is no service account's. Set the JSON that Google Cloud's console makes: " +
        "IAM, Service accounts, Keys.",
    );
  }
  const iat = Math.floor(Date.now() / 1000);
  const parts = [
    { alg: "RS256", typ: "JWT" },
    { iss: account.client_email, scope: SCOPE, aud: ADDRESS, iat, exp: iat + 3600 },
  ];
  const unsigned = parts.map((part) => encoder.encode(JSON.stringify(part)).toBase64(BASE64URL)).join(".");
  const signature = await crypto.subtle.sign(
    "RSASSA-PKCS1-v1_5",
    await privateKey(account.private_key),
    encoder.encode(unsigned),
  );
  const assertion = `${unsigned}.${new Uint8Array(signature).toBase64(BASE64URL)}`;
  const { status, said } = await ask(new URLSearchParams({ grant_type: GRANT, assertion }).toString());
  const { access_token: token = "", expires_in: seconds, error = "" } = said ?? {};
  if (status === 200 && /^[\x21-\x7e]{1,4096}$/.test(token) && seconds > 0)
    return { token, expires: iat + Math.min(Math.floor(seconds), 3600) };
  const code = /^[a-z_]{1,40}$/.test(error) ? `, ${error}` : "";
  if (status >= 500 || status === 429)
    throw new Error(`Google gives no token now (${status}${code}). Try again.`);
  throw new Error(
    `Google does not take the service account's key (${status}${code}). It was deleted or disabled, ` +
      "or the clock of this machine is wrong: make a new key, and set that.",
  );
}

async function ask(body) {
  try {
    const response = await fetch(ADDRESS, {
      method: "POST",
      headers: { "content-type": "application/x-www-form-urlencoded" },
      body,
      redirect: "manual",
      signal: AbortSignal.timeout(PATIENCE),
    });
    const bytes = await response.bytes();
    return {
      status: response.status,
      said: bytes.length <= MAX_ANSWER ? objectOf(decoder.decode(bytes)) : undefined,
    };
  } catch {
    throw new Error("Google's server of tokens can't be reached. Try again.");
  }
}

async function privateKey(pem) {
  try {
    const base64 = /^-----BEGIN PRIVATE KEY-----([A-Za-z0-9+/=\s]+)-----END PRIVATE KEY-----\s*$/
      .exec(pem)[1]
      .replace(/\s/g, "");
    return await crypto.subtle.importKey(
      "pkcs8",
      Uint8Array.fromBase64(base64),
      { name: "RSASSA-PKCS1-v1_5", hash: "SHA-256" },
      false,
      ["sign"],
    );
  } catch {
    throw new Error(
      "the private key of the service account is none. " +
        "Set the whole JSON that Google Cloud's console has made.",
    );
  }
}

// objectOf parses a text as a JSON object, and returns undefined for any other text.
function objectOf(text) {
  try {
    const value = JSON.parse(text);
    return value !== null && typeof value === "object" ? value : undefined;
  } catch {
    return undefined;
  }
}

// withoutPrivateKey returns UPSTREAM_KEY for the program, without the private key of a service
// account.
export function withoutPrivateKey(key) {
  const account = key.trimStart().startsWith("{") ? objectOf(key) : undefined;
  return account?.private_key === undefined ? key : JSON.stringify({ ...account, private_key: "-" });
}
