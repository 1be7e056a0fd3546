// Answers of the usage API, for tests of the page.

const day = (ago) => new Date(Date.now() - ago * 86_400_000).toISOString().slice(0, 10);

// row returns a day's row of the usage API.
const row = (of) => ({
  key: "k1234567",
  upstream: "up",
  fell: 0,
  written: 0,
  searches: 0,
  usd: 0,
  unpriced: 0,
  first_byte_ms: {},
  total_ms: {},
  ...of,
});

// watched returns three days with two models, two errors, the log of two requests, a lost field,
// and configured limits.
export const watched = ({
  model = "gpt-5.5",
  request = "req_1",
  type = "unavailable",
  words = "It is down.",
} = {}) => ({
  usage: true,
  days: [
    row({
      day: day(2),
      model,
      requests: 12,
      errors: 1,
      fell: 2,
      input: 12000,
      output: 450,
      cached: 6000,
      reasoning: 7,
      usd: 1.25,
      first_byte_ms: { 320: 10, 5120: 2 },
      total_ms: { 1280: 12 },
    }),
    row({
      day: day(1),
      model,
      key: "k7654321",
      requests: 8,
      errors: 0,
      input: 3000,
      output: 50,
      cached: 0,
      reasoning: 0,
      usd: 0.5,
      first_byte_ms: { 448: 8 },
      total_ms: { 2560: 8 },
    }),
    row({
      day: day(1),
      model: "claude-opus-5-5",
      requests: 5,
      errors: 5,
      input: 0,
      output: 0,
      cached: 0,
      reasoning: 0,
      unpriced: 5,
    }),
    row({
      day: day(0),
      model,
      requests: 1,
      errors: 0,
      input: 10,
      output: 5,
      cached: 0,
      reasoning: 0,
      usd: 0.0004,
      first_byte_ms: { 160: 1 },
      total_ms: { 640: 1 },
    }),
  ],
  errors: [
    { time: 1795267200, status: 502, type, request_id: request },
    { time: 1795260000, status: 500, type: "internal", request_id: "" },
  ],
  requests: [
    {
      time: 1795267200,
      request_id: request,
      key: "k1234567",
      model,
      upstream_model: "other",
      upstream: "up",
      status: 502,
      first_byte_ms: 0,
      total_ms: 80,
      input: 10,
      output: 0,
      cached: 0,
      usd: null,
      lost: "",
      type,
      words,
    },
    {
      time: 1795267100,
      request_id: "req_0",
      key: "k7654321",
      model,
      upstream_model: model,
      upstream: "up",
      status: 0,
      first_byte_ms: 310,
      total_ms: 1200,
      input: 10,
      output: 5,
      cached: 0,
      usd: 0.0004,
      lost: "top_k",
      type: "",
      words: "",
    },
  ],
  lost: [{ day: day(0), field: "top_k", requests: 3 }],
  refused: [
    {
      day: day(0),
      key: "k7654321",
      limit: "requests_per_minute",
      requests: 1200,
      last: 1795267300,
      request_id: "req_9",
      model,
    },
    {
      day: day(1),
      key: "k7654321",
      limit: "requests_per_minute",
      requests: 34,
      last: 1795180900,
      request_id: "req_8",
      model,
    },
  ],
  limits: {
    requests_per_minute: { limit: 50, used: 3 },
    concurrent_streams: { limit: 4, used: 1 },
    tokens_per_day: { limit: 1000000, used: 952345 },
    concurrent_requests: { limit: 8, used: 2 },
    usd_per_day: { limit: 5, used: 1.25, unpriced: 0 },
  },
});

// unwatched is the answer for an endpoint without usage.
export const unwatched = { usage: false, days: [], errors: [], requests: [], lost: [], limits: {} };

// busy returns a month of an endpoint with three models at two upstreams, for pictures. keys are
// the ids of two keys.
export function busy([often, seldom]) {
  const days = [];
  for (let ago = 29; ago >= 0; ago--) {
    for (const [model, key, upstream, factor, price] of [
      ["gpt-5.5", often, "openai", 1, 0.021],
      ["claude-opus-5-5", seldom, "anthropic", 0.4, 0.05],
      ["qwen3", often, "local", 0.3, 0],
    ]) {
      const requests = Math.round(factor * (40 + 25 * Math.sin(ago / 3) + ((ago * 7) % 5) * 8));
      const failed = ago % 6 === 0 ? Math.ceil(requests / 12) : 0;
      const times = {
        first_byte_ms: { 320: requests - 4, 640: 3, 2560: 1 },
        total_ms: { 2560: requests - 3, 7168: 2, 20480: 1 },
      };
      days.push(
        row({
          day: day(ago),
          model,
          key,
          upstream,
          requests,
          errors: failed,
          fell: failed,
          input: requests * 9000,
          output: requests * 700,
          cached: requests * 7000,
          reasoning: requests * 100,
          usd: requests * price,
          unpriced: price ? 0 : requests,
          ...times,
        }),
      );
    }
  }
  const now = Math.floor(Date.now() / 1000);
  const asked = {
    time: now - 60,
    key: often,
    model: "gpt-5.5",
    upstream_model: "gpt-5.5",
    upstream: "openai",
    status: 0,
    first_byte_ms: 310,
    total_ms: 4200,
    input: 9120,
    output: 730,
    cached: 7040,
    usd: 0.021,
    lost: "",
    type: "",
    words: "",
  };
  return {
    usage: true,
    days,
    errors: [{ time: now - 900, status: 503, type: "unavailable", request_id: "req_2" }],
    requests: [
      { ...asked, request_id: "req_3" },
      {
        ...asked,
        request_id: "req_2",
        time: now - 900,
        upstream: "anthropic",
        model: "claude-opus-5-5",
        upstream_model: "claude-opus-5-5",
        key: seldom,
        status: 503,
        first_byte_ms: 0,
        total_ms: 80,
        input: 0,
        output: 0,
        cached: 0,
        usd: 0,
        type: "unavailable",
        words: "The upstream can't be reached.",
      },
      { ...asked, request_id: "req_1", time: now - 1200, lost: "top_k" },
    ],
    lost: [{ day: day(0), field: "top_k", requests: 3 }],
    limits: {
      requests_per_minute: { limit: 60, used: 4 },
      tokens_per_day: { limit: 2000000, used: 1413000 },
      usd_per_day: { limit: 5, used: 1.25, unpriced: 0 },
    },
  };
}

const SUMMED = ["requests", "errors", "input", "output", "cached", "usd", "unpriced"];

// summed returns an answer of GET /admin/api/overview, for pictures: the days of busy as those of the
// first endpoint, a second one, and an upstream in cooldown.
export function summed({ days }) {
  const by = (name, rename = name) => {
    const sums = Map.groupBy(days, (row) => row[name]);
    return [...sums].map(([value, rows]) => ({
      [rename]: value,
      ...Object.fromEntries(SUMMED.map((sum) => [sum, rows.reduce((n, row) => n + row[sum], 0)])),
    }));
  };
  const all = by("day");
  const now = Math.floor(Date.now() / 1000);
  const [anna] = by("none", "endpoint");
  return {
    time: now,
    today: all.at(-1),
    days: all,
    endpoints: [
      { ...anna, endpoint: "anna" },
      { ...all.at(-1), endpoint: "ben" },
    ],
    models: by("model"),
    keys: by("key").map((key, i) => ({ ...key, endpoint: "anna", label: ["laptop", "build server"][i] })),
    failing: [
      {
        endpoint: "ben",
        upstream: "openai",
        state: "resting",
        until: now + 40,
        failures: 3,
        failed_at: now,
        status: 401,
      },
    ],
    more_failing: 0,
    behind: 0,
    more: false,
  };
}

// lately returns an answer of GET /admin/api/health for endpoints, for pictures: the first endpoint
// is busy, the upstream of the second is in cooldown, and the others have had no request yet.
export const lately = (names) => ({
  endpoints: names.map((name, i) => ({
    name,
    days:
      i > 1
        ? []
        : [6, 5, 4, 3, 2, 1, 0].map((ago) => ({
            day: day(ago),
            requests: 20 + ((ago * 11) % 17),
            errors: i * (ago % 3),
            usd: 0.31 + ago / 10,
            unpriced: 0,
          })),
    last_used: i > 1 ? null : Math.floor(Date.now() / 1000) - 3600 * i - 60,
    upstreams: [{ name: "openai", state: i === 1 ? "resting" : "ok" }],
  })),
});
