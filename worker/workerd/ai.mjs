// Cloudflare's own models by the binding AI, which stands for the server at cloudflare:ai
// (worker/endpoint/cloudflare.go). As a server does, the binding answers with a Response, but it
// takes an object for a body (cloudflare/workerd, src/cloudflare/internal/ai-api.ts).
const BASE = "cloudflare:ai/";
const MISSING =
  'there is no binding AI. Add to wrangler.toml: [ai] binding = "AI". Or set CLOUDFLARE_ACCOUNT_ID and CLOUDFLARE_API_TOKEN';

const decoder = new TextDecoder();

export const isAI = (url) => url.startsWith(BASE);

// ask resolves with the answer to a request at such a URL: for a list of models where there is no
// body, else to a model. Of the request's headers, which are pairs, the binding takes the one that
// says which session it is.
export async function ask(ai, headers, body, signal) {
  if (typeof ai?.run !== "function") throw new Error(MISSING);
  if (body === null)
    return Response.json({ result: await ai.models({ task: "Text Generation", per_page: 1000 }) });
  const { model, ...inputs } = JSON.parse(decoder.decode(body));
  const affine = headers.filter(([name]) => name === "x-session-affinity");
  return ai.run(model, inputs, {
    returnRawResponse: true,
    signal,
    ...(affine.length > 0 && { extraHeaders: Object.fromEntries(affine) }),
  });
}
