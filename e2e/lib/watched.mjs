// Answers of the usage API, for tests of how the page shows them.

const day = (ago) => new Date(Date.now() - ago * 86_400_000).toISOString().slice(0, 10);

// watched returns three days with two models, two errors, and limits that are set.
export const watched = ({ model = "gpt-5.5", request = "req_1", type = "unavailable" } = {}) => ({
  usage: true,
  days: [
    { day: day(2), model, requests: 12, errors: 1, input: 12000, output: 450, cached: 6, reasoning: 7 },
    { day: day(1), model, requests: 8, errors: 0, input: 3000, output: 50, cached: 0, reasoning: 0 },
    { day: day(1), model: "claude-opus-5-5", requests: 5, errors: 5, input: 0, output: 0, cached: 0, reasoning: 0 },
    { day: day(0), model, requests: 1, errors: 0, input: 10, output: 5, cached: 0, reasoning: 0 },
  ],
  errors: [
    { time: 1795267200, status: 502, type, request_id: request },
    { time: 1795260000, status: 429, type: "rate_limit" },
  ],
  limits: { requests_per_minute: { limit: 50, used: 3 }, concurrent_streams: { limit: 4, used: 1 }, tokens_per_day: { limit: 1000000, used: 952345 }, concurrent_requests: { limit: 8, used: 2 } },
});

// unwatched is the answer for an endpoint without usage.
export const unwatched = { usage: false, days: [], errors: [], limits: {} };
