// SPDX-License-Identifier: Apache-2.0
// Time and pixels: which moment lies where, how a view zooms and pans, and where an axis has its ticks. Times are whole
// nanoseconds since the recording's start.
export const leastSpan_ns = 20;  // below, a nanosecond is wider than a finger

// The range kept within [0, length], and no shorter than can be drawn.
export function within(range, length) {
  const span = Math.min(length, Math.max(leastSpan_ns, Math.round(range.to - range.from)));
  const from = Math.min(Math.max(0, Math.round(range.from)), Math.max(0, length - span));
  return {from, to: from + span};
}

export const xOf = (range, width, time) => ((time - range.from) / (range.to - range.from)) * width;
export const timeAt = (range, width, x) => range.from + (x / width) * (range.to - range.from);

// `factor` below one zooms in. The moment at x stays there.
export function zoomed(range, width, x, factor, length) {
  const at = timeAt(range, width, x), share = x / width;
  const span = Math.min(length, Math.max(leastSpan_ns, (range.to - range.from) * factor));
  return within({from: at - share * span, to: at - share * span + span}, length);
}

export const panned = (range, by_ns, length) => within({from: range.from + by_ns, to: range.to + by_ns}, length);

// The moment in the middle fifth, or moved there.
export function shownAt(range, at, length) {
  const span = range.to - range.from;
  if (at >= range.from + span * 0.05 && at <= range.to - span * 0.05) return range;
  return within({from: at - span / 2, to: at + span / 2}, length);
}

const second = 1e9, minute = 60 * second, hour = 60 * minute;
const roundSteps = [second, 2 * second, 5 * second, 10 * second, 15 * second, 30 * second, minute, 2 * minute, 5 * minute, 10 * minute, 15 * minute, 30 * minute,
  hour, 2 * hour, 6 * hour, 12 * hour, 24 * hour];

// A round step that is at least so long.
export function stepFor(least_ns) {
  if (least_ns > second) return roundSteps.find((step) => step >= least_ns) ?? Math.ceil(least_ns / (24 * hour)) * 24 * hour;
  const power = 10 ** Math.floor(Math.log10(Math.max(1, least_ns)));
  return Math.max(1, [1, 2, 5, 10].map((one) => one * power).find((step) => step >= least_ns - 1e-9));
}

// Moments on round numbers, at least so many pixels apart.
export function ticks(range, width, apart_px = 110) {
  const step = stepFor(((range.to - range.from) * apart_px) / Math.max(1, width)), times = [];
  for (let i = Math.ceil(range.from / step); i * step <= range.to && times.length < 200; ++i) times.push(i * step);
  return {step, times};
}

// Sheets of tiles are asked for at powers of two, so that a little zooming asks for nothing. So many nanoseconds a pixel.
export const resolutionFor = (range, width) => 2 ** Math.max(0, Math.floor(Math.log2((range.to - range.from) / Math.max(1, width))));

// What to ask for a view: its range and a quarter of it on both sides, on a grid of 256 pixels.
export function askedRange(range, resolution, length) {
  const grid = 256 * resolution, margin = (range.to - range.from) / 4;
  const from = Math.max(0, Math.floor((range.from - margin) / grid) * grid), to = Math.min(length, Math.ceil((range.to + margin) / grid) * grid);
  return {from, to, pixels: Math.max(1, Math.ceil((to - from) / resolution))};
}
