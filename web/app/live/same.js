// SPDX-License-Identifier: Apache-2.0
// The same thing in another window of a live recording: ids are a window's own, names and numbers of processes are not.
import {selected} from "../state.js";

const vertexLabel = (page, id) => page?.report.vertices.find((one) => one.id === id)?.label;
// "web (4 threads)" may have five in another window: then it is the only one of that name.
const uncounted = (label) => label.replace(/ #\d+(?= |$)/, "").replace(/ \(\d+ \S+\)$/, "");
function vertexId(page, label) {
  const vertices = page?.report.vertices ?? [], exact = vertices.find((one) => one.label === label);
  if (exact) return exact.id;
  const alike = vertices.filter((one) => uncounted(one.label) === uncounted(label));
  return alike.length === 1 ? alike[0].id : undefined;
}

const processKey = (units, index) => {
  const process = units?.processes[index];
  return process && [units.nodes[process.node]?.name ?? "", process.pid, process.name];
};
const threadKey = (units, row) => {
  const process = processKey(units, units.threads.process[row]);
  return process && [...process.slice(0, 2), units.threads.tid[row]];
};
const namedKey = (units, one) => one && [units.nodes[one.node]?.name ?? "", one.kind ?? "", one.name];

// What a selection means in a window, in words that other windows know. Null: nothing that lasts.
export function keyOf(sel, page, units) {
  const what = selected(sel);
  if (!what) return null;
  let key = null;
  if (what.kind === "vertex") key = [vertexLabel(page, what.id)];
  else if (what.kind === "edge") key = [vertexLabel(page, what.from), vertexLabel(page, what.to)];
  else if (!units) return null;
  else if (what.kind === "thread") key = threadKey(units, units.threads.id.indexOf(what.id));
  else if (what.kind === "process") key = processKey(units, what.id);
  else if (what.kind === "container") key = namedKey(units, units.containers[what.id]);
  else if (what.kind === "node") key = [units.nodes[what.id]?.name];
  else if (what.kind === "rack") key = [units.racks[what.id]?.name];
  else if (what.kind === "device") key = namedKey(units, units.devices.find((one) => one.id === what.id));
  return key && key.every((part) => part !== undefined) ? {kind: what.kind, key} : null;
}

const placeOf = (list, key, keyFor) => list.findIndex((one, index) => JSON.stringify(keyFor(one, index)) === JSON.stringify(key));

// The selection that means it in this window; null if it is not there.
export function selectionOf(wanted, page, units) {
  if (!wanted) return null;
  const {kind, key} = wanted, told = (id) => (id === undefined || id < 0 ? null : `${kind}:${id}`);
  if (kind === "vertex") return told(vertexId(page, key[0]));
  if (kind === "edge") {
    const [from, to] = key.map((label) => vertexId(page, label));
    return from === undefined || to === undefined ? null : `edge:${from}>${to}`;
  }
  if (!units) return null;
  if (kind === "thread") {
    const row = placeOf(units.threads.id, key, (_, index) => threadKey(units, index));
    return told(units.threads.id[row]);
  }
  if (kind === "process") return told(placeOf(units.processes, key, (_, index) => processKey(units, index)));
  if (kind === "container") return told(placeOf(units.containers, key, (one) => namedKey(units, one)));
  if (kind === "node") return told(placeOf(units.nodes, key, (one) => [one.name]));
  if (kind === "rack") return told(placeOf(units.racks, key, (one) => [one.name]));
  if (kind === "device") return told(units.devices[placeOf(units.devices, key, (one) => namedKey(units, one))]?.id);
  return null;
}
