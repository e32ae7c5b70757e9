// SPDX-License-Identifier: Apache-2.0
// The windows of a trend in pages, and the heights of what is drawn of them.
export const windowsOfPage = 50;  // GiViP: more than fifty frames side by side cannot be told apart

export const pageCount = (windows) => Math.max(1, Math.ceil(windows / windowsOfPage));
export const pageOf = (frame) => Math.floor(frame / windowsOfPage);
export const spanOf = (page, windows) => ({first: Math.min(page, pageCount(windows) - 1) * windowsOfPage, end: Math.min(windows, (Math.min(page, pageCount(windows) - 1) + 1) * windowsOfPage)});

// The window that lies at a share of the width; the last page may have fewer windows than a page has room for.
export const frameAt = (share, span) => Math.min(span.end - 1, span.first + Math.max(0, Math.floor(share * windowsOfPage)));
// The window that is from_ns to to_ns exactly; -1 if none is.
export const frameOfRange = (windows, from_ns, to_ns) => windows.from_ns.findIndex((one, i) => one === from_ns && windows.to_ns[i] === to_ns);

// Bars from the bottom, as one path: values of [first, end), each as wide as the page's windows are.
export function barsPath(values, span, most, {width, height, base = null}) {
  const step = width / windowsOfPage, gap = Math.min(1, step * 0.12);
  let path = "";
  for (let i = span.first; i < span.end; ++i) {
    const under = base ? base[i] : 0, from = height * (1 - (most > 0 ? under / most : 0)), tall = most > 0 ? values[i] / most * height : 0;
    if (!(tall > 0)) continue;
    const x = (i - span.first) * step + gap / 2, visible = Math.max(tall, 0.75);  // a little is more than nothing
    path += `M${x.toFixed(2)} ${from.toFixed(2)}h${(step - gap).toFixed(2)}v${(-visible).toFixed(2)}h${(-(step - gap)).toFixed(2)}z`;
  }
  return path;
}

// A line through the same, in steps: another recording over this one's bars.
export function linePath(values, span, most, {width, height}) {
  const step = width / windowsOfPage;
  let path = "";
  for (let i = span.first; i < Math.min(span.end, values.length); ++i) {
    const y = (height * (1 - (most > 0 ? Math.min(values[i], most) / most : 0))).toFixed(2), x = ((i - span.first) * step).toFixed(2);
    path += `${path ? "L" : "M"}${x} ${y}h${step.toFixed(2)}`;
  }
  return path;
}

export const sum = (values) => values.reduce((total, value) => total + value, 0);
export const added = (a, b) => a.map((value, i) => value + (b[i] ?? 0));

// How far from usual a window is, in words.
export function oddWords(value, median, say) {
  if (median === 0) return `${say(value)}, where most windows have nothing`;
  const times = value / median;
  return times >= 1.05 ? `${times < 10 ? times.toFixed(1) : times.toFixed(0)} times the median of ${say(median)}`
    : value === 0 ? `nothing, where the median is ${say(median)}` : `${Math.round(times * 100)} % of the median of ${say(median)}`;
}
