// SPDX-License-Identifier: Apache-2.0
// Predictions on one axis: the interval as a bar, the number between as a dot, each reading as a tick, and what is now as a line.
import {draw, make} from "../../elements.js";
import {telling} from "../../told.js";
import {axisOf, gainWords, leastWords, shortGain} from "./model.js";

const rowHeight = 46, top = 30, left = 30, right = 40;

// rows: [{name, words, interval}]
export function intervalPicture(rows) {
  const width = innerWidth < 700 ? 440 : 860;
  const axis = axisOf(rows.map((row) => row.interval), left, width - right), height = top + rows.length * rowHeight + 26, ground = height - 24, now = axis.place(1);
  const marks = rows.map(({name, words, interval}, i) => {
    const y = top + i * rowHeight + 26, from = axis.place(interval.low), to = axis.place(interval.high);
    const said = interval.atLeast ? leastWords(interval) : interval.high <= interval.low * 1.02 ? gainWords(interval.expected) : `${shortGain(interval.low)} to ${shortGain(interval.high)}, between these ${shortGain(interval.expected)}`;
    return draw("g", {class: `interval interval${i}`, ...telling(`${words}\n${said}`)},
      draw("text", {x: Math.min(from, width - 320), y: y - 14, class: "name"}, name, draw("tspan", {class: "quiet", dx: 8}, said)),
      draw("rect", {class: "whole", x: Math.min(from, to - 2), y: y - 7, width: Math.max(3, to - from), height: 14, rx: 4}),
      interval.atLeast ? draw("path", {class: "open", d: `M${to} ${y - 7} l12 7 l-12 7 z`}) : null,
      interval.readings.map((reading) => draw("line", {class: "reading", x1: axis.place(reading.gain), x2: axis.place(reading.gain), y1: y - 7, y2: y + 7})),
      draw("circle", {class: "expected", cx: axis.place(interval.expected), cy: y, r: 5}));
  });
  return make("figure", {class: "intervals"}, draw("svg", {viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": rows.map(({name, interval}) =>
    `${name}: ${shortGain(interval.low)} to ${shortGain(interval.high)} the throughput`).join("; ")},
  axis.ticks.map((value) => draw("g", null, draw("line", {class: "tick", x1: axis.place(value), x2: axis.place(value), y1: top - 6, y2: ground}),
    draw("text", {class: "label", x: axis.place(value), y: ground + 16, "text-anchor": "middle"}, `${value}×`))),
  draw("line", {class: "now", x1: now, x2: now, y1: top - 14, y2: ground}), draw("text", {class: "label", x: now, y: 12, "text-anchor": now < 60 ? "start" : "middle"}, "as it is now"), marks),
  make("figcaption", {class: "quiet"}, `Throughput with the change, over that without${axis.isLog ? "; the axis is logarithmic" : ""}. The dot is the number between${rows.some(({interval}) => interval.readings.length) ? ", lines are the readings that the ends come from" : ""}.`));
}
