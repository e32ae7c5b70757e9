// SPDX-License-Identifier: Apache-2.0
// One resource over time: use stacked by kind of phase, demand as lines, capacity dashed; below it, who was held.
import {draw, make} from "../../elements.js";
import {numberColumn, sortableTable, textColumn} from "../../tables.js";
import {telling} from "../../told.js";
import {percent, quantity, share, shorten} from "../../words.js";
import {heldLegend, heldStrip, heldTable} from "./held_strip.js";
import {parentOf, typeLabel} from "./model.js";
import {ganttNames, jobWidth, timeAxis, timeWidth, xOf} from "./scale.js";
import {shadeOf, sumOf} from "./series.js";
import {go} from "./shown.js";

const mostColumns = 400;
const useTall = 104, useTop = 6, useBase = useTall - 4;

// Bins in sight, or the averages of several where there are more than the picture can tell apart.
function binsInSight(job, chart) {
  const first = Math.max(0, Math.floor(job.shown.from / chart.bin + 1e-9)), end = Math.min(chart.bins, Math.ceil(job.shown.to / chart.bin - 1e-9));
  const number = Math.min(mostColumns, Math.max(0, end - first));
  const edges = Array.from({length: number + 1}, (_, i) => first + Math.round((i * (end - first)) / Math.max(1, number)));
  const clamp = (x) => Math.min(Math.max(x, ganttNames), jobWidth(job));
  return {number, x: edges.map((edge) => clamp(xOf(job, edge * chart.bin)).toFixed(1)), of: (values) => {
    const columns = new Float64Array(number);
    for (let i = 0; i < number; ++i) {
      for (let bin = edges[i]; bin < edges[i + 1]; ++bin) columns[i] += values[bin];
      columns[i] /= edges[i + 1] - edges[i];
    }
    return columns;
  }};
}

function narrowedDemand(chart, columns, types) {
  const exact = new Float64Array(columns.number), variable = new Float64Array(columns.number);
  for (const [type, of] of chart.types) {
    if (!types.has(type)) continue;
    if (of.demand) columns.of(of.demand).forEach((value, i) => { exact[i] += value; });
    if (of.variable) columns.of(of.variable).forEach((value, i) => { variable[i] += value; });
  }
  return {exact, variable};
}

function useChart(job, chart, view) {
  const columns = binsInSight(job, chart), use = columns.of(chart.use), demand = narrowedDemand(chart, columns, view.types);
  const {exact, variable} = demand, heaviest = Math.max(0, ...variable);
  const most = Math.max(1e-12, chart.capacity, ...use, ...exact), y = (value) => (useBase - (Math.min(value, most) / most) * (useBase - useTop)).toFixed(1);
  const steps = (values, scale) => {
    let points = "";
    for (let i = 0; i < columns.number; ++i) points += `${columns.x[i]},${scale(values[i])} ${columns.x[i + 1]},${scale(values[i])} `;
    return points;
  };
  const area = (values, attributes) => draw("polygon", {...attributes, points: `${columns.x[0]},${useBase} ${steps(values, y)}${columns.x[columns.number]},${useBase}`});
  const layers = [], sum = new Float64Array(columns.number);
  const add = (values) => values.forEach((value, i) => { sum[i] += value; });
  for (const type of view.kinds) {
    if (!chart.types.has(type)) continue;
    add(columns.of(chart.types.get(type).use));
    layers.unshift(area(sum, {class: `shade ${shadeOf(job, type)}`, "data-type": type, onclick: () => go(job, {type}), ...telling(typeLabel(job, type))}));
  }
  const rest = [...chart.types].filter(([type]) => view.types.has(type) && !view.kinds.includes(type));
  if (rest.length) {
    for (const [, of] of rest) add(columns.of(of.use));
    layers.unshift(area(sum, {class: "shade otherKinds", ...telling("other kinds of phases")}));
  }
  const line = (values, name, scale) => draw("polyline", {class: name, points: steps(values, scale)});
  const unit = chart.capacity > 0 ? "of " + quantity(chart.capacity, chart.unit) : "up to " + quantity(most, chart.unit);
  return draw("svg", {class: "chart", width: jobWidth(job), height: useTall, role: "img", "aria-label": `Use of ${chart.label} over time; the table below has the numbers`},
    draw("rect", {class: "back", x: ganttNames, y: useTop, width: timeWidth(job), height: useBase - useTop}),
    columns.number ? [area(use, {class: "all", ...telling(job.shown.type === null && !parentOf(job, job.shown.focus) ? "used by no phase that is known" : "used by other phases, or by none that is known")}), layers,
      exact.some((value) => value > 0) ? line(exact, "demand", y) : null,
      heaviest > 0 ? line(variable, "variable", (value) => (useBase - 0.92 * (value / heaviest) * (useBase - useTop)).toFixed(1)) : null] : null,
    chart.capacity > 0 ? draw("line", {class: "capacity", x1: ganttNames, x2: jobWidth(job), y1: y(chart.capacity), y2: y(chart.capacity)}) : null,
    draw("text", {class: "name", x: ganttNames - 8, y: 18, "text-anchor": "end"}, shorten(chart.label, 27)),
    draw("text", {class: "quiet", x: ganttNames - 8, y: 34, "text-anchor": "end"}, unit + (chart.nodes > 1 ? ` on ${chart.nodes} nodes` : "")),
    heaviest > 0 ? draw("text", {class: "quiet", x: ganttNames - 8, y: 50, "text-anchor": "end"}, `weights up to ${quantity(heaviest, "")}`) : null,
    draw("text", {class: "quiet", x: ganttNames - 8, y: useBase, "text-anchor": "end"}, "0"));
}

// What the chart shows, in numbers: of the time in sight.
function useTable(job, chart, view) {
  const from = Math.max(0, Math.floor(job.shown.from / chart.bin + 1e-9)), to = Math.min(chart.bins, Math.ceil(job.shown.to / chart.bin - 1e-9));
  const mean = (values) => share(values ? sumOf(values, from, to) : 0, to - from), amount = (value) => quantity(value, chart.unit);
  const rows = [...chart.types].filter(([type]) => view.types.has(type)).map(([type, of]) =>
    ({name: typeLabel(job, type), use: mean(of.use), demand: mean(of.demand), variable: mean(of.variable), part: share(mean(of.use), mean(chart.use))}));
  rows.push({name: "all, with what no phase used", use: mean(chart.use), demand: rows.reduce((all, row) => all + row.demand, 0), variable: rows.reduce((all, row) => all + row.variable, 0), part: 1});
  return sortableTable([textColumn("Phases of", (row) => row.name), numberColumn("use on average", (row) => row.use, amount),
    numberColumn("share", (row) => row.part, percent), numberColumn("exact demand", (row) => row.demand, amount),
    numberColumn("variable demand (weights)", (row) => row.variable, (value) => quantity(value, ""))], rows, 1);
}

export function useFigure(job, chart, view, open) {
  const table = make("div"), fill = () => table.replaceChildren(...useTable(job, chart, view), ...heldTable(job, chart, view));
  if (open) fill();
  return make("figure", {class: "use"}, useChart(job, chart, view), heldStrip(job, chart, view),
    draw("svg", {class: "axis", width: jobWidth(job), height: 16, role: "presentation"}, timeAxis(job, job.shown.from, job.shown.to, 12)),
    make("details", {"data-chart": chart.label, open: open ? "open" : null, ontoggle: (event) => event.target.open && !table.firstChild && fill()},
      make("summary", {"data-focus": "table " + chart.label.replace(/["\\]/g, "")}, `${chart.label} as tables`), table));
}

export function useLegend(job, view, charts) {
  const swatch = (name) => draw("svg", {class: "swatch", width: 26, height: 12, "aria-hidden": "true"}, name);
  const box = (name) => swatch(draw("rect", {class: "shade " + name, width: 14, height: 12, x: 6}));
  const line = (name, y = 6) => swatch(draw("line", {class: name, x1: 0, x2: 26, y1: y, y2: y}));
  const kinds = view.kinds.map((type) => make("button", {type: "button", class: "link", "data-type": type, "data-focus": "kind" + type,
    "aria-pressed": job.shown.type === type ? "true" : "false", title: "Show only these phases", onclick: () => go(job, {type})}, box(shadeOf(job, type)), typeLabel(job, type)));
  const item = (picture, words) => make("span", null, picture, words);
  const any = (name) => charts.some((chart) => [...chart.types].some(([type, of]) => view.types.has(type) && of[name]));
  return make("div", {class: "legend"}, make("div", null, kinds, view.others ? item(box("otherKinds"), "other kinds") : null,
      item(box("all"), job.shown.type === null && !parentOf(job, job.shown.focus) ? "no known phase" : "other phases, or no known one")),
    make("div", null, any("demand") ? item(line("demand"), "exact demand") : null,
      any("variable") ? item(line("variable"), "variable demand (weights, on a scale of their own)") : null,
      charts.some((chart) => chart.capacity > 0) ? item(line("capacity"), "capacity") : null, heldLegend(job, line)));
}
