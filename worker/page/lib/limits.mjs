// The limits of an endpoint or a key in words.
import { dollars } from "./money.mjs";

const n = (number) => number.toLocaleString();

// LIMITS has for each counted limit its name, the name of its current use, and a function that returns
// the limit in words.
export const LIMITS = {
  requests_per_minute: [
    "Requests per minute",
    "Requests this minute",
    (most) => `${n(most)} requests per minute`,
  ],
  concurrent_streams: ["Concurrent streams", "Open streams", (most) => `${n(most)} open streams at a time`],
  tokens_per_day: [
    "Tokens per day",
    "Tokens today",
    (most) => `${n(most)} tokens per day in UTC, input and output together`,
  ],
  concurrent_requests: [
    "Concurrent requests",
    "Open requests",
    (most) => `${n(most)} open requests at a time`,
  ],
  usd_per_day: ["US dollars per day", "US dollars today", (most) => `${dollars(most)} per day in UTC`],
  usd_per_month: [
    "US dollars per month",
    "US dollars this month",
    (most) => `${dollars(most)} per month in UTC`,
  ],
};
