// SPDX-License-Identifier: Apache-2.0
// A job's phases: what the page shows of them (one phase, maybe one type within it, a span of time), its address, and
// the way back. Parents stand before their children; what says otherwise has no parent, so that every way up ends.
const phases = report.phases, phaseTypes = new Map(report.phase_types.map((type) => [type.id, type]));
// Ids are mostly places in the list; then tens of thousands need no index.
const phaseOf = phases.every((phase, i) => phase.id === i) ? {get: (id) => phases[id], has: (id) => phases[id] !== undefined}
  : new Map(phases.map((phase) => [phase.id, phase]));
const parentOf = (phase) => (phase.parent !== null && phase.parent < phase.id ? phaseOf.get(phase.parent) : undefined);
const within = (() => {
  const lists = new Map(), none = [];
  let last = null, list = none;
  for (const phase of phases) {
    const parent = parentOf(phase);
    if (!parent) continue;
    if (parent !== last) {
      last = parent;
      list = lists.get(parent.id);
      if (!list) lists.set(parent.id, list = []);
    }
    list.push(phase);
  }
  for (const one of lists.values()) if (one.some((phase, i) => i > 0 && phase.start_s < one[i - 1].start_s)) one.sort((a, b) => a.start_s - b.start_s);
  return {get: (id) => lists.get(id) || none};
})();
const partOf = (phase) => phase.path.slice(phase.path.lastIndexOf("/") + 1);
const lengthOf = (phase) => Math.max(0, phase.end_s - phase.start_s);
const resourceOf = new Map(report.resources.map((resource) => [resource.id, resource]));
const plainResourceName = (resource) =>
  resource.name + (resource.type && resource.type !== resource.name ? " " + resource.type : "");
const resourceName = (resource) => (resource.node ? resource.node + " " : "") + plainResourceName(resource);
const heldWords = {saturated: "saturated", self_limit: "used all it can by itself", blocked: "blocked"};

const typeParentOf = (type) => (type.parent !== null && type.parent < type.id ? phaseTypes.get(type.parent) : undefined);
function typesUnder(root) {
  const under = new Set([root]);
  for (const type of report.phase_types) if (under.has(typeParentOf(type)?.id)) under.add(type.id);
  return under;
}
const typeLabel = (id) => phaseTypes.get(id)?.path || "?";
// As much of a type's path, from its end, as tells it from all others: Gather/Thread.
const shortTypes = lazily(() => {
  const tails = new Map(), tailsOf = (path) => path.split("/").slice(1).map((_, i, parts) => parts.slice(parts.length - 1 - i).join("/"));
  for (const type of report.phase_types) for (const tail of tailsOf(type.path)) tails.set(tail, (tails.get(tail) || 0) + 1);
  return new Map(report.phase_types.map((type) => [type.id, tailsOf(type.path).find((tail) => tails.get(tail) === 1) || type.path]));
});
const shortType = (id) => shortTypes().get(id) || "?";

// All phases of a type within one.
function phasesWithin(focus, type) {
  const found = [], open = [...within.get(focus.id)];
  while (open.length) {
    const phase = open.pop();
    if (phase.type === type) found.push(phase);
    for (const part of within.get(phase.id)) open.push(part);
  }
  return found.sort((a, b) => a.start_s - b.start_s || a.id - b.id);
}

// What is shown. `type` narrows to phases of one type within `focus`; `from` and `to` are the visible time;
// `nodes` is "each", "sum" or the name of one behind "="; `even` the type of the box plots, where one chose it.
const shown = {focus: null, type: null, from: 0, to: 1, nodes: "each", even: null};
const wholeSpan = (phase) => [phase.start_s, Math.max(phase.end_s, phase.start_s + 1e-9)];
const typesShown = () => typesUnder(shown.type ?? shown.focus.type);

function address() {
  const [from, to] = wholeSpan(shown.focus), words = new URLSearchParams();
  if (parentOf(shown.focus)) words.set("phase", shown.focus.id);
  if (shown.type !== null) words.set("type", shown.type);
  if (shown.from !== from || shown.to !== to) {
    words.set("from", Number(shown.from.toPrecision(9)));
    words.set("to", Number(shown.to.toPrecision(9)));
  }
  if (shown.nodes !== usualNodes) words.set("nodes", shown.nodes);
  if (shown.even !== null) words.set("even", shown.even);
  return words.toString();
}

// What an address says and this job has; the rest stands as at the beginning.
function readAddress() {
  const words = new URLSearchParams(location.hash.slice(1)), number = (name) => (words.has(name) ? Number(words.get(name)) : NaN);
  shown.focus = phaseOf.get(number("phase")) || phases.find((phase) => !parentOf(phase));
  shown.type = phaseTypes.has(number("type")) ? number("type") : null;
  shown.even = phaseTypes.has(number("even")) ? number("even") : null;
  [shown.from, shown.to] = wholeSpan(shown.focus);
  const from = number("from"), to = number("to");
  if (to > from && from >= shown.from - 1e-6 && to <= shown.to + 1e-6) [shown.from, shown.to] = [from, to];
  shown.nodes = nodeChoices.some(([value]) => value === words.get("nodes")) ? words.get("nodes") : usualNodes;
}

// A step that the browser's way back takes back; moving about in time only corrects the address.
function go(change) {
  Object.assign(shown, change);
  if ("focus" in change || "type" in change) {
    if ("focus" in change && !("type" in change)) shown.type = null;
    if (!("from" in change)) [shown.from, shown.to] = wholeSpan(shown.focus);
  }
  const next = address();
  if (next !== location.hash.slice(1)) location.hash = next;
  showJob();
}

let addressTimer = 0;
function moveTo(from, to) {
  const [first, last] = wholeSpan(shown.focus), least = Math.max((last - first) * 1e-6, 1e-9);
  const width = Math.min(Math.max(to - from, least), last - first);
  shown.from = Math.min(Math.max(width === to - from ? from : (from + to - width) / 2, first), last - width);
  shown.to = shown.from + width;
  if (width >= (last - first) * (1 - 1e-9)) [shown.from, shown.to] = [first, last];
  clearTimeout(addressTimer);
  addressTimer = setTimeout(() => { try { history.replaceState(null, "", "#" + address()); } catch { /* a page inside another may not */ } }, 250);
  redrawSoon();
}

function crumbs() {
  const steps = [];
  for (let at = shown.focus; at; at = parentOf(at)) {
    const here = at;
    steps.unshift(make("button", {type: "button", disabled: here === shown.focus && shown.type === null, onclick: () => go({focus: here})}, partOf(here)));
  }
  const kinds = [];
  for (let at = phaseTypes.get(shown.type); at && at.id !== shown.focus.type; at = typeParentOf(at)) {
    const here = at.id;
    kinds.unshift(make("button", {type: "button", class: "kind", disabled: here === shown.type, onclick: () => go({type: here})}, "all " + at.name));
  }
  const parts = [...steps, ...kinds], between = () => make("span", {"aria-hidden": "true"}, "›");
  return parts.flatMap((part, i) => (i === 0 ? [part] : [between(), part]));
}

// What one phase used and what held it back; those of many nodes together.
function phaseFacts(focus) {
  const type = phaseTypes.get(focus.type), known = (one) => one.phase === focus.id && resourceOf.has(one.resource);
  const alike = (list, keyOf) => [...groupedBy(list.map((one) => ({...one, of: resourceOf.get(one.resource)})), keyOf).values()];
  const uses = report.attribution.filter(known), apart = uses.length <= 8;
  const used = alike(uses, (one) => (apart ? one.resource : plainResourceName(one.of))).slice(0, 8).map((list) => {
    const {of} = list[0], use = list.reduce((all, one) => all + one.use, 0), measured = list.reduce((all, one) => all + one.measured, 0);
    return ["used " + (list.length > 1 ? plainResourceName(of) : resourceName(of)), quantity(share(use, lengthOf(focus)), of.unit) + " on average" +
      (list.length > 1 ? `, on ${count(list.length)} nodes together` : "") + (measured > 0.99 * use ? ", measured" : measured > 0 ? ", partly measured" : ", estimated")];
  });
  const held = alike(report.bottlenecks.filter(known).sort((a, b) => b.time_s - a.time_s), (one) => one.kind + plainResourceName(one.of)).slice(0, 6).map((list) =>
    [heldWords[list[0].kind] || list[0].kind, `${resourceName(list[0].of)}, ${percent(list[0].share)} of its time` + (list.length > 1 ? `, and ${count(list.length - 1)} more of other nodes` : "")]);
  return make("dl", {class: "facts"},
    [["lasted", seconds(lengthOf(focus)) + (type && type.count > 1 ? `, its kind on average ${seconds(type.mean_s)}` : "")],
     focus.node || focus.tid ? ["ran", [focus.node, focus.pid ? `process ${focus.pid}` : "", focus.tid ? `thread ${focus.tid}` : ""].filter(Boolean).join(", ")] : null,
     ...used, ...held].filter(Boolean).map(([word, value]) => [make("dt", null, word), make("dd", null, value)]));
}

const manyPhases = 5000;
let chartsTimer = 0;
function showCharts() {
  showUses();
  showBoxes();
}

function showJob() {
  document.getElementById("crumbs").replaceChildren(...crumbs());
  document.getElementById("phase").replaceChildren(phaseFacts(shown.focus));
  showGantt();
  // Of a large job the picture is shown first; the charts take longer, so they wait for a frame or two.
  clearTimeout(chartsTimer);
  if (phases.length > manyPhases) chartsTimer = setTimeout(showCharts, 40);
  else showCharts();
}

function preparePhases() {
  if (!phases.length) return;
  document.getElementById("job").hidden = false;
  if (!report.vertices.length) document.querySelector("main").hidden = true;
  document.getElementById("compare").replaceChildren(...gainBars());
  measureWidth();
  readAddress();
  prepareGantt();
  showJob();
  // Not within the observer's call, as drawing may bring a scroll bar, which changes the width again.
  new ResizeObserver(() => requestAnimationFrame(() => {
    const before = jobWidth();
    measureWidth();
    if (jobWidth() === before) return;
    redrawSoon();
    showBoxes();
  })).observe(document.getElementById("job"));
  addEventListener("hashchange", () => {
    if (location.hash.slice(1) === address()) return;
    readAddress();
    showJob();
  });
}
