// An upstream that plays turns (lib/turns.mjs) for good requests, and refuses all others as its vendor would.
import assert from "node:assert/strict";
import { upstreams } from "../turns.mjs";
import * as chat from "./chat.mjs";
import * as gemini from "./gemini.mjs";
import * as interactions from "./interactions.mjs";
import * as messages from "./messages.mjs";
import * as responses from "./responses.mjs";
import { Refusal } from "./shape.mjs";

const rules = { anthropic: messages, chat, responses, gemini, interactions };

// Issued is what a vendor has signed or encrypted, and must get back unchanged.
export class Issued {
  blobs = new Map(); // blob -> the text that was signed, or the item's id
  before = new Map(); // a call's id -> the reasoning in front of the call
  items = new Map(); // an item's id -> the item, of answers that a Responses API stores

  note({ reasoning = [], calls = [], compaction }) {
    if (compaction) this.blobs.set(compaction);
    for (const { blob, id, text } of reasoning) if (blob) this.blobs.set(blob, id ?? text);
    if (reasoning.length > 0) for (const { id } of calls) this.before.set(id, reasoning);
  }
}

// vendor makes an upstream of lib/upstream.mjs strict. It plays turns one after the other; turns may also be a function that
// returns the next one. A turn that is a function of the exchange answers by itself. asked has the bodies of the good requests,
// streamed whether each asked for a stream, refused the reasons for which the others were refused. options are those of the
// protocol's check.
export function vendor(up, protocol, turns, options) {
  const { check, refusal } = rules[protocol];
  const issued = new Issued();
  const asked = [];
  const streamed = [];
  const refused = [];
  const left = typeof turns === "function" ? { shift: turns } : [...turns];
  up.serve(async (x) => {
    try {
      check(x.json, issued, { ...options, headers: x.headers, path: x.path });
      asked.push(x.json);
      streamed.push((upstreams[protocol].streams ?? (({ json }) => json.stream ?? false))(x));
      const turn = left.shift();
      assert.ok(turn, "one request more than there are turns");
      if (typeof turn === "function") return await turn(x);
      issued.note(turn);
      const played = upstreams[protocol].play(x, turn);
      for (const item of x.items ?? []) issued.items.set(item.id, item);
      return await played;
    } catch (err) {
      refused.push(err.message);
      return x.answer(400, refusal(err instanceof Refusal ? err : { message: err.stack }));
    }
  });
  return { asked, streamed, refused, left };
}
