// The messages of a client's session in every order, and its searches, with upstreams that refuse what their vendors refuse.
import { describe } from "node:test";
import { vendors } from "../lib/strict.mjs";
import { order } from "./strict/order.mjs";
import { searches } from "./strict/searches.mjs";

describe("strict upstreams and the order of a session", () => {
  const upstreams = vendors();
  order(upstreams);
  searches(upstreams);
});
