// SPDX-License-Identifier: Apache-2.0
// The hierarchy with what each part of it did: from the answers of units and amounts to the tree of the treemap.
import {share} from "../../words.js";
import {pathOf, selOf} from "./unit_lists.js";

export const measureWords = {cpu: "CPU time", waits: "waits", bytes: "bytes", participation: "participation", threads: "threads"};

const columns = ["run_ns", "ready_ns", "wait_ns", "spin_ns", "unknown_ns", "threads", "sent_bytes", "received_bytes", "participation"];
const values = {
  cpu: (sums) => sums.run_ns + sums.spin_ns,
  waits: (sums) => sums.wait_ns,
  bytes: (sums) => sums.sent_bytes + sums.received_bytes,
  participation: (sums) => sums.participation,
  threads: (sums) => sums.threads,
};
export const valueOf = (item, what) => values[what](item.sums);
// Of the time that is known: a share of waiting.
export const waitingShare = ({sums}) => share(sums.wait_ns, sums.run_ns + sums.ready_ns + sums.wait_ns + sums.spin_ns);

// The tree of all units of an answer: {key, kind, number, name, sel, sums, value, children, parent, depth}. Levels with one part
// that holds everything are left out: a recording of one node has no rack and no node in its picture. Without `units` all leaves
// hang below the root.
export function treeOf(units, amounts, what) {
  const root = {key: "", kind: "all", number: -1, name: "all", sel: null, children: [], parent: null, depth: 0};
  const known = new Map([["", root]]), {units: told, level} = amounts;
  told.number.forEach((number, row) => {
    const path = units ? pathOf(units, level, number).slice(0, -1).filter((part) => isTold(units, part)) : [];
    let parent = root;
    for (const part of path) parent = child(known, parent, part, selOf(units, part.kind, part.number));
    const leaf = child(known, parent, {kind: level, number, name: nameWithin(units, level, number) ?? told.name[row]}, selOf(units, level, number));
    leaf.sums = Object.fromEntries(columns.map((column) => [column, told[column][row]]));
  });
  sumUp(root, what);
  return root;
}

// Without its node's name: that stands around it.
const nameWithin = (units, level, number) => (units && level === "process" && units.processes[number] ? `${units.processes[number].name}/${units.processes[number].pid}` : null);
const isTold = (units, part) => (part.kind === "rack" ? units.racks.length > 1 : part.kind === "node" ? units.nodes.length > 1 : true);

function child(known, parent, part, sel) {
  const key = `${part.kind}:${part.number}`;
  if (!known.has(key)) {
    const made = {key, kind: part.kind, number: part.number, name: part.name, sel, children: [], parent, depth: parent.depth + 1};
    known.set(key, made);
    parent.children.push(made);
  }
  return known.get(key);
}

function sumUp(item, what) {
  if (item.children.length > 0) {
    item.sums = Object.fromEntries(columns.map((column) => [column, 0]));
    for (const part of item.children) {
      sumUp(part, what);
      for (const column of columns) item.sums[column] += part.sums[column];
    }
  }
  item.sums ??= Object.fromEntries(columns.map((column) => [column, 0]));
  item.value = valueOf(item, what);
}

export function find(item, key) {
  if (item.key === key) return item;
  for (const part of item.children) { const found = find(part, key); if (found) return found; }
  return null;
}
export const leaves = (item) => (item.children.length === 0 ? [item] : item.children.flatMap(leaves));
export const ancestors = (item) => (item ? [...ancestors(item.parent), item] : []);
