// A live call, and its translation into each protocol. The request goes to the upstream in the
// upstream's own protocol, so the worker passes the request through. The translator in this page
// makes the client's side, as the worker would.
import { reach } from "../lib/api.mjs";
import { choose } from "../lib/choose.mjs";
import { openExchange } from "./module.mjs";
import { apis, pathOf, streaming } from "../lib/views.mjs";

const OTHER = "https://other.example"; // an upstream that only provides a protocol

// plan returns how an endpoint would serve a client's body for the model asked, and sends nothing:
// { upstream, sides, sent }. A side is { protocol, role, request, exchange, refused, lost }: role
// is client, upstream, both or other. sent is { path, body } of the call.
export async function plan(endpoint, client, body, asked = JSON.parse(body).model) {
  const choices = choose(endpoint.upstreams, asked);
  const [{ upstream, model: there }] = choices;
  const { protocol } = upstream;
  // A record needs a name, which the upstream of the deployment's variables does not have, and some
  // values of MODELS are not valid in a record.
  const served = upstream.name ? upstream : { ...upstream, name: "upstream", models: { [asked]: there } };
  const record = recordOf(served);
  const shown = await openExchange(client, recordOf(served, endpoint.options), pathOf(client, asked), body);
  const mine = await openExchange(client, record, pathOf(client, asked), body);
  const direct = choices.length === 1 || asked.startsWith(`${upstream.name}/`);
  const model = direct ? asked : `${upstream.name}/${asked}`;
  const sides = [];
  sides.push({
    protocol: client,
    role: client === protocol ? "both" : "client",
    request: body,
    exchange: mine.exchange,
    refused: shown.refused,
    lost: lostBy(shown, mine),
  });
  if (client !== protocol) sides.push({ protocol, role: "upstream", request: shown.request, lost: () => [] });
  for (const other of apis.map(({ name }) => name).filter((name) => name !== client && name !== protocol))
    sides.push(await otherSide(other, client, record, body, asked));
  const request = JSON.parse(client === protocol ? body : (mine.request ?? "{}"));
  const sent = { path: pathOf(protocol, model), body: JSON.stringify(streaming(protocol, model, request)) };
  return { upstream, sides, sent };
}

// otherSide returns the side of a client of another protocol with the same question.
async function otherSide(other, client, record, body, asked) {
  const { request, refused } = await openExchange(
    client,
    recordOf({ name: "other", protocol: other, url: OTHER }),
    pathOf(client, asked),
    body,
  );
  if (refused) return { protocol: other, role: "other", refused, lost: () => [] };
  const { exchange, refused: no } = await openExchange(other, record, pathOf(other, asked), request);
  return { protocol: other, role: "other", request, exchange, refused: no, lost: lostBy({ exchange }) };
}

// lostBy returns a function that returns the fields lost by exchanges so far, each once.
const lostBy =
  (...opened) =>
  () => [
    ...new Set(opened.flatMap(({ exchange }) => (exchange.report().lost ?? "").split(",").filter(Boolean))),
  ];

// recordOf returns the record of an endpoint with one upstream, for the module. The record has no
// headers: the page does not know their values, and the translation does not depend on them.
function recordOf({ name, protocol, url, models, options }, endpointOptions) {
  const { headers, ...rest } = options ?? {};
  return {
    version: 1,
    upstreams: [{ name, protocol, url, ...(models && { models }), options: rest }],
    ...(endpointOptions && { options: endpointOptions }),
  };
}

// call sends the planned request, and passes each side's bytes to take(side, bytes, at) as they
// arrive. at is the performance.now() of the upstream's chunk. The result is the error that ended
// the stream, or undefined. If the upstream or the worker refuses, refuse(side, { status, body })
// is called instead.
export async function call(base, key, { sides, sent }, { take, refuse, signal }) {
  const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
  const answer = await reach(base + sent.path, { method: "POST", headers, body: sent.body, signal });
  if (!answer.ok) {
    const text = await answer.text();
    for (const side of sides)
      refuse(
        side,
        isRaw(side)
          ? { status: answer.status, body: text }
          : side.exchange.answer(answer.status, text).refused,
      );
    return undefined;
  }
  const open = new Set(sides.filter((side) => !isRaw(side)));
  let at;
  const step = (side, { bytes, last }) => {
    if (bytes.length > 0) take(side, bytes, at);
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
    at = performance.now();
    for (const side of sides) if (isRaw(side)) take(side, chunk.value, at);
    for (const side of open) step(side, side.exchange.push(chunk.value));
  }
  at = performance.now();
  for (const side of open) step(side, side.exchange.close(broken !== undefined));
  return broken;
}

// isRaw reports whether a side shows the bytes of the call's answer unchanged.
export const isRaw = ({ role }) => role === "upstream" || role === "both";
