// The pieces in which a recorded stream arrived.

// pieces cuts a stream as its times say: lines of milliseconds and a number of bytes. body may be the
// beginning of a stream of `bytes` bytes. If the stream arrived in another number of bytes, compressed
// or with keys that are masked now, the cuts are in proportion and exact is false.
export function pieces({ body, bytes, times = "" }) {
  const all = new TextEncoder().encode(body);
  const noted = [...times.matchAll(/^([\d.]+) (\d+)$/gm)].map(([, at, n]) => [Number(at), Number(n)]);
  const sum = noted.reduce((whole, [, n]) => whole + n, 0);
  const exact = sum === bytes;
  const chunks = [];
  let [from, came] = [0, 0];
  for (const [at, n] of noted) {
    came += n;
    const to = exact ? came : Math.round((came / sum) * bytes);
    chunks.push({ at, bytes: all.subarray(from, to) });
    from = to;
  }
  const rest = all.subarray(from);
  if (rest.length > 0) chunks.push({ at: noted.at(-1)?.[0] ?? 0, bytes: rest });
  return { chunks, exact };
}
