// Which upstream serves a model, for an unsaved form: the rule of worker/endpoint/choose.go and
// models.go. Tests of both read worker/endpoint/testdata/choose.json.

// choose returns the upstreams for a model as [{ upstream, model }], in the order of attempts. The
// returned model is the upstream's name for it.
export function choose(upstreams, model) {
  const at = model.indexOf("/");
  const named = at > 0 && upstreams.find(({ name }) => name === model.slice(0, at));
  if (named) {
    const rest = model.slice(at + 1);
    const one = { upstream: named, model: lookup(named.models, rest) ?? rest };
    return serves(one) ? [one] : [];
  }
  const choices = [];
  for (const upstream of upstreams) {
    const found = lookup(upstream.models, model);
    if (found !== undefined) choices.push({ upstream, model: found });
    else if (rulesOf(upstream.models).length === 0) choices.push({ upstream, model });
  }
  return choices.filter(serves);
}

// serves reports whether an upstream may get a request for a model. Cloudflare's own models get no
// others.
const serves = ({ upstream, model }) => upstream.url !== "cloudflare:ai" || /^@[ch]f\//.test(model);

// namesOf returns the models that clients can use by name: those in the model maps that are not
// patterns.
export function namesOf(upstreams) {
  const names = upstreams.flatMap(({ models }) => rulesOf(models).map(([pattern]) => pattern));
  return [...new Set(names.filter((name) => !name.includes("*")))];
}

// rulesOf returns models, a list of patterns or an object, as [pattern, name]. Without a name the
// upstream uses the same name.
export const rulesOf = (models) =>
  Array.isArray(models) ? models.map((pattern) => [pattern]) : Object.entries(models ?? {});

function lookup(models, model) {
  const rule = rulesOf(models).find(([pattern]) => match(pattern, model));
  return rule && (rule[1] ?? model);
}

// match reports whether pattern matches the whole text. A * matches any characters.
export function match(pattern, text) {
  const [first, ...parts] = pattern.split("*");
  if (parts.length === 0) return pattern === text;
  const last = parts.pop();
  if (!text.startsWith(first) || !text.endsWith(last)) return false;
  let at = first.length;
  for (const part of parts) {
    const found = text.indexOf(part, at);
    if (found < 0) return false;
    at = found + part.length;
  }
  return at <= text.length - last.length;
}
