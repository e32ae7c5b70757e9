// SPDX-License-Identifier: Apache-2.0
// Moving about in the Gantt chart: by wheel, by dragging and by keys.
import {onSchemeChange} from "../../colours.js";
import {button, make} from "../../elements.js";
import {numberColumn, sortableTable, textColumn} from "../../tables.js";
import {tell, tellNothing} from "../../told.js";
import {seconds} from "../../words.js";
import {firstEndingAfter} from "./lanes.js";
import {lengthOf, parentOf} from "./model.js";
import {describe, ganttNames, timeAt, timeWidth, xOf} from "./scale.js";
import {go, moveTo, wholeSpan} from "./shown.js";

function zoomBy(job, factor, middle = (job.shown.from + job.shown.to) / 2) {
  moveTo(job, middle - (middle - job.shown.from) * factor, middle + (job.shown.to - middle) * factor);
}

function phaseAt(job, x, y) {
  const lane = job.gantt.lanes[Math.floor((y + job.place("lanes").scrollTop) / job.gantt.laneHeight)];
  if (!lane || x < ganttNames) return null;
  const near = (2 / timeWidth(job)) * (job.shown.to - job.shown.from), time = timeAt(job, x), at = firstEndingAfter(lane, time - near);
  const candidates = lane.phases.slice(at, at + 2).filter((phase) => phase.start_s <= time + near);
  return candidates.find((phase) => phase.start_s <= time && time < phase.end_s) || candidates[0] || null;
}

// Selects a phase in all views, and brings it into sight.
function pick(job, phase) {
  job.gantt.picked = phase;
  job.app.set({sel: `phase:${phase.id}`, at: null}, {replace: true});
  bringIntoSight(job, phase);
  const size = job.place("bars").getBoundingClientRect(), top = job.gantt.lanes.findIndex((one) => one.phases.includes(phase)) * job.gantt.laneHeight;
  tell(describe(phase), size.left + Math.max(ganttNames, xOf(job, phase.start_s)), size.top + top - job.place("lanes").scrollTop + job.gantt.laneHeight);
}

export function bringIntoSight(job, phase) {
  const lane = job.gantt.lanes.findIndex((one) => one.phases.includes(phase)), place = job.place("lanes");
  const top = lane * job.gantt.laneHeight;
  if (top < place.scrollTop) place.scrollTop = top;
  if (top + job.gantt.laneHeight > place.scrollTop + place.clientHeight) place.scrollTop = top + job.gantt.laneHeight - place.clientHeight;
  const width = job.shown.to - job.shown.from;
  if (phase.start_s >= job.shown.to || phase.end_s <= job.shown.from) moveTo(job, phase.start_s - width / 4, phase.start_s + (3 * width) / 4);
  else job.redraw();
}

// To the next phase of the lane, or to one at the same time some lanes away.
function pickNext(job, along, across) {
  const lane = job.gantt.lanes.findIndex((one) => one.phases.includes(job.gantt.picked));
  if (lane < 0) return job.gantt.list.length && pick(job, job.gantt.lanes[0].phases[Math.min(firstEndingAfter(job.gantt.lanes[0], job.shown.from), job.gantt.lanes[0].phases.length - 1)]);
  const next = job.gantt.lanes[lane + across];
  if (!next) return;
  const at = across ? firstEndingAfter(next, job.gantt.picked.start_s) : next.phases.indexOf(job.gantt.picked) + along;
  const phase = next.phases[across ? Math.min(at, next.phases.length - 1) : at];
  if (phase) pick(job, phase);
}

function ganttKey(job, event) {
  const width = job.shown.to - job.shown.from, moves = {
    "+": () => zoomBy(job, 0.6, job.gantt.picked ? Math.max(job.shown.from, Math.min(job.shown.to, job.gantt.picked.start_s)) : undefined),
    "=": () => zoomBy(job, 0.6), "-": () => zoomBy(job, 1 / 0.6), "0": () => moveTo(job, ...wholeSpan(job.shown.focus)),
    PageUp: () => moveTo(job, job.shown.from - width / 2, job.shown.to - width / 2), PageDown: () => moveTo(job, job.shown.from + width / 2, job.shown.to + width / 2),
    ArrowLeft: () => pickNext(job, -1, 0), ArrowRight: () => pickNext(job, 1, 0), ArrowUp: () => pickNext(job, 0, -1), ArrowDown: () => pickNext(job, 0, 1),
    Enter: () => job.gantt.picked && go(job, {focus: job.gantt.picked}), Escape: () => go(job, {focus: parentOf(job, job.shown.focus)}),
  };
  if (event.key === "Escape" && !parentOf(job, job.shown.focus)) return;
  if (!Object.hasOwn(moves, event.key) || event.ctrlKey || event.metaKey || event.altKey) return;
  event.preventDefault();
  moves[event.key]();
}

function prepareDragging(job, canvas, place) {
  let drag = null;
  canvas.addEventListener("pointerdown", (event) => {
    if (event.button === 0) drag = {x: event.clientX, y: event.clientY, from: job.shown.from, to: job.shown.to, top: place.scrollTop, far: false};
  });
  addEventListener("pointermove", (event) => {
    if (!drag) return;
    const dx = event.clientX - drag.x, dy = event.clientY - drag.y;
    if (!drag.far && Math.abs(dx) + Math.abs(dy) < 4) return;
    drag.far = true;
    tellNothing();
    const time = (dx / timeWidth(job)) * (drag.to - drag.from);
    place.scrollTop = drag.top - dy;
    moveTo(job, drag.from - time, drag.to - time);
  }, {signal: job.signal});
  // The click that ends a drag opens nothing.
  addEventListener("pointerup", () => { setTimeout(() => { drag = null; }); }, {signal: job.signal});
  addEventListener("pointercancel", () => { drag = null; }, {signal: job.signal});
  canvas.addEventListener("click", (event) => {
    const phase = !drag?.far && phaseAt(job, event.offsetX, event.offsetY);
    if (phase) go(job, {focus: phase});
  });
  canvas.addEventListener("pointermove", (event) => {
    if (drag?.far) return;
    const phase = phaseAt(job, event.offsetX, event.offsetY);
    canvas.style.cursor = phase ? "pointer" : "grab";
    if (phase) tell(describe(phase), event.clientX, event.clientY);
    else tellNothing();
  });
  canvas.addEventListener("pointerleave", tellNothing);
  canvas.addEventListener("blur", tellNothing);
}

// A press in the overview shows that moment in the middle.
function prepareOverview(job, canvas) {
  const show = (event) => {
    const [from, to] = wholeSpan(job.shown.focus), width = job.shown.to - job.shown.from;
    const middle = from + ((event.offsetX - ganttNames) / timeWidth(job)) * (to - from);
    moveTo(job, middle - width / 2, middle + width / 2);
  };
  canvas.addEventListener("pointerdown", show);
  canvas.addEventListener("pointermove", (event) => { if (event.buttons & 1) show(event); });
}

const phaseTable = (job) => sortableTable([
  textColumn("Phase", (phase) => phase.path), textColumn("node", (phase) => phase.node),
  numberColumn("from", (phase) => phase.start_s, seconds), numberColumn("lasted", lengthOf, seconds),
  textColumn("critical path", (phase) => (phase.critical ? "yes" : "")),
], job.gantt.list, 3, (phase) => go(job, {focus: phase}));

export function prepareGantt(job) {
  const canvas = make("canvas", {id: "bars", tabindex: 0, role: "application", onkeydown: (event) => ganttKey(job, event)});
  const place = make("div", {id: "lanes"}, make("div", null, canvas)), table = make("div");
  const move = (id, words, act) => button(words, act, {id});
  const overview = make("canvas", {id: "running", role: "presentation"});
  job.place("gantt").replaceChildren(
    make("div", {class: "moves"}, make("span", {id: "span", class: "quiet"}), move("zoomIn", "Zoom in", () => zoomBy(job, 0.6)),
      move("zoomOut", "Zoom out", () => zoomBy(job, 1 / 0.6)), move("zoomWhole", "Show all", () => moveTo(job, ...wholeSpan(job.shown.focus)))),
    overview, place, make("div", {id: "axis"}),
    make("p", {class: "quiet hint"}, "Click a phase to open it. Orange: on the critical path. Ctrl + wheel zooms, dragging moves; with the keyboard: arrows, Enter, +, −, 0."),
    make("details", {id: "ganttList", ontoggle: (event) => table.replaceChildren(...(event.target.open ? phaseTable(job) : []))},
      make("summary", null, "These phases as a table"), table));
  canvas.addEventListener("wheel", (event) => {
    if (event.ctrlKey || event.metaKey) zoomBy(job, Math.exp(Math.sign(event.deltaY) * 0.2), timeAt(job, event.offsetX));
    else if (event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY)) {
      const by = ((event.deltaX || event.deltaY) / timeWidth(job)) * (job.shown.to - job.shown.from);
      moveTo(job, job.shown.from + by, job.shown.to + by);
    } else return;
    event.preventDefault();
  }, {passive: false});
  prepareDragging(job, canvas, place);
  prepareOverview(job, overview);
  place.addEventListener("scroll", () => job.redraw());
  job.signal.addEventListener("abort", onSchemeChange(() => job.redraw()));
}
