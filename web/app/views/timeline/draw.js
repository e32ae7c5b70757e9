// SPDX-License-Identifier: Apache-2.0
// Draws the timeline: axis, phases, rows from sheets or exact segments, and what is laid over them. Only what is visible.
import {nanosecondsIn} from "../../words.js";
import {lastAtMost, spin, wait} from "./answers.js";
import {stateName} from "./paint.js";
import {ticks, xOf} from "./scale.js";

export const rowHeight = 20, barHeight = 14, axisHeight = 22, phaseHeight = 15, logHeight = 13;
const mostPhaseLanes = 3, mostRects = 12000;  // of exact segments; beyond, sheets are quicker and look the same

// Sizes for a place so wide: names on the left, smaller on a phone.
export const gutterOf = (width) => Math.round(Math.max(96, Math.min(220, width * 0.22)));

// Where the rows begin: below axis, phases, and lines of logs if there are any.
export const topOf = (lanes, logs) => axisHeight + lanes * phaseHeight + (logs ? logHeight : 0);

// Text no wider than that, with … in the end; measured once.
export function fitter(context) {
  const known = new Map();
  return (text, width) => {
    const key = width + " " + text;
    let fit = known.get(key);
    if (fit === undefined) {
      if (known.size > 5000) known.clear();
      fit = text;
      if (context.measureText(fit).width > width) {
        let letters = [...text].slice(0, 200);
        while (letters.length > 0 && context.measureText(letters.join("") + "…").width > width) letters = letters.slice(0, -Math.max(1, Math.floor(letters.length / 12)));
        fit = letters.length ? letters.join("") + "…" : "";
      }
      known.set(key, fit);
    }
    return fit;
  };
}

// Phases in as few lanes as they fit into, the outer ones above; those that fit nowhere are left out.
export function phaseLanes(phases) {
  const ends = [], placed = [];
  for (const phase of phases) {
    let lane = ends.findIndex((end) => end <= phase.from_ns);
    if (lane < 0) lane = ends.length;
    if (lane >= mostPhaseLanes) continue;
    ends[lane] = phase.to_ns;
    placed.push({...phase, lane});
  }
  return {placed, lanes: ends.length};
}

// scene: {context, width, height, gutter, range, rows, first, shift, sheets, exact, phases, lanes, fills, colour, fit, state…}
export function drawScene(scene) {
  const {context, width, height, gutter, colour} = scene;
  context.clearRect(0, 0, width, height);
  context.fillStyle = colour("--card");
  context.fillRect(0, 0, width, height);
  context.textBaseline = "middle";
  const top = topOf(scene.lanes, scene.logs);
  scene.top = top;
  context.save();
  context.beginPath();
  context.rect(gutter, 0, width - gutter, height);
  context.clip();
  drawAxis(scene);
  drawPhases(scene);
  drawLogs(scene);
  context.restore();
  context.save();
  context.beginPath();
  context.rect(0, top, width, height - top);
  context.clip();
  drawRows(scene);
  context.beginPath();
  context.rect(gutter, top, width - gutter, height - top);
  context.clip();
  drawOver(scene);
  context.restore();
  context.fillStyle = colour("--line");
  context.fillRect(gutter - 1, 0, 1, height);
  context.fillRect(0, top - 1, width, 1);
}

function drawAxis({context, width, height, gutter, range, colour, top}) {
  const {step, times} = ticks(range, width - gutter);
  context.font = '11px system-ui, "DejaVu Sans", sans-serif';
  for (const time of times) {
    const x = Math.round(gutter + xOf(range, width - gutter, time));
    context.fillStyle = colour("--grid");
    context.fillRect(x, axisHeight, 1, height);
    context.fillStyle = colour("--quiet");
    context.fillText(nanosecondsIn(time, step), x + 4, axisHeight / 2);
    context.fillRect(x, axisHeight - 6, 1, 6);
  }
}

function drawPhases({context, width, gutter, range, phases, colour, fit, shadeOf}) {
  for (const phase of phases) {
    if (phase.to_ns < range.from || phase.from_ns > range.to) continue;
    const from = Math.max(gutter, gutter + xOf(range, width - gutter, phase.from_ns)), to = Math.min(width, gutter + xOf(range, width - gutter, phase.to_ns));
    const y = axisHeight + phase.lane * phaseHeight;
    context.globalAlpha = 0.28;
    context.fillStyle = colour(shadeOf(phase.name));
    context.fillRect(from, y + 1, Math.max(1, to - from - 1), phaseHeight - 2);
    context.globalAlpha = 1;
    if (to - from > 30) {
      context.fillStyle = colour("--ink");
      context.fillText(fit(phase.name, to - from - 8), from + 4, y + phaseHeight / 2);
    }
  }
}

// Lines of logs: a mark each, or one for several that are too near to each other.
function drawLogs({context, width, gutter, range, logs, lanes, colour}) {
  if (!logs) return;
  const y = axisHeight + lanes * phaseHeight;
  context.fillStyle = colour("--quiet");
  for (const mark of logs) {
    const x = gutter + xOf(range, width - gutter, mark.from_ns);
    if (x < gutter - 4 || x > width) continue;
    context.beginPath();
    context.moveTo(x, y + logHeight - 2);
    context.lineTo(x - 3, y + 3);
    context.lineTo(x + 3, y + 3);
    context.fill();
    if (mark.lines > 1) context.fillRect(x - 3, y + 1, 6, 1.5);
  }
}

function drawRows(scene) {
  const {context, width, gutter, rows, colour, fit, selectedKey, hoverRow} = scene, plot = width - gutter;
  let budget = mostRects;
  for (let i = scene.first; i < rows.length; ++i) {
    const y = scene.top + (i - scene.first) * rowHeight - scene.shift, row = rows[i];
    if (y >= scene.height) break;
    if (row.key === selectedKey) {
      context.fillStyle = colour("--pick-soft");
      context.fillRect(0, y, width, rowHeight);
    } else if (i === hoverRow) {
      context.fillStyle = colour("--grid");
      context.fillRect(0, y, gutter, rowHeight);
    }
    context.save();
    context.beginPath();
    context.rect(gutter, y, plot, rowHeight);
    context.clip();
    budget -= drawBars(scene, row, y + (rowHeight - barHeight) / 2, budget);
    context.restore();
    drawName(scene, row, y, fit);
    context.fillStyle = colour("--grid");
    context.fillRect(0, y + rowHeight - 1, width, 1);
  }
}

function drawName({context, gutter, colour}, row, y, fit) {
  const x = 8 + row.depth * 12, middle = y + rowHeight / 2;
  if (row.canOpen) {
    context.fillStyle = colour("--quiet");
    context.beginPath();
    if (row.isOpen) { context.moveTo(x, middle - 3); context.lineTo(x + 8, middle - 3); context.lineTo(x + 4, middle + 3); }
    else { context.moveTo(x + 1, middle - 4); context.lineTo(x + 7, middle); context.lineTo(x + 1, middle + 4); }
    context.fill();
  }
  context.font = '12px system-ui, "DejaVu Sans", sans-serif';
  const space = gutter - x - 20, name = fit(row.label, space);
  context.fillStyle = colour("--ink");
  context.fillText(name, x + 12, middle);
  const used = context.measureText(name).width + 8;
  if (row.note && space - used > 24) {
    context.fillStyle = colour("--quiet");
    context.fillText(fit(row.note, space - used), x + 12 + used, middle);
  }
}

// Returns how many rectangles it took.
function drawBars(scene, row, y, budget) {
  const {context, width, gutter, range, sheets, exact} = scene, plot = width - gutter;
  const own = row.kind === "thread" ? exact.get(row.id) : undefined;
  if (own && own.from <= range.from && own.to >= range.to) {
    const first = Math.max(own.begin, lastAtMost(own.columns.start, range.from, own.begin, own.end));
    const last = lastAtMost(own.columns.start, range.to, own.begin, own.end);
    if (last - first < Math.min(budget, plot * 2)) return drawExact(scene, own.columns, first, last, y);
  }
  for (const sheet of sheets.layers(row.key, range, (range.to - range.from) / plot)) {
    const from = Math.max(range.from, sheet.from), to = Math.min(range.to, sheet.to);
    const sx = (from - sheet.from) / sheet.resolution, sw = (to - from) / sheet.resolution;
    const x = gutter + xOf(range, plot, from), w = xOf(range, plot, to) + gutter - x;
    context.fillStyle = scene.colour(row.key === scene.selectedKey ? "--pick-soft" : "--card");
    context.fillRect(x, y, w, barHeight);
    context.imageSmoothingEnabled = sw > w;
    context.drawImage(sheet.picture, sx, sheet.place.get(row.key) * barHeight, Math.max(sw, 1e-3), barHeight, x, y, w, barHeight);
  }
  return 0;
}

function drawExact({context, width, gutter, range, fills, colour}, columns, first, last, y) {
  const plot = width - gutter;
  let covered = -1;
  for (let i = first; i <= last; ++i) {
    const from = Math.max(-2, xOf(range, plot, columns.start[i])), to = Math.min(plot + 2, xOf(range, plot, columns.end[i]));
    if (to < 0 || (to < covered && to - from < 0.5)) continue;
    const name = stateName(columns.kind[i], columns.cause[i]), idle = columns.kind[i] === wait;
    context.fillStyle = fills[name];
    // Waits are lower than what uses a CPU: the eye finds the work first.
    context.fillRect(gutter + from, idle ? y + 3 : y, Math.max(0.75, to - from - (to - from > 3 ? 0.5 : 0)), idle ? barHeight - 6 : barHeight);
    covered = from + 0.5;
    if (to - from > 70) label({context, colour}, columns, i, gutter + Math.max(0, from), y, Math.min(plot, to) - Math.max(0, from));
  }
  return last - first + 1;
}

const letters = {disk: "disk", net: "network", timer: "timer", lock: "lock", spin: "spins", run: "", ready: "ready", unknown: "?", wait: ""};
function label({context, colour}, columns, i, x, y, width) {
  const name = stateName(columns.kind[i], columns.cause[i]), text = letters[name];
  if (!text || width < 60) return;
  context.font = '10px system-ui, "DejaVu Sans", sans-serif';
  const size = context.measureText(text).width + 6;
  if (columns.kind[i] === wait || columns.kind[i] === spin || name === "unknown") {
    context.fillStyle = colour("--card");
    context.fillRect(x + 4, y + 1, size, barHeight - 2);
  }
  context.fillStyle = colour("--ink");
  context.fillText(text, x + 7, y + barHeight / 2 + 0.5);
}

// What is laid over the rows: path or slice, arrows of wakes, the selected moment, a measured range.
function drawOver(scene) {
  const {context, width, gutter, range, colour, rowOf, laid, arrows, moment, measured, cursor, top, height} = scene, plot = width - gutter;
  const yOf = (place) => top + (place - scene.first) * rowHeight - scene.shift;
  if (laid) {
    const {thread, from_ns, to_ns} = laid.stretches;
    let before = null;
    context.fillStyle = context.strokeStyle = colour("--knot");
    for (let i = 0; i < thread.length; ++i) {
      const place = rowOf(thread[i]), x = gutter + xOf(range, plot, from_ns[i]), end = gutter + xOf(range, plot, to_ns[i]);
      const y = place < 0 ? null : yOf(place) + rowHeight - 4;
      if (y !== null && end >= gutter && x <= width) context.fillRect(x, y, Math.max(1.5, end - x), 3);
      if (laid.isPath && before !== null && y !== null && before !== y && x >= gutter && x <= width) {
        context.globalAlpha = 0.55;
        context.fillRect(x - 0.5, Math.min(before, y), 1, Math.abs(before - y) + 3);
        context.globalAlpha = 1;
      }
      if (y !== null) before = y;
    }
  }
  for (const [from, to, at_ns] of arrows) {
    const x = gutter + xOf(range, plot, at_ns), a = rowOf(from), b = rowOf(to);
    if (x < gutter || x > width || b < 0) continue;
    const ya = a < 0 ? top : yOf(a) + rowHeight / 2, yb = yOf(b) + rowHeight / 2;
    arrow(context, x, ya, yb, colour("--quiet"), 0.7);
  }
  if (moment) {
    const place = rowOf(moment.thread), from = gutter + xOf(range, plot, moment.start_ns), to = gutter + xOf(range, plot, moment.end_ns);
    if (place >= 0) {
      context.strokeStyle = colour("--ink");
      context.lineWidth = 2;
      context.strokeRect(from, yOf(place) + 2, Math.max(2, to - from), rowHeight - 4);
      if (moment.waker !== undefined && !moment.open_end) {
        const waker = rowOf(moment.waker);
        if (to >= gutter && to <= width) arrow(context, to, waker < 0 ? top : yOf(waker) + rowHeight / 2, yOf(place) + rowHeight / 2, colour("--pick"), 2);
      }
      context.lineWidth = 1;
    }
  }
  if (cursor !== null) {
    context.globalAlpha = 0.5;
    context.fillStyle = colour("--pick");
    context.fillRect(Math.round(gutter + xOf(range, plot, cursor)), top, 1, height);
    context.globalAlpha = 1;
  }
  if (measured) {
    const x = gutter + xOf(range, plot, measured.from), w = xOf(range, plot, measured.to) + gutter - x;
    context.globalAlpha = 0.14;
    context.fillStyle = colour("--pick");
    context.fillRect(x, top, w, height);
    context.globalAlpha = 1;
    context.fillRect(x, top, 1, height);
    context.fillRect(x + w, top, 1, height);
  }
}

function arrow(context, x, from, to, colour, width) {
  const way = Math.sign(to - from) || 1;
  context.strokeStyle = context.fillStyle = colour;
  context.lineWidth = width;
  context.beginPath();
  context.moveTo(x, from);
  context.lineTo(x, to);
  context.stroke();
  context.beginPath();
  context.moveTo(x, to);
  context.lineTo(x - 3.5, to - 6 * way);
  context.lineTo(x + 3.5, to - 6 * way);
  context.fill();
  context.lineWidth = 1;
}
