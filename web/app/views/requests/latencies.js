// SPDX-License-Identifier: Apache-2.0
// How latencies are spread, on a logarithmic axis, with the percentiles over it.
import {draw, make} from "../../elements.js";
import {telling} from "../../told.js";
import {counted, nanoseconds} from "../../words.js";
import {logarithmic, logTicks} from "../ask/axes.js";
import {quantileName} from "./words.js";

const height = 190, left = 14, right = 14, top = 46, bottom = 26;
const room = (words) => words.length * 6.5 + right;

// Percentiles of one latency have one mark.
function together(percentiles) {
  const marks = [];
  for (const one of percentiles) {
    if (marks.at(-1)?.latency_ns === one.latency_ns) marks.at(-1).names.push(quantileName(one.quantile));
    else marks.push({latency_ns: one.latency_ns, names: [quantileName(one.quantile)]});
  }
  return marks;
}

export function latencyPicture(port) {
  const buckets = port.latencies, width = innerWidth < 700 ? 440 : 900;
  if (!buckets.length) return null;
  const low = Math.max(1, buckets[0].from_ns / 1.2), high = Math.max(buckets.at(-1).to_ns, low * 2) * 1.1, x = logarithmic(low, high, left, width - right);
  const most = Math.max(...buckets.map((bucket) => bucket.requests)), ground = height - bottom;
  // Few are still seen beside many.
  const tall = (requests) => Math.max(2, (Math.sqrt(requests / most)) * (ground - top));
  const bars = buckets.map((bucket) => {
    const from = x(Math.max(low, bucket.from_ns)), to = x(bucket.to_ns), words = `${nanoseconds(bucket.from_ns)} to ${nanoseconds(bucket.to_ns)}: ${counted(bucket.requests, "request")}`;
    return draw("rect", {class: "bar", x: from, y: ground - tall(bucket.requests), width: Math.max(1, to - from - 1), height: tall(bucket.requests), ...telling(words)});
  });
  const ticks = logTicks(low, high).map((value) => draw("g", null, draw("line", {class: "tick", x1: x(value), x2: x(value), y1: ground, y2: ground + 4}),
    draw("text", {x: x(value), y: ground + 17, "text-anchor": "middle"}, nanoseconds(value))));
  // Names that would lie over each other go into the next line.
  const ends = [-Infinity, -Infinity, -Infinity];
  const marks = together(port.percentiles).map(({latency_ns, names}) => {
    const place = x(latency_ns), words = `${names.join(", ")} ${nanoseconds(latency_ns)}`, line = Math.max(0, ends.findIndex((end) => end < place));
    ends[line] = place + words.length * 6.5 + 6;
    return draw("g", {class: "percentile"}, draw("line", {x1: place, x2: place, y1: 14 + line * 12, y2: ground}),
      draw("text", {x: place + (place > width - room(words) ? -4 : 4), y: 11 + line * 12, "text-anchor": place > width - room(words) ? "end" : "start"}, words));
  });
  return make("figure", {class: "latencies"}, draw("svg", {viewBox: `0 0 ${width} ${height}`, role: "img",
    "aria-label": `Latencies of ${counted(port.requests, "request")}: ${port.percentiles.map((one) => `${quantileName(one.quantile)} ${nanoseconds(one.latency_ns)}`).join(", ")}`},
  draw("line", {class: "ground", x1: left, x2: width - right, y1: ground, y2: ground}), bars, ticks, marks),
  make("figcaption", {class: "quiet"}, "How long requests took. The axis is logarithmic, and so that few are seen beside many, heights grow with the root of their number."));
}
