// SPDX-License-Identifier: Apache-2.0
// The small multiples of a trend: a row for each unit, with one chart for each thing that is told of it.
import {draw, make} from "../../elements.js";
import {count, nanoseconds, quantity} from "../../words.js";
import {added, barsPath, linePath, oddWords, sum, windowsOfPage} from "./pages.js";

// By what is measured: charts, each with its columns (stacked), its words and its unit.
export const charts = {
  cpu: [{title: "CPU time", columns: [["cpu_ns", "run", "on a CPU"], ["ready_ns", "ready", "wants a CPU"]], say: nanoseconds}],
  waits: [{title: "Waits", columns: [["wait_ns", "waiting", "waits"]], say: nanoseconds}],
  bytes: [{title: "Bytes", columns: [["sent_bytes", "out", "sent"], ["received_bytes", "in", "received"]], say: (value) => quantity(value, "B")},
    {title: "Messages", columns: [["sent_messages", "out", "sent"], ["received_messages", "in", "received"]], say: (value) => `${count(value)} messages`}],
};
export const chartsOf = (what) => charts[what] ?? charts.cpu;

const inside = {width: 500, height: 40};  // of the picture's own units: it is stretched

const stacked = (row, chart) => chart.columns.map(([name]) => row.values[name]).reduce(added);
// The highest window of all rows; the others together would hide the rest.
export const mostOf = (rows, chart) => Math.max(0, ...rows.filter((row) => row.number >= 0).map((row) => Math.max(0, ...stacked(row, chart))));

// Windows of a row that are out of line, by any of a chart's columns: [[window, column]…].
export const oddOf = (row, chart) => {
  const odd = new Map();
  for (const column of chart.columns) for (const window of row.outliers[column[0]]) if (!odd.has(window)) odd.set(window, column);
  return [...odd].sort(([a], [b]) => a - b);
};

// What a window of a row holds, in words.
export function windowWords(row, chart, window, label) {
  const parts = chart.columns.map(([name, , words]) => `${chart.say(row.values[name][window])} ${words}`);
  const odd = oddOf(row, chart).find(([at]) => at === window);
  return `${row.name}, ${label}: ${parts.join(", ")}` + (odd ? `. It stands out: ${odd[1][2]} ${oddWords(row.values[odd[1][0]][window], row.median[odd[1][0]], chart.say)}` : "");
}

// One chart of one row. other: the same unit's row of the compared recording, or null.
export function chartOf(row, chart, span, most, other, isOdd) {
  const [first, second] = chart.columns, values = row.values[first[0]], total = stacked(row, chart), step = inside.width / windowsOfPage;
  const scale = most > 0 ? most : Math.max(0, ...total), odd = oddOf(row, chart), here = odd.filter(([at]) => at >= span.first && at < span.end);
  const marks = here.map(([at]) => {
    const y = Math.max(5, inside.height * (1 - (scale > 0 ? Math.min(total[at], scale) / scale : 0)) - 2), x = (at - span.first + 0.5) * step;
    return `M${(x - 2.6).toFixed(2)} ${(y - 5).toFixed(2)}h5.2l-2.6 4.6z`;
  });
  const all = chart.columns.map(([name, , words]) => `${chart.say(sum(row.values[name]))} ${words}`).join(", ");
  const label = `${row.name}: ${chart.title}, ${all}` + (odd.length ? `; windows ${odd.slice(0, 5).map(([at]) => at + 1).join(", ")}${odd.length > 5 ? " and more" : ""} stand out` : "");
  const picture = draw("svg", {viewBox: `0 0 ${inside.width} ${inside.height}`, preserveAspectRatio: "none", role: "img", "aria-label": label, class: "trend-chart"},
    draw("path", {class: `bars ${first[1]}`, d: barsPath(values, span, scale, inside)}),
    second ? draw("path", {class: `bars ${second[1]}`, d: barsPath(row.values[second[0]], span, scale, {...inside, base: values})}) : null,
    other ? draw("path", {class: "compared", d: linePath(stacked(other, chart), span, scale, inside)}) : null,
    marks.length ? draw("path", {class: "odd", d: marks.join("")}) : null);
  const words = make("span", {class: "trend-sum"}, all, isOdd ? make("b", {class: "odd-words", title: "Its sum is out of line with the other rows'"}, " ▼ unlike the others") : null,
    odd.length ? make("span", {class: "odd-words"}, ` ▼ ${odd.length === 1 ? `window ${odd[0][0] + 1} stands out` : `${odd.length} windows stand out`}`) : null);
  return {picture, words, odd};
}
