// SPDX-License-Identifier: Apache-2.0
// Small charts of one edge's waits: when they were, and how long.
import {draw} from "../../elements.js";
import {count, seconds} from "../../words.js";

export const chartWidth = 360;

export function timeStrip({page, recording}, history) {
  const bins = page.strip_bins || 1, height = 64, top = 4, base = height - 16;
  const most = Math.max(1e-9, ...history.waited), width = chartWidth / bins;
  const bars = history.bins.map((bin, i) => {
    const high = Math.max(1, (history.waited[i] / most) * (base - top));
    return draw("rect", {x: bin * width, y: base - high, width: Math.max(0.8, width), height: high});
  });
  const axis = [0, 0.5, 1].map((part) => draw("text", {x: part * chartWidth, y: height - 3,
    "text-anchor": ["start", "middle", "end"][part * 2]}, seconds(part * recording.seconds)));
  return draw("svg", {class: "chart", viewBox: `0 0 ${chartWidth} ${height}`, role: "img", "aria-label": "Waits over time"},
    draw("rect", {class: "back", x: 0, y: top, width: chartWidth, height: base - top}), bars, axis);
}

export function lengthHistogram(history) {
  const from = Math.min(...history.buckets), to = Math.max(...history.buckets);
  const height = 96, base = height - 16, number = to - from + 1, width = Math.min(30, chartWidth / number);
  const most = Math.max(...history.bucket_counts);
  const bars = history.buckets.map((bucket, i) => {
    const high = Math.max(1, (history.bucket_counts[i] / most) * (base - 4));
    return draw("rect", {x: (bucket - from) * width + 1, y: base - high, width: width - 2, height: high},
      draw("title", null, `${count(history.bucket_counts[i])} waits of ${seconds(2 ** bucket / 1e9)} to ${seconds(2 ** (bucket + 1) / 1e9)}`));
  });
  const every = Math.max(1, Math.ceil(56 / width));
  const axis = [];
  for (let i = 0; i < number; i += every) axis.push(draw("text", {x: i * width + 1, y: height - 3}, seconds(2 ** (from + i) / 1e9)));
  return draw("svg", {class: "chart", viewBox: `0 0 ${chartWidth} ${height}`, role: "img", "aria-label": "Lengths of the waits"}, bars, axis);
}
