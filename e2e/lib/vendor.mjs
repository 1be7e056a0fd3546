// An upstream that answers valid requests with turns (lib/turns.mjs), and refuses all others like
// the real vendor. The doubles of the vendors are in package wasmtest/vendors; the package's
// program runs beside the tests.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { goProgram } from "./programs.mjs";

let started; // the URL of the program, which starts once per process

async function start() {
  const path = await goProgram("VENDORS", "vendord", "./wasmtest/vendors/vendord");
  const child = spawn(path, { stdio: ["pipe", "pipe", "inherit"] });
  const [url] = await Promise.race([
    once(createInterface({ input: child.stdout }), "line"),
    once(child, "exit").then(([code]) => Promise.reject(new Error(`${path} ended with ${code}`))),
  ]);
  // the program ends with the test process
  for (const held of [child, child.stdin, child.stdout]) held.unref();
  return url;
}

// call sends a request to the program.
async function call(path, body) {
  started ??= start();
  const response = await fetch(
    (await started) + path,
    body && { method: "POST", body: JSON.stringify(body) },
  );
  if (!response.ok) throw new Error(`${path}: ${await response.text()}`);
  return response.json();
}

// geminiMembers resolves with the allowed members of each object in a request to Gemini.
export const geminiMembers = () => call("/gemini/members");

// embeds makes up, an upstream of lib/upstream.mjs, a vendor with embeddings: "openai", "google" or
// "cloudflare". bodyOf returns the body of an exchange.
export const embeds = (up, name, bodyOf = ({ body }) => body.toString()) =>
  up.serve(async (x) => {
    const [path] = x.path.split("?");
    const { status, text } = await call("/embeddings", { vendor: name, path, body: bodyOf(x) });
    return x.answer(status, text);
  });

const sent = ({ path, headers, body }) => ({ path, header: headers, body: body.toString() });
const send = (x, { status, type, pieces }) =>
  type === "text/event-stream" ? x.stream(pieces) : x.answer(status, pieces.join(""));

// vendor makes up, an upstream of lib/upstream.mjs, strict. up answers with one turn after another.
// turns may also be a function that returns the next turn. If a turn is a function, the function
// gets the exchange and sends the answer itself. asked has the bodies of the valid requests,
// refused the reasons for refusing the others. x.refused of a refused exchange has the reason.
// options are the options of the double (vendors.Options).
export function vendor(up, protocol, turns, options = {}) {
  const asked = [];
  const refused = [];
  const left = typeof turns === "function" ? { shift: turns } : [...turns];
  const made = call("/vendors", { protocol, options });
  made.catch(() => {}); // each request reports the error
  const ask = async (what, x, more) => call(`/vendors/${(await made).id}/${what}`, { ...sent(x), ...more });
  const refuse = (x, why) => {
    x.refused = why;
    refused.push(why);
  };

  // take resolves with the answer to an exchange.
  async function take(x) {
    const checked = await ask("check", x);
    if (checked.refused) return checked;
    asked.push(x.json);
    const turn = left.shift();
    if (typeof turn === "function") return { own: turn };
    return ask("play", x, { turn });
  }

  let before = Promise.resolve(); // requests get their turns in order of arrival
  up.serve(async (x) => {
    const taken = before.then(() => take(x));
    before = taken.catch(() => {});
    try {
      const { refused: why, own, answer } = await taken;
      if (own) return await own(x);
      if (why) refuse(x, why);
      return await send(x, answer);
    } catch (err) {
      refuse(x, err.stack);
      return x.answer(400, { error: { message: err.stack } });
    }
  });
  return { asked, refused, left };
}
