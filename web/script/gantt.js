// SPDX-License-Identifier: Apache-2.0
// The phases over time, on a canvas: of tens of thousands only those in sight are drawn, and what is narrower than two
// pixels is summed to its density. Above it, how many run at once in the whole span: no lane is out of sight there.
const ganttNames = 190, ganttTallest = 440;
const gantt = {lanes: [], list: [], laneHeight: 22, picked: null, axis: null};

// Asked for at every point that is drawn, so it is measured once.
let measuredWidth = 1000;
const measureWidth = () => { measuredWidth = Math.max(600, document.getElementById("gantt").clientWidth); };
const jobWidth = () => measuredWidth;
const timeWidth = () => jobWidth() - ganttNames;
const xOf = (time) => ganttNames + ((time - shown.from) / (shown.to - shown.from)) * timeWidth();
const timeAt = (x) => shown.from + ((x - ganttNames) / timeWidth()) * (shown.to - shown.from);

// Round moments.
const minuteSteps = [15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 14400, 28800, 86400];
function timeAxis(from, to, y, width = jobWidth()) {
  const least = (to - from) / (width > 1100 ? 9 : 6), power = 10 ** Math.floor(Math.log10(least));
  const step = (least > 10 && minuteSteps.find((one) => one >= least)) || [1, 2, 5, 10].map((times) => times * power).find((one) => one >= least), ticks = [];
  for (let i = Math.ceil(from / step - 1e-6); i * step <= to + step * 1e-6; ++i) {
    const x = ganttNames + ((i * step - from) / (to - from)) * (width - ganttNames);
    ticks.push(draw("text", {x, y, "text-anchor": x < ganttNames + 24 ? "start" : x > width - 24 ? "end" : "middle"}, secondsIn(i * step, step)));
  }
  return ticks;
}

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

const describe = (phase) => `${phase.path}: ${seconds(lengthOf(phase))}, from ${seconds(phase.start_s)} on${phase.node ? ", on " + phase.node : ""}` +
  `${phase.critical ? ", on the critical path" : ""}${phase.end_assumed ? ", its end is assumed" : ""}`;

function drawBar(context, phase, y, colours) {
  const left = Math.max(xOf(phase.start_s), ganttNames - 4), right = Math.min(xOf(phase.end_s), ganttNames + timeWidth() + 4);
  const high = gantt.laneHeight - (gantt.laneHeight > 10 ? 4 : 2), wide = right - left, name = partOf(phase);
  context.fillStyle = phase.critical ? colours("--knot-soft") : colours("--pick-soft");
  context.strokeStyle = phase === gantt.picked ? colours("--pick") : phase.critical ? colours("--knot") : colours("--bar");
  context.lineWidth = phase === gantt.picked ? 2.5 : 1;
  context.fillRect(left, y + 1, wide, high);
  context.strokeRect(left + 0.5, y + 1.5, Math.max(0, wide - 1), high - 1);
  if (gantt.laneHeight < 14 || name.length * 6 > wide - 8) return;
  context.fillStyle = colours("--ink");
  context.fillText(name, left + 4, y + gantt.laneHeight / 2 + (gantt.laneHeight > 20 ? 2 : 3));
}

// What lies within a phase, as a line. Only what reaches beyond the parts before it is drawn: a few for each pixel.
function drawParts(context, phase, y, colours) {
  for (const critical of [false, true]) {
    let reached = ganttNames;
    context.fillStyle = colours(critical ? "--knot" : "--bar");
    for (const part of within.get(phase.id)) {
      if (part.critical !== critical || part.end_s <= shown.from || part.start_s >= shown.to) continue;
      const left = Math.max(xOf(part.start_s), reached), right = Math.max(xOf(part.end_s) - 0.5, left + 0.7);
      if (right <= reached + 0.5) continue;
      context.fillRect(left, y + gantt.laneHeight - 7, right - left, 4);
      reached = right;
    }
  }
}

// Phases too narrow to be told apart: how much of each two pixels they fill, in four steps.
function drawDensity(context, cover, y, colours) {
  context.fillStyle = colours("--bar");
  const level = (i) => (cover[i] > 0 ? Math.min(4, Math.ceil(cover[i] * 2)) : 0);
  for (let i = 0; i < cover.length;) {
    const first = i, now = level(i);
    while (i < cover.length && level(i) === now) ++i;
    if (now === 0) continue;
    context.globalAlpha = 0.2 + 0.2 * now;
    context.fillRect(ganttNames + 2 * first, y + 1, 2 * (i - first), gantt.laneHeight - 3);
  }
  context.globalAlpha = 1;
}

// `thin` collects bars too narrow for a border: they are drawn at the end, each colour at once.
function drawLane(context, lane, y, colours, thin) {
  const cover = new Float32Array(Math.ceil(timeWidth() / 2));
  let narrow = false;
  for (let i = firstEndingAfter(lane, shown.from); i < lane.phases.length && lane.phases[i].start_s < shown.to; ++i) {
    const phase = lane.phases[i], left = xOf(phase.start_s), wide = xOf(phase.end_s) - left;
    if (wide >= 2 && (wide < 7 || gantt.laneHeight < 14) && phase !== gantt.picked) {
      const from = Math.max(left, ganttNames);
      thin[phase.critical ? 1 : 0].push(from, y, Math.min(left + wide, jobWidth()) - from);
    } else if (wide >= 2 || phase === gantt.picked || lane.phases.length === 1) {
      drawBar(context, phase, y, colours);
      if (gantt.laneHeight >= 14) drawParts(context, phase, y, colours);
    } else {
      narrow = true;
      cover[Math.min(cover.length - 1, Math.max(0, Math.floor((left - ganttNames) / 2)))] += Math.max(wide, 0.2) / 2;
    }
  }
  if (narrow) drawDensity(context, cover, y, colours);
}

function drawThin(context, thin, colours) {
  for (const [critical, bars] of thin.entries()) {
    context.fillStyle = colours(critical ? "--knot" : "--bar");
    for (let i = 0; i < bars.length; i += 3) context.fillRect(bars[i], bars[i + 1] + 1, bars[i + 2] - 0.7, gantt.laneHeight - 2);
  }
}

function colourReader() {
  const style = getComputedStyle(document.documentElement), known = new Map();
  return (name) => known.get(name) ?? (known.set(name, style.getPropertyValue(name).trim()), known.get(name));
}

function drawGantt() {
  const place = document.getElementById("lanes"), high = Math.min(ganttTallest, Math.max(1, gantt.lanes.length) * gantt.laneHeight);
  place.style.height = high + "px";
  place.firstChild.style.height = gantt.lanes.length * gantt.laneHeight + "px";
  const canvas = document.getElementById("bars"), colours = colourReader(), context = surface(canvas, jobWidth(), high);
  if (!gantt.lanes.length) {
    context.fillStyle = colours("--quiet");
    context.fillText("nothing within this phase", ganttNames, 15);
  }
  const first = Math.floor(place.scrollTop / gantt.laneHeight), thin = [[], []];
  const labelEvery = Math.ceil(12 / gantt.laneHeight);
  for (let i = first; i < gantt.lanes.length; ++i) {
    const y = i * gantt.laneHeight - place.scrollTop;
    if (y > high) break;
    drawLane(context, gantt.lanes[i], y, colours, thin);
    if (i % labelEvery) continue;
    context.fillStyle = colours("--ink");
    context.textAlign = "right";
    context.fillText(shorten(gantt.lanes[i].name, 29), ganttNames - 8, y + Math.max(9, gantt.laneHeight / 2 + 4), ganttNames - 12);
    context.textAlign = "left";
  }
  drawThin(context, thin, colours);
  document.getElementById("axis").replaceChildren(
    draw("svg", {class: "axis", width: jobWidth(), height: 16, role: "presentation"}, timeAxis(shown.from, shown.to, 12)));
  drawRunning(colours);
}

// How many run at once in the whole span; what is not in sight is shaded.
function drawRunning(colours) {
  const canvas = document.getElementById("running"), width = jobWidth(), high = 34, context = surface(canvas, width, high);
  const [from, to] = wholeSpan(shown.focus), columns = Math.floor(timeWidth());
  if (gantt.runningColumns !== columns) {
    gantt.running = runningOver(gantt.list, from, to, columns);
    gantt.runningColumns = columns;
  }
  const most = gantt.running.reduce((a, b) => Math.max(a, b), 1);
  context.fillStyle = colours("--grid");
  context.fillRect(ganttNames, 0, columns, high);
  context.fillStyle = colours("--bar");
  context.beginPath();
  context.moveTo(ganttNames, high);
  for (let i = 0; i < columns; ++i) {
    const y = high - (gantt.running[i] / most) * (high - 2);
    context.lineTo(ganttNames + i, y);
    context.lineTo(ganttNames + i + 1, y);
  }
  context.lineTo(ganttNames + columns, high);
  context.fill();
  const left = ((shown.from - from) / (to - from)) * columns, right = ((shown.to - from) / (to - from)) * columns;
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

// New phases, or another width: lanes are made anew. `redraw` only draws.
function showGantt() {
  gantt.list = shown.type === null ? within.get(shown.focus.id) : phasesWithin(shown.focus, shown.type);
  gantt.lanes = lanesOf(gantt.list);
  gantt.laneHeight = gantt.lanes.length <= 20 ? 22 : gantt.lanes.length <= 60 ? 14 : 7;
  gantt.picked = null;
  gantt.runningColumns = 0;
  document.getElementById("lanes").scrollTop = 0;
  document.getElementById("running").hidden = gantt.list.length <= fewPhases;
  document.getElementById("ganttList").open = false;
  document.getElementById("bars").setAttribute("aria-label", `${count(gantt.list.length)} phases over time. Arrow keys go from phase to phase, ` +
    "Enter opens one, plus and minus zoom, 0 shows all. The table below lists them.");
  showSpan();
  drawGantt();
}

function showSpan() {
  const [from, to] = wholeSpan(shown.focus), whole = shown.from === from && shown.to === to;
  document.getElementById("span").textContent = whole ? `${count(gantt.list.length)} phases, ${seconds(to - from)}`
    : `${secondsIn(shown.from, (shown.to - shown.from) / 50)} to ${secondsIn(shown.to, (shown.to - shown.from) / 50)}, of ${seconds(to - from)}`;
  for (const name of ["zoomOut", "zoomWhole"]) document.getElementById(name).disabled = whole;
}

let frame = 0, usesTimer = 0;
function redrawSoon() {
  showSpan();
  if (!frame) frame = requestAnimationFrame(() => { frame = 0; drawGantt(); });
  // The charts are dearer to draw: twice a second is enough while one moves.
  if (!usesTimer) usesTimer = setTimeout(() => { usesTimer = 0; showUses(); }, 400);
}
