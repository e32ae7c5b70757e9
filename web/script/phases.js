// A job's phases over time, one level at a time: a click on a phase shows what lies within it.
// Parents stand before their children; what says otherwise has no parent, so that every way up ends.
const phases = report.phases, phaseTypes = new Map(report.phase_types.map((type) => [type.id, type]));
const phaseOf = new Map(phases.map((phase) => [phase.id, phase]));
const parentOf = (phase) => (phase.parent !== null && phase.parent < phase.id ? phaseOf.get(phase.parent) : undefined);
const within = new Map(phases.map((phase) => [phase.id, []]));
for (const phase of phases) within.get(parentOf(phase)?.id)?.push(phase);
for (const list of within.values()) list.sort((a, b) => a.start_s - b.start_s);
const partOf = (phase) => phase.path.slice(phase.path.lastIndexOf("/") + 1);
const lengthOf = (phase) => Math.max(0, phase.end_s - phase.start_s);
const resourceOf = new Map(report.resources.map((resource) => [resource.id, resource]));
const resourceName = (resource) =>
  (resource.node ? resource.node + " " : "") + resource.name + (resource.type && resource.type !== resource.name ? " " + resource.type : "");

const ganttWidth = 1000, ganttNames = 190, laneHeight = 22, mostLanes = 200, mostParts = 4000;

// Phases that overlap lie in lanes of their own; those of one key, and those that follow each other, share one where they can.
function lanesOf(list) {
  const lanes = [];
  for (const phase of list) {
    const fits = (lane) => lane.end <= phase.start_s + 1e-9;
    let lane = lanes.find((one) => one.key === phase.key_text && fits(one)) ||
      (list.length > 24 || phaseTypes.get(phase.type)?.repeat === "sequential" ? lanes.find(fits) : undefined);
    if (!lane) lanes.push(lane = {key: phase.key_text, end: 0, phases: []});
    lane.phases.push(phase);
    lane.end = Math.max(lane.end, phase.end_s);
  }
  return lanes;
}
for (const phase of phases) phase.key_text = partOf(phase);

function timeAxis(from, to, y) {
  const ticks = 6;
  return Array.from({length: ticks + 1}, (_, i) => draw("text", {x: ganttNames + (i / ticks) * (ganttWidth - ganttNames), y,
    "text-anchor": i === 0 ? "start" : i === ticks ? "end" : "middle"}, seconds(from + ((to - from) * i) / ticks)));
}

function ganttBar(phase, x, y, open) {
  const left = x(phase.start_s), wide = Math.max(1.5, x(phase.end_s) - left), name = partOf(phase);
  const letters = Math.floor((wide - 6) / 6.2);
  return draw("g", {class: phase.critical ? "phase critical" : "phase", "data-phase": phase.id, tabindex: 0, role: "button", onclick: open,
      onkeydown: (event) => { if (event.key === "Enter") open(); }},
    draw("rect", {x: left, y: y + 2, width: wide, height: laneHeight - 4, rx: 2}),
    draw("title", null, `${phase.path}: ${seconds(lengthOf(phase))}${phase.critical ? ", on the critical path" : ""}` +
      `${phase.end_assumed ? ", its end is assumed" : ""}${phase.node ? ", on " + phase.node : ""}`),
    name.length <= letters ? draw("text", {x: left + 4, y: y + 15}, name) : null);
}

function gantt(focus, show) {
  const list = within.get(focus.id), from = focus.start_s, to = Math.max(focus.end_s, from + 1e-9);
  const x = (time) => ganttNames + ((Math.min(Math.max(time, from), to) - from) / (to - from)) * (ganttWidth - ganttNames);
  const groups = new Map();
  for (const phase of list) groups.set(phase.type, [...(groups.get(phase.type) || []), phase]);
  const rows = [];
  let y = 0, left = 0, parts = 0;
  for (const [type, members] of groups) {
    const lanes = lanesOf(members);
    lanes.forEach((lane, i) => {
      if (y >= mostLanes * laneHeight) { left++; return; }
      const same = lane.phases.every((phase) => phase.key_text === lane.key);
      const name = same ? lane.key : phaseTypes.get(type)?.name || "";
      if (same || i === 0) rows.push(draw("text", {class: "lane", x: ganttNames - 8, y: y + 15, "text-anchor": "end"}, name.length > 28 ? name.slice(0, 27) + "…" : name));
      for (const phase of lane.phases) {
        rows.push(ganttBar(phase, x, y, () => show(phase)));
        for (const part of within.get(phase.id)) {
          if (++parts > mostParts) break;
          rows.push(draw("rect", {class: part.critical ? "part critical" : "part", x: x(part.start_s), y: y + laneHeight - 6,
            width: Math.max(0.7, x(part.end_s) - x(part.start_s)), height: 4}));
        }
      }
      y += laneHeight;
    });
  }
  if (!list.length) {
    rows.push(draw("text", {x: ganttNames, y: 15}, "nothing within this phase"));
    y = laneHeight;
  }
  if (left > 0) rows.push(draw("text", {x: ganttNames, y: (y += laneHeight) - 7}, `and ${count(left)} lanes more`));
  return draw("svg", {class: "gantt", viewBox: `0 0 ${ganttWidth} ${y + 18}`, role: "group", "aria-label": "Phases over time"},
    rows, timeAxis(from, to, y + 13));
}

// What one phase used and what held it back.
function phaseFacts(focus) {
  const type = phaseTypes.get(focus.type);
  const uses = report.attribution.filter((use) => use.phase === focus.id);
  const held = report.bottlenecks.filter((one) => one.phase === focus.id).sort((a, b) => b.time_s - a.time_s);
  const words = {saturated: "saturated", self_limit: "used all it can by itself", blocked: "blocked"};
  return make("dl", {class: "facts"},
    [["lasted", seconds(lengthOf(focus)) + (type && type.count > 1 ? `, its kind on average ${seconds(type.mean_s)}` : "")],
     focus.node || focus.tid ? ["ran", [focus.node, focus.pid ? `process ${focus.pid}` : "", focus.tid ? `thread ${focus.tid}` : ""].filter(Boolean).join(", ")] : null,
     ...uses.slice(0, 8).map((use) => {
       const resource = resourceOf.get(use.resource);
       return resource ? ["used " + resourceName(resource), `${trimmed(share(use.use, lengthOf(focus)))} ${resource.unit} on average` +
         (use.measured > 0.99 * use.use ? ", measured" : use.measured > 0 ? ", partly measured" : ", estimated")] : null;
     }),
     ...held.slice(0, 6).map((one) => [words[one.kind] || one.kind, `${resourceName(resourceOf.get(one.resource) || {name: "?"})}, ${percent(one.share)} of its time`]),
    ].filter(Boolean).map(([word, value]) => [make("dt", null, word), make("dd", null, value)]));
}

function showPhase(focus) {
  const crumbs = [];
  for (let at = focus; at; at = parentOf(at)) {
    const here = at;
    crumbs.unshift(make("button", {type: "button", disabled: at === focus, onclick: () => showPhase(here)}, partOf(at)));
  }
  document.getElementById("crumbs").replaceChildren(...crumbs);
  document.getElementById("gantt").replaceChildren(gantt(focus, showPhase));
  document.getElementById("phase").replaceChildren(phaseFacts(focus));
  document.getElementById("uses").replaceChildren(...page.series.map((series) => resourceChart(series, focus)).filter(Boolean));
}

function preparePhases() {
  if (!phases.length) return;
  document.getElementById("job").hidden = false;
  if (!report.vertices.length) document.querySelector("main").hidden = true;
  document.getElementById("compare").replaceChildren(...gainBars(), ...imbalancePlots());
  showPhase(phases.find((phase) => !parentOf(phase)));
}
