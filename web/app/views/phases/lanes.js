// SPDX-License-Identifier: Apache-2.0
// Which lane of the Gantt chart each phase lies in. Phases that overlap lie in lanes of their own. Few phases side by
// side within one phase have a lane each; those that follow each other, and many, share the first lane of their thread
// (or node) that is free. Both heaps of a place hold each of its lanes once, so this takes n log n steps.
import {groupedBy, lengthOf, partOf} from "./model.js";

export const fewPhases = 24;

function heapPush(heap, item, before) {
  heap.push(item);
  for (let at = heap.length - 1; at > 0;) {
    const above = (at - 1) >> 1;
    if (!before(heap[at], heap[above])) break;
    [heap[at], heap[above]] = [heap[above], heap[at]];
    at = above;
  }
}

function heapPop(heap, before) {
  const first = heap[0], last = heap.pop();
  if (heap.length === 0) return first;
  heap[0] = last;
  for (let at = 0; ;) {
    let least = at;
    for (const below of [2 * at + 1, 2 * at + 2]) if (below < heap.length && before(heap[below], heap[least])) least = below;
    if (least === at) return first;
    [heap[at], heap[least]] = [heap[least], heap[at]];
    at = least;
  }
}

const endsBefore = (a, b) => a.end < b.end, standsBefore = (a, b) => a.number < b.number;

// `list` is sorted by start.
export function lanesOf(job, list) {
  const lanes = [], places = new Map();
  for (const [type, members] of groupedBy(list, (phase) => phase.type)) {
    const own = job.shown.type === null && members.length <= fewPhases && job.phaseTypes.get(type)?.repeat !== "sequential";
    for (const phase of members) {
      const where = own ? phase.id : `${phase.node}\u0000${phase.tid || phase.pid}`, key = type + "\u0000" + where;
      let place = places.get(key);
      if (!place) places.set(key, place = {busy: [], free: []});
      while (place.busy.length && place.busy[0].end <= phase.start_s + 1e-9) heapPush(place.free, heapPop(place.busy, endsBefore), standsBefore);
      let lane = heapPop(place.free, standsBefore);
      if (!lane) lanes.push(lane = {number: lanes.length, type, phases: [], end: 0, longest: 0});
      lane.phases.push(phase);
      lane.end = phase.end_s;
      lane.longest = Math.max(lane.longest, lengthOf(phase));
      heapPush(place.busy, lane, endsBefore);
    }
  }
  // Lanes of one type stand together; shared ones by their places.
  const shared = lanes.some((lane) => lane.phases.length > 1), byName = new Intl.Collator("en", {numeric: true}).compare;
  const order = new Map([...new Set(list.map((phase) => phase.type))].map((type, i) => [type, i]));
  for (const lane of lanes) lane.place = `${lane.phases[0].node}\u0000${lane.phases[0].tid || lane.phases[0].pid || 0}`;
  lanes.sort((a, b) => order.get(a.type) - order.get(b.type) || (shared ? byName(a.place, b.place) : 0) || a.number - b.number);
  const ofType = groupedBy(lanes, (lane) => lane.type);
  for (const lane of lanes) lane.name = laneName(job, lane, ofType.get(lane.type).length > 1);
  return lanes;
}

function laneName(job, lane, several) {
  const first = lane.phases[0], name = job.phaseTypes.get(lane.type)?.name || "";
  if (lane.phases.length === 1) {
    const path = first.path.slice(job.shown.focus.path.length + 1);
    return job.shown.type === null ? partOf(first) : path.length > 29 ? "…" + path.slice(-28) : path;
  }
  const place = [first.node, first.tid ? `thread ${first.tid}` : ""].filter(Boolean).join(", ");
  return several && place ? `${place}: ${name}` : name;
}

// The first phase of the lane that ends after `time`: those of a lane follow each other.
export function firstEndingAfter(lane, time) {
  let low = 0, high = lane.phases.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (lane.phases[middle].end_s > time) high = middle;
    else low = middle + 1;
  }
  return low;
}

// How many phases run at each of `columns` equal parts of [from, to), on average.
export function runningOver(list, from, to, columns) {
  const change = new Float64Array(columns + 2), scale = columns / (to - from);
  // The integral of one phase is a ramp; its second difference has two entries at each end.
  const ramp = (at, sign) => {
    const x = Math.min(Math.max((at - from) * scale, 0), columns), column = Math.floor(x);
    change[column] += sign * (1 - (x - column));
    change[column + 1] += sign * (x - column);
  };
  for (const phase of list) { ramp(phase.start_s, 1); ramp(phase.end_s, -1); }
  const running = new Float64Array(columns);
  for (let i = 0, sum = 0; i < columns; ++i) running[i] = sum += change[i];
  return running;
}
