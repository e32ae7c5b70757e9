// SPDX-License-Identifier: Apache-2.0
// The phases over time, on a canvas: of tens of thousands only those in sight are drawn, and what is narrower than two
// pixels is summed to its density. Above it, how many run at once in the whole span: no lane is out of sight there.
import {colours as pageColours} from "../../colours.js";
import {draw} from "../../elements.js";
import {count, counted, seconds, secondsIn, shorten} from "../../words.js";
import {fewPhases, firstEndingAfter, lanesOf, runningOver} from "./lanes.js";
import {partOf, phasesWithin} from "./model.js";
import {ganttNames, jobWidth, timeAxis, timeWidth, xOf} from "./scale.js";
import {isWhole, wholeSpan} from "./shown.js";

const ganttTallest = 440;
export const noGantt = () => ({lanes: [], list: [], laneHeight: 22, picked: null, running: null, runningColumns: 0});

// Sharp on every screen, and empty; the context counts in the page's pixels.
function surface(canvas, width, height) {
  const scale = devicePixelRatio || 1, context = canvas.getContext("2d"), wide = Math.round(width * scale), high = Math.round(height * scale);
  if (canvas.width !== wide || canvas.height !== high) {
    canvas.style.width = width + "px";
    canvas.style.height = height + "px";
    canvas.width = wide;
    canvas.height = high;
  }
  context.setTransform(scale, 0, 0, scale, 0, 0);
  context.clearRect(0, 0, width, height);
  context.font = "11px system-ui, sans-serif";
  context.textAlign = "left";
  return context;
}

const isOf = (thread, phase) => thread !== null && thread.tid === phase.tid && thread.pid === phase.pid;

function drawBar(job, context, phase, y, colours) {
  const left = Math.max(xOf(job, phase.start_s), ganttNames - 4), right = Math.min(xOf(job, phase.end_s), ganttNames + timeWidth(job) + 4);
  const high = job.gantt.laneHeight - (job.gantt.laneHeight > 10 ? 4 : 2), wide = right - left, name = partOf(phase);
  context.fillStyle = phase.critical ? colours("--knot-soft") : colours("--pick-soft");
  const isPicked = phase === job.gantt.picked || isOf(job.shown.thread, phase);
  context.strokeStyle = isPicked ? colours("--pick") : phase.critical ? colours("--knot") : colours("--bar");
  context.lineWidth = isPicked ? 2.5 : 1;
  context.fillRect(left, y + 1, wide, high);
  context.strokeRect(left + 0.5, y + 1.5, Math.max(0, wide - 1), high - 1);
  if (job.gantt.laneHeight < 14 || name.length * 6 > wide - 8) return;
  context.fillStyle = colours("--ink");
  context.fillText(name, left + 4, y + job.gantt.laneHeight / 2 + (job.gantt.laneHeight > 20 ? 2 : 3));
}

// What lies within a phase, as a line. Only what reaches beyond the parts before it is drawn: a few for each pixel.
function drawParts(job, context, phase, y, colours) {
  for (const critical of [false, true]) {
    let reached = ganttNames;
    context.fillStyle = colours(critical ? "--knot" : "--bar");
    for (const part of job.within.get(phase.id)) {
      if (part.critical !== critical || part.end_s <= job.shown.from || part.start_s >= job.shown.to) continue;
      const left = Math.max(xOf(job, part.start_s), reached), right = Math.max(xOf(job, part.end_s) - 0.5, left + 0.7);
      if (right <= reached + 0.5) continue;
      context.fillRect(left, y + job.gantt.laneHeight - 7, right - left, 4);
      reached = right;
    }
  }
}

// Phases too narrow to be told apart: how much of each two pixels they fill, in four steps.
function drawDensity(job, context, cover, y, colours) {
  context.fillStyle = colours("--bar");
  const level = (i) => (cover[i] > 0 ? Math.min(4, Math.ceil(cover[i] * 2)) : 0);
  for (let i = 0; i < cover.length;) {
    const first = i, now = level(i);
    while (i < cover.length && level(i) === now) ++i;
    if (now === 0) continue;
    context.globalAlpha = 0.2 + 0.2 * now;
    context.fillRect(ganttNames + 2 * first, y + 1, 2 * (i - first), job.gantt.laneHeight - 3);
  }
  context.globalAlpha = 1;
}

// `thin` collects bars too narrow for a border: they are drawn at the end, each colour at once.
function drawLane(job, context, lane, y, colours, thin) {
  const cover = new Float32Array(Math.ceil(timeWidth(job) / 2));
  let narrow = false;
  for (let i = firstEndingAfter(lane, job.shown.from); i < lane.phases.length && lane.phases[i].start_s < job.shown.to; ++i) {
    const phase = lane.phases[i], left = xOf(job, phase.start_s), wide = xOf(job, phase.end_s) - left;
    if (wide >= 2 && (wide < 7 || job.gantt.laneHeight < 14) && phase !== job.gantt.picked) {
      const from = Math.max(left, ganttNames);
      thin[phase.critical ? 1 : 0].push(from, y, Math.min(left + wide, jobWidth(job)) - from);
    } else if (wide >= 2 || phase === job.gantt.picked || lane.phases.length === 1) {
      drawBar(job, context, phase, y, colours);
      if (job.gantt.laneHeight >= 14) drawParts(job, context, phase, y, colours);
    } else {
      narrow = true;
      cover[Math.min(cover.length - 1, Math.max(0, Math.floor((left - ganttNames) / 2)))] += Math.max(wide, 0.2) / 2;
    }
  }
  if (narrow) drawDensity(job, context, cover, y, colours);
}

function drawThin(job, context, thin, colours) {
  for (const [critical, bars] of thin.entries()) {
    context.fillStyle = colours(critical ? "--knot" : "--bar");
    for (let i = 0; i < bars.length; i += 3) context.fillRect(bars[i], bars[i + 1] + 1, bars[i + 2] - 0.7, job.gantt.laneHeight - 2);
  }
}

export function drawGantt(job) {
  const place = job.place("lanes"), high = Math.min(ganttTallest, Math.max(1, job.gantt.lanes.length) * job.gantt.laneHeight);
  place.style.height = high + "px";
  place.firstChild.style.height = job.gantt.lanes.length * job.gantt.laneHeight + "px";
  const canvas = job.place("bars"), colours = pageColours(), context = surface(canvas, jobWidth(job), high);
  if (!job.gantt.lanes.length) {
    context.fillStyle = colours("--quiet");
    context.fillText(job.app.state.filter ? "nothing of that name within this phase" : "nothing within this phase", ganttNames, 15);
  }
  const first = Math.floor(place.scrollTop / job.gantt.laneHeight), thin = [[], []];
  const labelEvery = Math.ceil(12 / job.gantt.laneHeight);
  for (let i = first; i < job.gantt.lanes.length; ++i) {
    const y = i * job.gantt.laneHeight - place.scrollTop;
    if (y > high) break;
    drawLane(job, context, job.gantt.lanes[i], y, colours, thin);
    if (i % labelEvery) continue;
    context.fillStyle = colours("--ink");
    context.textAlign = "right";
    context.fillText(shorten(job.gantt.lanes[i].name, 29), ganttNames - 8, y + Math.max(9, job.gantt.laneHeight / 2 + 4), ganttNames - 12);
    context.textAlign = "left";
  }
  drawThin(job, context, thin, colours);
  job.place("axis").replaceChildren(
    draw("svg", {class: "axis", width: jobWidth(job), height: 16, role: "presentation"}, timeAxis(job, job.shown.from, job.shown.to, 12)));
  drawRunning(job, colours);
}

// How many run at once in the whole span; what is not in sight is shaded.
function drawRunning(job, colours) {
  const canvas = job.place("running"), width = jobWidth(job), high = 34, context = surface(canvas, width, high);
  const [from, to] = wholeSpan(job.shown.focus), columns = Math.floor(timeWidth(job));
  if (job.gantt.runningColumns !== columns) {
    job.gantt.running = runningOver(job.gantt.list, from, to, columns);
    job.gantt.runningColumns = columns;
  }
  const most = job.gantt.running.reduce((a, b) => Math.max(a, b), 1);
  context.fillStyle = colours("--grid");
  context.fillRect(ganttNames, 0, columns, high);
  context.fillStyle = colours("--bar");
  context.beginPath();
  context.moveTo(ganttNames, high);
  for (let i = 0; i < columns; ++i) {
    const y = high - (job.gantt.running[i] / most) * (high - 2);
    context.lineTo(ganttNames + i, y);
    context.lineTo(ganttNames + i + 1, y);
  }
  context.lineTo(ganttNames + columns, high);
  context.fill();
  const left = ((job.shown.from - from) / (to - from)) * columns, right = ((job.shown.to - from) / (to - from)) * columns;
  context.fillStyle = colours("--paper");
  context.globalAlpha = 0.72;
  context.fillRect(ganttNames, 0, left, high);
  context.fillRect(ganttNames + right, 0, columns - right, high);
  context.globalAlpha = 1;
  context.strokeStyle = colours("--pick");
  if (left > 0 || right < columns) context.strokeRect(ganttNames + left + 0.5, 0.5, Math.max(1, right - left - 1), high - 1);
  context.fillStyle = colours("--quiet");
  context.textAlign = "right";
  context.fillText(`running at once, up to ${count(Math.round(most))}`, ganttNames - 8, 21);
}

// Other phases than before: lanes are made anew.
export function showGantt(job) {
  const all = job.shown.type === null ? job.within.get(job.shown.focus.id) : phasesWithin(job, job.shown.focus, job.shown.type);
  const wanted = job.app.state.filter.toLowerCase();
  job.gantt.list = wanted ? all.filter((phase) => phase.path.toLowerCase().includes(wanted)) : all;
  job.gantt.lanes = lanesOf(job, job.gantt.list);
  job.gantt.laneHeight = job.gantt.lanes.length <= 20 ? 22 : job.gantt.lanes.length <= 60 ? 14 : 7;
  job.gantt.picked = null;
  job.gantt.runningColumns = 0;
  job.place("lanes").scrollTop = 0;
  job.place("running").hidden = job.gantt.list.length <= fewPhases;
  job.place("ganttList").open = false;
  job.place("bars").setAttribute("aria-label", `${counted(job.gantt.list.length, "phase")} over time. Arrow keys go from phase to phase, ` +
    "Enter opens one, plus and minus zoom, 0 shows all. The table below lists them.");
  showSpan(job);
  drawGantt(job);
}

export function showSpan(job) {
  const {focus, from: first, to: last} = job.shown, [from, to] = wholeSpan(focus), whole = isWhole(focus, first, last), step = (last - first) / 50;
  job.place("span").textContent = whole ? `${counted(job.gantt.list.length, "phase")}, ${seconds(to - from)}`
    : `${secondsIn(first, step)} to ${secondsIn(last, step)}, of ${seconds(to - from)}`;
  for (const name of ["zoomOut", "zoomWhole"]) job.place(name).disabled = whole;
}
