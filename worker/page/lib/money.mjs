// Amounts of money in words.

// dollars formats an amount of money: the smaller, the more digits. The smallest amount of the API is
// a billionth of a dollar, and only 0 is "$0.00".
export function dollars(amount) {
  const digits = amount === 0 || amount >= 1 ? 2 : amount >= 0.01 ? 3 : amount >= 0.000001 ? 6 : 9;
  return `$${amount.toLocaleString("en-US", { minimumFractionDigits: 2, maximumFractionDigits: digits })}`;
}

// without is the number of requests without a price, in words.
export const without = (n) => `${n.toLocaleString()} ${n === 1 ? "request" : "requests"} without a price`;

// known formats the known part of a cost, of which `unpriced` requests have no price: "unknown" if
// nothing is known to cost anything.
export const known = (usd, unpriced) => (usd === 0 && unpriced > 0 ? "unknown" : dollars(usd));

// money formats such a cost completely.
export const money = (usd, unpriced) =>
  unpriced > 0 ? [usd > 0 && dollars(usd), without(unpriced)].filter(Boolean).join(" + ") : dollars(usd);
