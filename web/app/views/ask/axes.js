// SPDX-License-Identifier: Apache-2.0
// Axes of small charts: round ticks, linear or logarithmic, and where a value lies.

// Round numbers from `low` to `high`, about `most` of them, never more.
export function ticks(low, high, most = 6) {
  if (!(high > low) || most < 1) return [low];
  const raw = (high - low) / most, power = 10 ** Math.floor(Math.log10(raw));
  const step = power * [1, 2, 5, 10].find((one) => one * power >= raw * (1 - 1e-9));
  const all = [];
  for (let i = Math.ceil(low / step - 1e-9); i * step <= high + step * 1e-9; ++i) all.push(Number((i * step).toPrecision(15)));
  return all;
}

// Powers of ten, and if there are few of them twos and fives.
export function logTicks(low, high) {
  if (!(low > 0) || !(high > low)) return [low];
  const factors = Math.log10(high / low) > 2.5 ? [1] : [1, 2, 5], all = [];
  for (let power = Math.floor(Math.log10(low)); 10 ** power <= high; ++power)
    for (const factor of factors) {
      const value = Number((factor * 10 ** power).toPrecision(3));
      if (value >= low * (1 - 1e-9) && value <= high * (1 + 1e-9)) all.push(value);
    }
  return all.length ? all : [low];
}

// (value) → place between `begin` and `end`. A range of nothing is its middle.
export function linear(low, high, begin, end) {
  return (value) => (high > low ? begin + ((value - low) / (high - low)) * (end - begin) : (begin + end) / 2);
}
export function logarithmic(low, high, begin, end) {
  const place = linear(Math.log(low), Math.log(high), begin, end);
  return (value) => place(Math.log(Math.max(value, low)));
}

// Smallest and largest finite value of many; {low: 0, high: 1} if there is none.
export function extent(values) {
  let low = Infinity, high = -Infinity;
  for (const value of values) {
    if (!Number.isFinite(value)) continue;
    if (value < low) low = value;
    if (value > high) high = value;
  }
  return low <= high ? {low, high} : {low: 0, high: 1};
}

// A little wider, so that nothing lies on the edge. Bars and lines begin at zero if that is near.
export function padded({low, high}) {
  const from = low > 0 && low < high * 0.6 ? 0 : low, space = (high - from || Math.abs(high) || 1) * 0.05;
  return {low: from === 0 ? 0 : from - space, high: high + space};
}
