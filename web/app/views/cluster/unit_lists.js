// SPDX-License-Identifier: Apache-2.0
// The units of a level as the answers of /api/R/amounts, trend and matrix number them (views/unit_numbers.h), with what they
// belong to. `units` is /api/R/units.
export const unitLevels = ["thread", "process", "container", "node", "rack"];
export const levelWords = {thread: ["thread", "threads"], process: ["process", "processes"], container: ["container", "containers"],
  node: ["node", "nodes"], rack: ["rack", "racks"], vertex: ["graph node", "graph nodes"]};

const nodeName = (units, node) => units.nodes[node]?.name || "this machine";

// From the whole to the part: [{kind, number, name}…]; a process outside of containers has none in between.
export function pathOf(units, level, number) {
  const parts = [];
  let kind = level, at = number;
  while (kind) {
    if (kind === "thread") {
      const row = threadRow(units, at);
      if (row < 0) break;
      parts.unshift({kind, number: at, name: units.threads.name[row]});
      [kind, at] = ["process", units.threads.process[row]];
    } else if (kind === "process") {
      const process = units.processes[at];
      if (!process) break;
      parts.unshift({kind, number: at, name: process.name});
      [kind, at] = process.container >= 0 ? ["container", process.container] : ["node", process.node];
    } else if (kind === "container") {
      const container = units.containers[at];
      // Behind the containers: what is outside of them, by node.
      parts.unshift({kind, number: at, name: container ? container.name : "outside of containers"});
      [kind, at] = ["node", container ? container.node : at - units.containers.length];
    } else if (kind === "node") {
      if (!units.nodes[at]) break;
      parts.unshift({kind, number: at, name: nodeName(units, at)});
      [kind, at] = ["rack", units.nodes[at].rack];
    } else {
      if (units.racks[at]) parts.unshift({kind: "rack", number: at, name: units.racks[at].name});
      break;
    }
  }
  return parts;
}

const threadRows = new WeakMap();
function threadRow(units, id) {
  if (!threadRows.has(units)) threadRows.set(units, new Map(units.threads.id.map((one, row) => [one, row])));
  return threadRows.get(units).get(id) ?? -1;
}

// What others may select: nothing stands for "outside of containers".
export const selOf = (units, level, number) => (number < 0 || (level === "container" && units && number >= units.containers.length) ? null : `${level}:${number}`);

// A filter finds a unit by its own name and by those of all that it belongs to. An empty one finds all.
export function finder(units, filter) {
  const wanted = filter.trim().toLowerCase();
  if (!wanted) return () => true;
  return (level, number, name = "") => name.toLowerCase().includes(wanted) ||
    (units !== null && number >= 0 && pathOf(units, level, number).some((part) => part.name.toLowerCase().includes(wanted)));
}

// Whether a unit is what is selected, or a part of it.
export function isWithin(units, level, number, sel) {
  if (!sel) return false;
  if (sel === `${level}:${number}`) return true;
  return units !== null && number >= 0 && pathOf(units, level, number).some((part) => `${part.kind}:${part.number}` === sel);
}

// An answer, and whether it is another than the one that was asked for: a page in one file holds only the usual ones.
export async function askOr(app, endpoint, parameters, usual, options) {
  const answer = await app.source.ask(endpoint, parameters, options);
  if (answer !== null) return {answer, isUsual: false};
  return {answer: await app.source.ask(endpoint, usual, options), isUsual: true};
}

// Colours for many units: neighbours in number are far apart in hue, and differ in lightness as well.
export function unitColour(number, isDark) {
  const hue = (number * 137.508 + 210) % 360, step = number % 3;
  return `hsl(${hue.toFixed(1)} ${isDark ? 50 : 55}% ${(isDark ? [62, 52, 72] : [46, 36, 56])[step]}%)`;
}
export const isDarkPage = () => matchMedia("(prefers-color-scheme: dark)").matches;
