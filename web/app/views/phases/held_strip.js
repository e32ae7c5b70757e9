// SPDX-License-Identifier: Apache-2.0
// The strip of bottlenecks below a resource's chart: for each kind of phase, when it was held, and by what.
import {change, draw, make} from "../../elements.js";
import {numberColumn, sortableTable, textColumn} from "../../tables.js";
import {tell, tellNothing} from "../../told.js";
import {count, seconds, secondsIn, shorten} from "../../words.js";
import {heldOfPhases, heldOfType} from "./held.js";
import {groupedBy, heldWords, resourceName, shortType, typeLabel} from "./model.js";
import {ganttNames, jobWidth, timeWidth, xOf} from "./scale.js";
import {go} from "./shown.js";

const heldKinds = [["full", "this resource was full"], ["own", "used all it can of this resource by itself"],
                   ["other", "held by another resource"], ["blocked", "blocked (a collector, a full queue, a lock)"]];
const heldRow = 16, mostHeldRows = 6, mostNamed = 4;
const inSight = (job, one) => one.end_s > job.shown.from && one.start_s < job.shown.to;

function heldKindOf(one, chart) {
  if (one.kind === "blocked") return "blocked";
  return chart.ids.has(one.resource) ? (one.kind === "saturated" ? "full" : "own") : "other";
}

// What concerns the chart, in sight: all of a sum of nodes, else what the same node has.
function heldIn(job, chart, type) {
  const near = (one) => chart.node === null || chart.node === "" || ["", chart.node].includes(job.resourceOf.get(one.resource).node);
  return heldOfType(job).get(type).filter((one) => inSight(job, one) && near(one));
}

// Intervals, sorted by start, as stretches of the picture: those of one kind less than a pixel apart are one.
function stretchesOf(job, chart, intervals) {
  const stretches = [], last = {};
  for (const one of intervals) {
    const kind = heldKindOf(one, chart), left = Math.max(ganttNames, xOf(job, one.start_s)), right = Math.min(jobWidth(job), Math.max(xOf(job, one.end_s), left + 1));
    if (last[kind] && left <= last[kind].right + 1) last[kind].right = Math.max(last[kind].right, right);
    else stretches.push(last[kind] = {kind, left, right, intervals: []});
    last[kind].intervals.push(one);
  }
  return stretches;
}

const heldVerb = {saturated: "was full", self_limit: "was used as far as one phase can", blocked: "blocked"};

// "/Job/Step/Compute: held from 1.2 s to 1.5 s. node1 cpu was full, for 340 ms of 3 phases: Compute[1], …"
function heldSentence(job, chart, type, intervals) {
  const from = Math.min(...intervals.map((one) => one.start_s)), to = Math.max(...intervals.map((one) => one.end_s));
  const parts = [];
  for (const list of groupedBy(intervals, (one) => one.resource + one.kind).values()) {
    const {resource, kind} = list[0], held = list.reduce((all, one) => all + one.held_s, 0), most = Math.max(...list.map((one) => one.phases));
    const named = (heldOfPhases(job).get(type) || []).filter((one) => one.resource === resource && one.kind === kind && one.end_s > from && one.start_s < to);
    const phasesNamed = [...new Set(named.sort((a, b) => b.held_s - a.held_s).map((one) => one.phase))];
    const names = phasesNamed.slice(0, mostNamed).map((id) => job.phaseOf.get(id).path.split("/").slice(2).join("/") || job.phaseOf.get(id).path);
    const more = Math.max(most, phasesNamed.length) - names.length;
    const among = names.length ? ` (${names.join(", ")}${more > 0 ? `, and ${count(more)} more` : ""})` : "";
    parts.push(`${resourceName(job.resourceOf.get(resource))} ${heldVerb[kind] || kind}: held ${count(most)} ${most === 1 ? "phase" : "phases"} ` +
      `for ${seconds(held)}${most === 1 ? "" : " in sum"}${among}.`);
  }
  const step = (job.shown.to - job.shown.from) / 100, rest = parts.length > mostNamed ? ` And ${count(parts.length - mostNamed)} resources more.` : "";
  return `${typeLabel(job, type)}, ${secondsIn(from, step)} to ${secondsIn(to, step)}: ${parts.slice(0, mostNamed).join(" ")}${rest}`;
}

function heldRowOf(job, chart, {type, intervals}, y) {
  const stretches = stretchesOf(job, chart, intervals), kinds = heldKinds.map(([kind]) => kind).filter((kind) => stretches.some((one) => one.kind === kind));
  const band = (heldRow - 3) / kinds.length;
  const lines = kinds.map((kind, i) => draw("path", {class: "held " + kind, "stroke-width": kind === "other" ? Math.min(4, band) : band - (kinds.length > 1 ? 1 : 0),
    d: stretches.filter((one) => one.kind === kind).map((one) => `M${one.left.toFixed(1)} ${y + 1.5 + band * (i + 0.5)}H${one.right.toFixed(1)}`).join("")}));
  const byTime = [...stretches].sort((a, b) => a.left - b.left), words = (one) => heldSentence(job, chart, type, one.intervals);
  const mark = draw("rect", {class: "mark", y, height: heldRow, visibility: "hidden"});
  let at = -1;
  const show = (next, event) => {
    at = Math.max(0, Math.min(byTime.length - 1, next));
    const one = byTime[at], size = event.currentTarget.ownerSVGElement.getBoundingClientRect();
    change(mark, {x: one.left - 1, width: one.right - one.left + 2, visibility: "visible"});
    tell(words(one), event.clientX ?? size.left + one.left, event.clientY ?? size.top + y + heldRow);
  };
  const hide = () => { mark.setAttribute("visibility", "hidden"); tellNothing(); };
  return draw("g", {class: "heldRow", tabindex: 0, role: "button", "data-type": type, "data-focus": `held${[...chart.ids].join("-")}t${type}`,
      "aria-label": `${typeLabel(job, type)} was held: ${heldSummary(job, intervals)}. Left and right tell each time, Enter shows only these phases.`,
      onclick: () => go(job, {type}), onfocus: (event) => event.currentTarget.matches(":focus-visible") && show(0, event), onblur: hide, onpointerleave: hide,
      onkeydown: (event) => {
        if (event.key === "Enter") return go(job, {type});
        if (event.key !== "ArrowRight" && event.key !== "ArrowLeft") return;
        event.preventDefault();
        show(at + (event.key === "ArrowRight" ? 1 : -1), event);
      },
      onpointermove: (event) => {
        const x = event.clientX - event.currentTarget.ownerSVGElement.getBoundingClientRect().left;
        const distance = (one) => (x < one.left ? one.left - x : x > one.right ? x - one.right : 0);
        const near = byTime.reduce((best, one, i) => (distance(one) < distance(byTime[best]) ? i : best), 0);
        if (distance(byTime[near]) < 4) show(near, event);
        else hide();
      }},
    draw("rect", {class: "grip", x: 0, y, width: jobWidth(job), height: heldRow}), lines, mark,
    draw("text", {x: ganttNames - 8, y: y + heldRow - 5, "text-anchor": "end"}, shorten(shortType(job, type), 24) + " held"));
}

// The resources that held them longest.
function heldSummary(job, intervals) {
  const lists = [...groupedBy(intervals, (one) => one.resource + one.kind).values()].map((list) => ({...list[0], held: list.reduce((all, one) => all + one.held_s, 0)}));
  const named = lists.sort((a, b) => b.held - a.held).slice(0, mostNamed).map((one) => `${resourceName(job.resourceOf.get(one.resource))} ${heldVerb[one.kind] || one.kind}, ${seconds(one.held)}`);
  return named.join("; ") + (lists.length > mostNamed ? `; and ${count(lists.length - mostNamed)} more` : "");
}

// Kinds of phases that were held by themselves, the longest held first, with their intervals.
function heldTypes(job, chart, view) {
  const rows = [];
  for (const type of heldOfType(job).keys()) {
    if (!view.types.has(type)) continue;
    const intervals = heldIn(job, chart, type);
    if (intervals.length) rows.push({type, intervals, held: intervals.reduce((all, one) => all + one.held_s, 0)});
  }
  return rows.sort((a, b) => b.held - a.held);
}

export function heldStrip(job, chart, view) {
  const types = heldTypes(job, chart, view), rows = types.slice(0, mostHeldRows), left = types.length - rows.length;
  if (!rows.length) return null;
  const tall = rows.length * heldRow + (left > 0 ? 14 : 0);
  return draw("svg", {class: "chart strip", width: jobWidth(job), height: tall, role: "group", "aria-label": `What held phases back, beside ${chart.label}`},
    draw("rect", {class: "back", x: ganttNames, y: 0, width: timeWidth(job), height: rows.length * heldRow}),
    rows.map((row, i) => heldRowOf(job, chart, row, i * heldRow)),
    left > 0 ? draw("text", {class: "quiet", x: ganttNames - 8, y: tall - 3, "text-anchor": "end"}, `${count(left)} kinds more in the table`) : null);
}

export function heldTable(job, chart, view) {
  const rows = heldTypes(job, chart, view).flatMap((row) => row.intervals);
  if (!rows.length) return [];
  return sortableTable([textColumn("Held phases of", (one) => typeLabel(job, one.type)), textColumn("by", (one) => resourceName(job.resourceOf.get(one.resource))),
    textColumn("how", (one) => heldWords[one.kind] || one.kind), numberColumn("from", (one) => one.start_s, seconds), numberColumn("to", (one) => one.end_s, seconds),
    numberColumn("held, in sum", (one) => one.held_s, seconds), numberColumn("phases", (one) => one.phases, count)], rows, 3);
}

export const heldLegend = (job, line) => (heldOfType(job).size ? heldKinds.map(([kind, words]) => make("span", null, line("held " + kind), words)) : []);
