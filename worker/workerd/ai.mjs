// Cloudflare's own models through the binding AI, for upstreams at cloudflare:ai
// (worker/endpoint/cloudflare.go). Like a server, the binding answers with a Response. Unlike a
// server, it accepts the body as an object (cloudflare/workerd, src/cloudflare/internal/ai-api.ts).
const BASE = "cloudflare:ai/";
const MISSING =
  'there is no binding AI. Add to wrangler.toml: [ai] binding = "AI". ' +
  "Or set CLOUDFLARE_ACCOUNT_ID and CLOUDFLARE_API_TOKEN";

const decoder = new TextDecoder();

export const isAI = (url) => url.startsWith(BASE);

// ask resolves with the answer to a request at a cloudflare:ai URL: a list of models if there is no
// body, else the answer of a model. headers are pairs. Of them the binding gets only the one that
// identifies the session.
export async function ask(ai, headers, body, signal) {
  if (typeof ai?.run !== "function") throw new Error(MISSING);
  if (body === null)
    return Response.json({ result: await ai.models({ task: "Text Generation", per_page: 1000 }) });
  // The binding is an object of the isolate, out of reach of a request to a URL. wrangler.toml does
  // not bind AI: with the binding `wrangler dev` needs an account, and asks there. The decoder of
  // Chat reads answers of older models, {"response": ...}; a translation here would be a second
  // translator.
  const { model, ...inputs } = JSON.parse(decoder.decode(body));
  const affine = headers.filter(([name]) => name === "x-session-affinity");
  return ai.run(model, inputs, {
    returnRawResponse: true,
    signal,
    ...(affine.length > 0 && { extraHeaders: Object.fromEntries(affine) }),
  });
}
