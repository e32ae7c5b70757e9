// SPDX-License-Identifier: Apache-2.0
// Moving about in the Gantt chart: by wheel, by dragging and by keys.
function zoomBy(factor, middle = (shown.from + shown.to) / 2) {
  moveTo(middle - (middle - shown.from) * factor, middle + (shown.to - middle) * factor);
}

function phaseAt(x, y) {
  const lane = gantt.lanes[Math.floor((y + document.getElementById("lanes").scrollTop) / gantt.laneHeight)];
  if (!lane || x < ganttNames) return null;
  const near = (2 / timeWidth()) * (shown.to - shown.from), time = timeAt(x), at = firstEndingAfter(lane, time - near);
  const candidates = lane.phases.slice(at, at + 2).filter((phase) => phase.start_s <= time + near);
  return candidates.find((phase) => phase.start_s <= time && time < phase.end_s) || candidates[0] || null;
}

// Brings a phase into sight.
function pick(phase) {
  gantt.picked = phase;
  const lane = gantt.lanes.findIndex((one) => one.phases.includes(phase)), place = document.getElementById("lanes");
  const top = lane * gantt.laneHeight;
  if (top < place.scrollTop) place.scrollTop = top;
  if (top + gantt.laneHeight > place.scrollTop + place.clientHeight) place.scrollTop = top + gantt.laneHeight - place.clientHeight;
  const width = shown.to - shown.from;
  if (phase.start_s >= shown.to || phase.end_s <= shown.from) moveTo(phase.start_s - width / 4, phase.start_s + (3 * width) / 4);
  else redrawSoon();
  const size = document.getElementById("bars").getBoundingClientRect();
  tell(describe(phase), size.left + Math.max(ganttNames, xOf(phase.start_s)), size.top + top - place.scrollTop + gantt.laneHeight);
}

// To the next phase of the lane, or to one at the same time some lanes away.
function pickNext(along, across) {
  const lane = gantt.lanes.findIndex((one) => one.phases.includes(gantt.picked));
  if (lane < 0) return gantt.list.length && pick(gantt.lanes[0].phases[Math.min(firstEndingAfter(gantt.lanes[0], shown.from), gantt.lanes[0].phases.length - 1)]);
  const next = gantt.lanes[lane + across];
  if (!next) return;
  const at = across ? firstEndingAfter(next, gantt.picked.start_s) : next.phases.indexOf(gantt.picked) + along;
  const phase = next.phases[across ? Math.min(at, next.phases.length - 1) : at];
  if (phase) pick(phase);
}

function ganttKey(event) {
  const width = shown.to - shown.from, moves = {
    "+": () => zoomBy(0.6, gantt.picked ? Math.max(shown.from, Math.min(shown.to, gantt.picked.start_s)) : undefined),
    "=": () => zoomBy(0.6), "-": () => zoomBy(1 / 0.6), "0": () => moveTo(...wholeSpan(shown.focus)),
    PageUp: () => moveTo(shown.from - width / 2, shown.to - width / 2), PageDown: () => moveTo(shown.from + width / 2, shown.to + width / 2),
    ArrowLeft: () => pickNext(-1, 0), ArrowRight: () => pickNext(1, 0), ArrowUp: () => pickNext(0, -1), ArrowDown: () => pickNext(0, 1),
    Enter: () => gantt.picked && go({focus: gantt.picked}), Escape: () => parentOf(shown.focus) && go({focus: parentOf(shown.focus)}),
  };
  if (!moves[event.key] || event.ctrlKey || event.metaKey || event.altKey) return;
  event.preventDefault();
  moves[event.key]();
}

function prepareDragging(canvas, place) {
  let drag = null;
  canvas.addEventListener("pointerdown", (event) => {
    if (event.button === 0) drag = {x: event.clientX, y: event.clientY, from: shown.from, to: shown.to, top: place.scrollTop, far: false};
  });
  addEventListener("pointermove", (event) => {
    if (!drag) return;
    const dx = event.clientX - drag.x, dy = event.clientY - drag.y;
    if (!drag.far && Math.abs(dx) + Math.abs(dy) < 4) return;
    drag.far = true;
    tellNothing();
    const time = (dx / timeWidth()) * (drag.to - drag.from);
    place.scrollTop = drag.top - dy;
    moveTo(drag.from - time, drag.to - time);
  });
  // The click that ends a drag opens nothing.
  addEventListener("pointerup", () => { setTimeout(() => { drag = null; }); });
  addEventListener("pointercancel", () => { drag = null; });
  canvas.addEventListener("click", (event) => {
    const phase = !drag?.far && phaseAt(event.offsetX, event.offsetY);
    if (phase) go({focus: phase});
  });
  canvas.addEventListener("pointermove", (event) => {
    if (drag?.far) return;
    const phase = phaseAt(event.offsetX, event.offsetY);
    canvas.style.cursor = phase ? "pointer" : "grab";
    if (phase) tell(describe(phase), event.clientX, event.clientY);
    else tellNothing();
  });
  canvas.addEventListener("pointerleave", tellNothing);
  canvas.addEventListener("blur", tellNothing);
}

// A press in the overview shows that moment in the middle.
function prepareOverview(canvas) {
  const show = (event) => {
    const [from, to] = wholeSpan(shown.focus), width = shown.to - shown.from;
    const middle = from + ((event.offsetX - ganttNames) / timeWidth()) * (to - from);
    moveTo(middle - width / 2, middle + width / 2);
  };
  canvas.addEventListener("pointerdown", show);
  canvas.addEventListener("pointermove", (event) => { if (event.buttons & 1) show(event); });
}

const phaseTable = () => sortableTable([
  textColumn("Phase", (phase) => phase.path), textColumn("node", (phase) => phase.node),
  numberColumn("from", (phase) => phase.start_s, seconds), numberColumn("lasted", lengthOf, seconds),
  textColumn("critical path", (phase) => (phase.critical ? "yes" : "")),
], gantt.list, 3, (phase) => go({focus: phase}));

function prepareGantt() {
  const canvas = make("canvas", {id: "bars", tabindex: 0, role: "application", onkeydown: ganttKey});
  const place = make("div", {id: "lanes"}, make("div", null, canvas)), table = make("div");
  const button = (id, words, act) => make("button", {id, type: "button", onclick: act}, words);
  const overview = make("canvas", {id: "running", role: "presentation"});
  document.getElementById("gantt").replaceChildren(
    make("div", {class: "moves"}, make("span", {id: "span", class: "quiet"}), button("zoomIn", "Zoom in", () => zoomBy(0.6)),
      button("zoomOut", "Zoom out", () => zoomBy(1 / 0.6)), button("zoomWhole", "Show all", () => moveTo(...wholeSpan(shown.focus)))),
    overview, place, make("div", {id: "axis"}),
    make("p", {class: "quiet hint"}, "Click a phase to open it. Orange: on the critical path. Ctrl + wheel zooms, dragging moves; with the keyboard: arrows, Enter, +, −, 0."),
    make("details", {id: "ganttList", ontoggle: (event) => table.replaceChildren(...(event.target.open ? phaseTable() : []))},
      make("summary", null, "These phases as a table"), table));
  canvas.addEventListener("wheel", (event) => {
    if (event.ctrlKey || event.metaKey) zoomBy(Math.exp(Math.sign(event.deltaY) * 0.2), timeAt(event.offsetX));
    else if (event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY)) {
      const by = ((event.deltaX || event.deltaY) / timeWidth()) * (shown.to - shown.from);
      moveTo(shown.from + by, shown.to + by);
    } else return;
    event.preventDefault();
  }, {passive: false});
  prepareDragging(canvas, place);
  prepareOverview(overview);
  place.addEventListener("scroll", () => redrawSoon());
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => redrawSoon());
}
