// SPDX-License-Identifier: Apache-2.0
// What is selected, in words, from the whole to the part: each part is something that can be selected itself.
import {selected} from "./state.js";

const vertexName = (page, id) => {
  const vertex = page?.report.vertices.find((one) => one.id === id);
  return vertex ? vertex.label || vertex.name || "#" + id : null;
};

// Those above a thread, process, container or node, in the hierarchy of /api/R/units.
function hierarchy(units, kind, id) {
  const parts = [];
  let at = {kind, id};
  while (at) {
    const {kind: what, id: index} = at;
    at = null;
    if (what === "thread") {
      const row = units.threads.id.indexOf(index);
      if (row < 0) break;
      parts.unshift({words: `${units.threads.name[row]} ${units.threads.tid[row]}`, sel: `thread:${index}`});
      at = {kind: "process", id: units.threads.process[row]};
    } else if (what === "process" && units.processes[index]) {
      const process = units.processes[index];
      parts.unshift({words: `${process.name} ${process.pid}`, sel: `process:${index}`});
      at = process.container >= 0 ? {kind: "container", id: process.container} : {kind: "node", id: process.node};
    } else if (what === "container" && units.containers[index]) {
      parts.unshift({words: units.containers[index].name, sel: `container:${index}`});
      at = {kind: "node", id: units.containers[index].node};
    } else if (what === "node" && units.nodes[index]) {
      if (units.nodes.length > 1 || units.nodes[index].name) parts.unshift({words: units.nodes[index].name || "this machine", sel: `node:${index}`});
      if (units.racks.length > 1) at = {kind: "rack", id: units.nodes[index].rack};
    } else if (what === "rack" && units.racks[index]) {
      parts.unshift({words: units.racks[index].name, sel: `rack:${index}`});
    } else if (what === "device") {
      const device = units.devices.find((one) => one.id === index);
      if (!device) break;
      parts.unshift({words: `${device.kind} ${device.name}`, sel: `device:${index}`});
      at = {kind: "node", id: device.node};
    }
  }
  return parts;
}

function phasePath(page, id) {
  const parts = [], phases = new Map(page.report.phases.map((phase) => [phase.id, phase]));
  for (let at = phases.get(id); at; at = at.parent !== null && at.parent < at.id ? phases.get(at.parent) : undefined)
    parts.unshift({words: at.path.slice(at.path.lastIndexOf("/") + 1), sel: `phase:${at.id}`});
  return parts;
}

// [{words, sel}…]; page and units may be null while they are not known. Empty if nothing is selected.
export function selectionPath(sel, page, units) {
  const what = selected(sel);
  if (!what) return [];
  const plain = [{words: sel.replace(":", " "), sel}];
  if (what.kind === "vertex") return [{words: vertexName(page, what.id) ?? plain[0].words, sel}];
  if (what.kind === "edge") {
    const [from, to] = [what.from, what.to].map((id) => vertexName(page, id) ?? "#" + id);
    return [{words: from, sel: `vertex:${what.from}`}, {words: `waits for ${to}`, sel}];
  }
  if (what.kind === "phase") {
    const path = page ? phasePath(page, what.id) : [];
    return path.length ? path : plain;
  }
  if (what.kind === "request") return [{words: `request ${what.id}`, sel}];
  const known = units ? hierarchy(units, what.kind, what.id) : [];
  if (known.length) return known;
  const thread = what.kind === "thread" && page?.report.threads.find((one) => one.id === what.id);
  return thread ? [{words: `${thread.name} ${thread.tid}`, sel}] : plain;
}

// The vertices of the wait-for graph that a selection means.
export function verticesOf(sel, page, units) {
  const what = selected(sel), known = new Set(page.report.vertices.map((vertex) => vertex.id));
  if (!what) return [];
  if (what.kind === "edge") return [what.from, what.to].filter((id) => known.has(id));
  if (what.kind === "vertex") return known.has(what.id) ? [what.id] : [];
  if (what.kind === "thread") return page.report.vertices.filter((vertex) => vertex.members.includes(what.id)).map((vertex) => vertex.id);
  if (!units) return [];
  if (what.kind === "device") return units.devices.filter((one) => one.id === what.id && known.has(one.vertex)).map((one) => one.vertex);
  const within = {process: (row) => units.threads.process[row] === what.id,
    container: (row) => units.processes[units.threads.process[row]]?.container === what.id,
    node: (row) => units.processes[units.threads.process[row]]?.node === what.id,
    rack: (row) => units.nodes[units.processes[units.threads.process[row]]?.node]?.rack === what.id}[what.kind];
  if (!within) return [];
  return [...new Set(units.threads.id.map((_, row) => row).filter(within).map((row) => units.threads.vertex[row]))].filter((id) => known.has(id));
}
