// SPDX-License-Identifier: Apache-2.0
// How even alike phases are: their lengths as box plots, a box for each step over its workers, and a box for each worker
// over the steps. A box goes from quarter to quarter with a line at the median; whiskers reach the last length within
// one and a half boxes; what lies beyond is an outlier, a point that leads to its phase.
import {draw, make} from "../../elements.js";
import {numberColumn, sortableTable, textColumn} from "../../tables.js";
import {telling} from "../../told.js";
import {count, seconds, shorten} from "../../words.js";
import {groupedBy, lengthOf, once, parentOf, partOf, phasesWithin, typeLabel} from "./model.js";
import {describe, jobWidth} from "./scale.js";
import {go} from "./shown.js";

const boxTall = 150, boxBase = boxTall - 20, boxNames = 58, leastBox = 15, mostOutliers = 200;

export function quantile(sorted, part) {
  const at = part * (sorted.length - 1), below = Math.floor(at);
  return sorted[below] + (at - below) * ((sorted[below + 1] ?? sorted[below]) - sorted[below]);
}

export function boxOf(label, members, opens) {
  const sorted = members.map(lengthOf).sort((a, b) => a - b), [quarter, median, threeQuarters] = [0.25, 0.5, 0.75].map((part) => quantile(sorted, part));
  const reach = 1.5 * (threeQuarters - quarter), usual = (length) => length >= quarter - reach && length <= threeQuarters + reach;
  const inside = sorted.filter(usual);
  return {label, opens, number: sorted.length, quarter, median, threeQuarters, low: inside[0], high: inside[inside.length - 1],
    shortest: sorted[0], longest: sorted[sorted.length - 1], outliers: members.filter((phase) => !usual(lengthOf(phase)))};
}

const upTo = (job, phase, wanted) => { let at = phase; while (at && job.phaseTypes.get(at.type)?.repeat !== wanted) at = parentOf(job, at); return at; };
const stepOf = (job, phase) => upTo(job, phase, "sequential");
// Who worked: its place, or the keys that tell side-by-side phases apart.
const severalNodes = once((job) => new Set(job.phases.map((phase) => phase.node)).size > 2);
function workerOf(job, phase) {
  if (phase.node || phase.tid) return [severalNodes(job) || !phase.tid ? phase.node : "", phase.tid ? "thread " + phase.tid : ""].filter(Boolean).join(" ");
  const parts = [];
  for (let at = phase; at && job.phaseTypes.get(at.type)?.repeat !== "sequential"; at = parentOf(job, at)) if (job.phaseTypes.get(at.type)?.repeat === "concurrent") parts.unshift(partOf(at));
  return parts.join("/");
}

// Kinds of which several run side by side within the focus: what waiting for the longest costs most stands first.
export function unevenKinds(job) {
  const kinds = new Map(), open = [...job.within.get(job.shown.focus.id)];
  while (open.length) {
    const phase = open.pop();
    for (const part of job.within.get(phase.id)) open.push(part);
    if (!upTo(job, phase, "concurrent")) continue;
    if (!kinds.has(phase.type)) kinds.set(phase.type, new Map());
    const steps = kinds.get(phase.type), step = stepOf(job, phase)?.id ?? -1;
    if (!steps.has(step)) steps.set(step, {number: 0, sum: 0, longest: 0});
    const of = steps.get(step);
    of.number += 1;
    of.sum += lengthOf(phase);
    of.longest = Math.max(of.longest, lengthOf(phase));
  }
  const cost = (steps) => [...steps.values()].reduce((all, of) => all + of.longest - of.sum / of.number, 0);
  return [...kinds].filter(([, steps]) => [...steps.values()].some((of) => of.number > 1) || steps.size > 1).map(([type, steps]) => ({type, cost: cost(steps)}))
    .sort((a, b) => b.cost - a.cost || a.type - b.type).map((kind) => kind.type);
}

function boxPicture(job, rows, width, heading) {
  const fits = Math.max(1, Math.floor((width - boxNames) / leastBox));
  let shownRows = rows;
  if (rows.length > fits) {
    const uneven = [...rows].sort((a, b) => b.longest - b.median - (a.longest - a.median)).slice(0, fits);
    shownRows = rows.filter((row) => uneven.includes(row));
  }
  const most = Math.max(1e-12, ...shownRows.map((row) => row.longest)), y = (value) => boxBase - (value / most) * (boxBase - 8);
  const each = Math.min(46, (width - boxNames) / shownRows.length), wide = Math.min(22, each * 0.62);
  const letters = Math.max(...shownRows.map((row) => row.short.length)), every = Math.ceil((letters * 6.4 + 8) / each);
  const mostOfRow = Math.max(3, Math.floor(mostOutliers / shownRows.length));
  let points = 0, drawnPoints = 0;
  const drawn = shownRows.map((row, i) => {
    const middle = boxNames + each * (i + 0.5), words = `${row.label}: ${count(row.number)} ${row.number === 1 ? "phase" : "phases"}, median ${seconds(row.median)}, ` +
      `half of them ${seconds(row.quarter)} to ${seconds(row.threeQuarters)}, longest ${seconds(row.longest)}`;
    const line = (name, x1, x2, y1, y2) => draw("line", {class: name, x1, x2, y1, y2});
    points += row.outliers.length;
    const farthest = [...row.outliers].sort((a, b) => lengthOf(b) - lengthOf(a)).slice(0, mostOfRow);
    drawnPoints += farthest.length;
    const outliers = farthest.map((phase) =>
      draw("circle", {class: "outlier", "data-phase": phase.id, cx: middle, cy: y(lengthOf(phase)), r: 3.5, tabindex: 0, role: "button",
        "aria-label": "Outlier " + describe(phase), onclick: () => go(job, {focus: phase}), onkeydown: (event) => event.key === "Enter" && go(job, {focus: phase}), ...telling(describe(phase))}));
    const open = () => row.opens && go(job, {focus: row.opens});
    const clickable = {tabindex: 0, role: "button", onclick: open, onkeydown: (event) => event.key === "Enter" && open()};
    return [draw("g", {class: row.opens ? "box open" : "box", ...(row.opens ? clickable : {role: "img"}), "aria-label": words, ...telling(words)},
        draw("rect", {class: "grip", x: middle - each / 2, y: 0, width: each, height: boxBase}),
        line("whisker", middle, middle, y(row.low), y(row.quarter)), line("whisker", middle, middle, y(row.threeQuarters), y(row.high)),
        line("whisker", middle - wide / 4, middle + wide / 4, y(row.low), y(row.low)), line("whisker", middle - wide / 4, middle + wide / 4, y(row.high), y(row.high)),
        draw("rect", {class: "quarters", x: middle - wide / 2, y: y(row.threeQuarters), width: wide, height: Math.max(1, y(row.quarter) - y(row.threeQuarters))}),
        line("median", middle - wide / 2, middle + wide / 2, y(row.median), y(row.median))), outliers,
      i % every === 0 && middle + row.short.length * 3.4 < width ? draw("text", {x: middle, y: boxTall - 5, "text-anchor": i === 0 && letters * 3.2 > boxNames / 2 + each ? "start" : "middle"}, row.short) : null];
  });
  const note = [shownRows.length < rows.length ? `the ${count(shownRows.length)} most uneven of ${count(rows.length)}` : "",
                points > drawnPoints ? `${count(drawnPoints)} of ${count(points)} outliers` : ""].filter(Boolean).join("; ");
  return make("figure", {class: "boxes"}, make("figcaption", null, heading, note ? make("span", {class: "quiet"}, ` (${note})`) : null),
    draw("svg", {class: "chart", width, height: boxTall, role: "group", "aria-label": heading},
      draw("rect", {class: "back", x: boxNames, y: 8, width: width - boxNames, height: boxBase - 8}),
      [0, 0.5, 1].map((part) => draw("text", {x: boxNames - 5, y: y(part * most) + 4, "text-anchor": "end"}, seconds(part * most))), drawn));
}

const keyOf = (part) => /\[(.*)\]$/.exec(part)?.[1] ?? part;
const byName = new Intl.Collator("en", {numeric: true}).compare;

export function showBoxes(job) {
  const place = job.place("even"), kinds = unevenKinds(job);
  if (!kinds.length) return place.replaceChildren();
  const type = kinds.includes(job.shown.type) ? job.shown.type : kinds.includes(job.shown.even) ? job.shown.even : kinds[0];
  const members = phasesWithin(job, job.shown.focus, type), half = jobWidth(job) > 1150 ? Math.floor(jobWidth(job) / 2) - 12 : jobWidth(job);
  const steps = [...groupedBy(members, (phase) => stepOf(job, phase)?.id ?? -1)].map(([id, list]) => boxOf(id < 0 ? "the whole job" : job.phaseOf.get(id).path, list, id === job.shown.focus.id ? null : job.phaseOf.get(id)))
    .map((row) => ({...row, short: row.opens ? shorten(keyOf(partOf(row.opens)), 12) : ""}));
  const workers = [...groupedBy(members, (phase) => workerOf(job, phase))].map(([name, list]) => ({...boxOf(name || "?", list, null), short: shorten(keyOf(name || "?"), 16)})).sort((a, b) => byName(a.label, b.label));
  const choose = (event) => go(job, {[job.shown.type === null ? "even" : "type"]: Number(event.target.value), from: job.shown.from, to: job.shown.to});
  const chooser = make("label", null, "Phases of ", make("select", {id: "evenKind", onchange: choose},
    kinds.map((kind) => make("option", {value: kind, selected: kind === type}, typeLabel(job, kind)))));
  const table = make("div"), rows = [...(steps.length > 1 || workers.length < 2 ? steps : []), ...workers];
  place.replaceChildren(make("div", {class: "moves"}, make("h3", null, "How even alike phases are"), chooser),
    make("div", {class: "pair"}, boxPicture(job, steps, half, "each step: its workers"),
      workers.some((row) => row.number > 1) ? boxPicture(job, workers, half, steps.length > 1 ? "each worker: its phases in all steps" : "each worker: its phases") : null),
    make("details", {ontoggle: (event) => table.replaceChildren(...(event.target.open ? boxTable(rows) : []))}, make("summary", null, "These lengths as a table"), table));
}

const boxTable = (rows) => sortableTable([textColumn("Step or worker", (row) => row.label), numberColumn("phases", (row) => row.number, count),
  numberColumn("shortest", (row) => row.shortest, seconds), numberColumn("a quarter below", (row) => row.quarter, seconds), numberColumn("median", (row) => row.median, seconds),
  numberColumn("a quarter above", (row) => row.threeQuarters, seconds), numberColumn("longest", (row) => row.longest, seconds),
  numberColumn("outliers", (row) => row.outliers.length, count)], rows, 6);
