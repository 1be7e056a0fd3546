// A live call, and what becomes of it in each protocol. It goes to the upstream in the upstream's own protocol, which the worker
// passes on as it is; the translator in this page makes the client's side of it, as the worker would.
import { reach } from "./api.mjs";
import { choose } from "./choose.mjs";
import { Exchange } from "./module.mjs";
import { apis, pathOf, streaming } from "./views.mjs";

const OTHER = "https://other.example"; // an upstream that only lends its protocol

// plan says how a client's body, which asks for the model asked, would be served by an endpoint, without sending anything: { upstream, sides }. A side is {
// protocol, role, request, exchange, refused, lost }: role is client, upstream, both or other. sent is what is to be sent, and
// where.
export async function plan(endpoint, client, body, asked = JSON.parse(body).model) {
  const choices = choose(endpoint.upstreams, asked);
  const { upstream } = choices[0];
  const { protocol } = upstream;
  const record = recordOf(upstream);
  const shown = await Exchange.open(client, recordOf(upstream, endpoint.options), pathOf(client, asked), body);
  const mine = await Exchange.open(client, record, pathOf(client, asked), body);
  const sides = [];
  sides.push({ protocol: client, role: client === protocol ? "both" : "client", request: body, exchange: mine.exchange, refused: shown.refused, lost: lostBy(shown, mine) });
  if (client !== protocol) sides.push({ protocol, role: "upstream", request: shown.request, lost: () => [] });
  for (const other of apis.map(({ name }) => name).filter((name) => name !== client && name !== protocol)) sides.push(await otherSide(other, client, record, body, asked));
  const request = JSON.parse(client === protocol ? body : (mine.request ?? "{}"));
  const direct = choices.length === 1 || asked.startsWith(`${upstream.name}/`);
  const model = direct ? asked : `${upstream.name}/${asked}`;
  const sent = { path: pathOf(protocol, model), body: JSON.stringify(streaming(protocol, model, request)) };
  return { upstream, sides, sent };
}

// otherSide is what a client of another protocol would get for the same question.
async function otherSide(other, client, record, body, asked) {
  const { request, refused } = await Exchange.open(client, recordOf({ name: "other", protocol: other, url: OTHER }), pathOf(client, asked), body);
  if (refused) return { protocol: other, role: "other", refused, lost: () => [] };
  const { exchange, refused: no } = await Exchange.open(other, record, pathOf(other, asked), request);
  return { protocol: other, role: "other", request, exchange, refused: no, lost: lostBy({ exchange }) };
}

// lostBy reads what exchanges have lost so far, each field once.
const lostBy = (...opened) => () => [...new Set(opened.flatMap(({ exchange }) => (exchange.report().lost ?? "").split(",").filter(Boolean)))];

// recordOf is an endpoint with one upstream, as the module takes it. Headers are of no concern, and their values not known.
function recordOf({ name, protocol, url, models, options }, endpointOptions) {
  const { headers, ...rest } = options ?? {};
  return { version: 1, upstreams: [{ name, protocol, url, ...(models && { models }), options: rest }], ...(endpointOptions && { options: endpointOptions }) };
}

// call sends what was planned, and hands each side's bytes to take(side, bytes) as they come. It resolves once all is over, with
// what broke the stream, if anything did. refuse(side, refusal) is told where the upstream or the worker refuses.
export async function call(base, key, { sides, sent }, { take, refuse, signal }) {
  const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
  const answer = await reach(base + sent.path, { method: "POST", headers, body: sent.body, signal });
  if (!answer.ok) {
    const text = await answer.text();
    for (const side of sides) refuse(side, isRaw(side) ? { status: answer.status, body: text } : side.exchange.refuse(answer.status, text));
    return undefined;
  }
  const open = new Set(sides.filter((side) => !isRaw(side)));
  const step = (side, { bytes, last }) => {
    if (bytes.length > 0) take(side, bytes);
    if (last) open.delete(side);
  };
  const reader = answer.body.getReader();
  let broken;
  for (;;) {
    let chunk;
    try {
      chunk = await reader.read();
    } catch (error) {
      broken = error;
      break;
    }
    if (chunk.done) break;
    for (const side of sides) if (isRaw(side)) take(side, chunk.value);
    for (const side of open) step(side, side.exchange.push(chunk.value));
  }
  for (const side of open) step(side, side.exchange.close(broken !== undefined));
  return broken;
}

// isRaw says whether a side gets what comes, as it comes.
const isRaw = ({ role }) => role === "upstream" || role === "both";
