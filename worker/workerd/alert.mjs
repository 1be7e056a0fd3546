// Sends the alerts in an object's database to webhooks ("Alerts" in worker/bridge/doc.go).
import * as seal from "./seal.mjs";

const encoder = new TextEncoder();
const decoder = new TextDecoder();
const TIMEOUT = 10_000; // ms for a webhook's answer
const AGENT = "edgelingua"; // every deployment refuses requests with this user-agent, so none alerts itself

// The same SQL as in wasmtest/host/alerts.go, which explains it.
const CLAIM =
  "UPDATE alert SET tries = tries + 1, due = unixepoch() + CASE tries WHEN 0 THEN 30 WHEN 1 THEN 120 " +
  "WHEN 2 THEN 600 WHEN 3 THEN 3600 END WHERE (kind, subject, hook) IN (SELECT kind, subject, hook " +
  "FROM alert WHERE due <= unixepoch() ORDER BY due LIMIT 10) " +
  "RETURNING kind, subject, hook, period, format, sealed, context, body";
const SENT =
  "UPDATE alert SET status = ?5, body = CASE WHEN ?5 BETWEEN 200 AND 299 THEN '' ELSE body END, " +
  "due = CASE WHEN ?5 BETWEEN 200 AND 299 THEN NULL ELSE max(due, unixepoch() + min(?6, 3600)) END " +
  "WHERE kind = ?1 AND subject = ?2 AND hook = ?3 AND period = ?4";
const NEXT = "SELECT min(due) AS alarm FROM alert";

// sendAlerts sends the due alerts of an object, and resolves with the time of the next one in Unix
// seconds, or null.
export async function sendAlerts(env, { sql }) {
  const sent = await Promise.all(
    [...sql.exec(CLAIM).raw()].map(async ([kind, subject, hook, period, ...alert]) => {
      const answer = await post(env, ...alert).catch(({ message }) => {
        console.error(`edgelingua: an alert was not sent: ${message}`);
        return [0, 0];
      });
      return [kind, subject, hook, period, ...answer];
    }),
  );
  try {
    for (const alert of sent) sql.exec(SENT, ...alert);
    return sql.exec(NEXT).one().alarm;
  } catch (error) {
    if (!error.message.includes("no such table: alert")) throw error;
    return null; // the webhook was removed meanwhile
  }
}

// post resolves with the status of the webhook's answer and the seconds in its Retry-After. No error
// names the URL, which may be a secret.
async function post(env, format, sealed, context, body) {
  const [target, secret] =
    sealed === "" ? [env.ALERT_URL, env.ALERT_SECRET] : await opened(env, context, sealed);
  const url = URL.parse(target ?? "");
  if (!url) throw new Error("its webhook is not set any more");
  const text = format === "ntfy" ? forTopic(url, body) : body;
  const time = Math.floor(Date.now() / 1000);
  try {
    const response = await fetch(url, {
      method: "POST",
      headers: {
        "content-type": "application/json",
        "user-agent": AGENT,
        "x-edgelingua-signature": `t=${time},v1=${await hmac(secret, `${time}.${text}`)}`,
      },
      body: text,
      redirect: "manual",
      signal: AbortSignal.timeout(TIMEOUT),
    });
    await response.body?.cancel(); // unread
    if (!response.ok) console.error(`edgelingua: an alert was not sent: status ${response.status}`);
    const wait = response.headers.get("retry-after") ?? "";
    return [response.status, /^\d{1,9}$/.test(wait) ? Number(wait) : 0]; // a date counts as 0
  } catch (error) {
    throw new Error(error.name === "TimeoutError" ? "timeout" : "its webhook can't be reached");
  }
}

async function opened(env, context, sealed) {
  const [code, bytes] = await seal.open(env, encoder.encode(context), sealed);
  if (code === 1) throw new Error("its webhook does not open");
  return decoder.decode(bytes).split("\n");
}

async function hmac(secret, text) {
  const algorithm = { name: "HMAC", hash: "SHA-256" };
  const key = await crypto.subtle.importKey("raw", encoder.encode(secret), algorithm, false, ["sign"]);
  return new Uint8Array(await crypto.subtle.sign("HMAC", key, encoder.encode(text))).toHex();
}

// forTopic returns an alert with the topic in the path of ntfy's URL, and removes the topic from the URL:
// ntfy reads JSON only at its root (docs.ntfy.sh/publish, "Publish as JSON").
function forTopic(url, body) {
  const at = url.pathname.lastIndexOf("/") + 1;
  const topic = decodeURIComponent(url.pathname.slice(at));
  url.pathname = url.pathname.slice(0, at);
  return JSON.stringify({ topic, ...JSON.parse(body) });
}
