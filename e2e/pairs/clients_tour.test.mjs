// A client's session that goes from one strict upstream to the next: thousands of streams, of which no test looks at the pace.
import { describe } from "node:test";
import { vendors } from "../lib/strict.mjs";
import { tour } from "./strict/tour.mjs";

describe("strict upstreams and a session that changes between them", () => tour(vendors({ BATCH: "0" })));
