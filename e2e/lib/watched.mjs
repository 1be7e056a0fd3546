// Answers of the usage API, for tests of how the page shows them.

const day = (ago) => new Date(Date.now() - ago * 86_400_000).toISOString().slice(0, 10);

// row returns a day's row of the usage API.
const row = (of) => ({ key: "k1234567", upstream: "up", fell: 0, written: 0, searches: 0, usd: 0, unpriced: 0, first_byte_ms: {}, total_ms: {}, ...of });

// watched returns three days with two models, two errors, the log of two requests, a field that got lost, and limits that are set.
export const watched = ({ model = "gpt-5.5", request = "req_1", type = "unavailable", words = "It is down." } = {}) => ({
  usage: true,
  days: [
    row({ day: day(2), model, requests: 12, errors: 1, fell: 2, input: 12000, output: 450, cached: 6000, reasoning: 7, usd: 1.25, first_byte_ms: { 320: 10, 5120: 2 }, total_ms: { 1280: 12 } }),
    row({ day: day(1), model, key: "k7654321", requests: 8, errors: 0, input: 3000, output: 50, cached: 0, reasoning: 0, usd: 0.5, first_byte_ms: { 448: 8 }, total_ms: { 2560: 8 } }),
    row({ day: day(1), model: "claude-opus-5-5", requests: 5, errors: 5, input: 0, output: 0, cached: 0, reasoning: 0, unpriced: 5 }),
    row({ day: day(0), model, requests: 1, errors: 0, input: 10, output: 5, cached: 0, reasoning: 0, usd: 0.0004, first_byte_ms: { 160: 1 }, total_ms: { 640: 1 } }),
  ],
  errors: [
    { time: 1795267200, status: 502, type, request_id: request },
    { time: 1795260000, status: 429, type: "rate_limit", request_id: "" },
  ],
  requests: [
    { time: 1795267200, request_id: request, key: "k1234567", model, upstream_model: "other", upstream: "up", status: 502, first_byte_ms: 0, total_ms: 80, input: 10, output: 0, cached: 0, usd: null, lost: "", type, words },
    { time: 1795267100, request_id: "req_0", key: "k7654321", model, upstream_model: model, upstream: "up", status: 0, first_byte_ms: 310, total_ms: 1200, input: 10, output: 5, cached: 0, usd: 0.0004, lost: "top_k", type: "", words: "" },
  ],
  lost: [{ day: day(0), field: "top_k", requests: 3 }],
  limits: { requests_per_minute: { limit: 50, used: 3 }, concurrent_streams: { limit: 4, used: 1 }, tokens_per_day: { limit: 1000000, used: 952345 }, concurrent_requests: { limit: 8, used: 2 }, usd_per_day: { limit: 5, used: 1.25 } },
});

// unwatched is the answer for an endpoint without usage.
export const unwatched = { usage: false, days: [], errors: [], requests: [], lost: [], limits: {} };
