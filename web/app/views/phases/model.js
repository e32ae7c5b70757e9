// SPDX-License-Identifier: Apache-2.0
// A job's phases, their kinds and resources, and indices over them. Parents stand before their children; what says otherwise
// has no parent, so that every way up ends. `job` is what modelOf gives, and, with more in it, what phases.js mounts.
export function modelOf(report) {
  const {phases} = report;
  // Ids are mostly places in the list; then tens of thousands need no index.
  const phaseOf = phases.every((phase, i) => phase.id === i) ? {get: (id) => phases[id], has: (id) => phases[id] !== undefined}
    : new Map(phases.map((phase) => [phase.id, phase]));
  const resourceOf = new Map(report.resources.map((resource) => [resource.id, resource]));
  const job = {report, phases, phaseOf, resourceOf, phaseTypes: new Map(report.phase_types.map((type) => [type.id, type]))};
  return {...job, within: partsOf(job)};
}

export const parentOf = (job, phase) => (phase.parent !== null && phase.parent < phase.id ? job.phaseOf.get(phase.parent) : undefined);
export const partOf = (phase) => phase.path.slice(phase.path.lastIndexOf("/") + 1);
export const lengthOf = (phase) => Math.max(0, phase.end_s - phase.start_s);

// get(id): the parts of a phase, sorted by start.
function partsOf(job) {
  const lists = new Map(), none = [];
  let last = null, list = none;
  for (const phase of job.phases) {
    const parent = parentOf(job, phase);
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
}

// All phases of a type within one.
export function phasesWithin(job, focus, type) {
  const found = [], open = [...job.within.get(focus.id)];
  while (open.length) {
    const phase = open.pop();
    if (phase.type === type) found.push(phase);
    for (const part of job.within.get(phase.id)) open.push(part);
  }
  return found.sort((a, b) => a.start_s - b.start_s || a.id - b.id);
}

// ---- kinds

export const typeParentOf = (job, type) => (type.parent !== null && type.parent < type.id ? job.phaseTypes.get(type.parent) : undefined);
export function typesUnder(job, root) {
  const under = new Set([root]);
  for (const type of job.report.phase_types) if (under.has(typeParentOf(job, type)?.id)) under.add(type.id);
  return under;
}
export const typeLabel = (job, id) => job.phaseTypes.get(id)?.path || "?";
// As much of a type's path, from its end, as tells it from all others: Gather/Thread.
const shortTypes = once((job) => {
  const tails = new Map(), tailsOf = (path) => path.split("/").slice(1).map((_, i, parts) => parts.slice(parts.length - 1 - i).join("/"));
  for (const type of job.report.phase_types) for (const tail of tailsOf(type.path)) tails.set(tail, (tails.get(tail) || 0) + 1);
  return new Map(job.report.phase_types.map((type) => [type.id, tailsOf(type.path).find((tail) => tails.get(tail) === 1) || type.path]));
});
export const shortType = (job, id) => shortTypes(job).get(id) || "?";

// ---- resources

export const plainResourceName = (resource) =>
  resource.name + (resource.type && resource.type !== resource.name ? " " + resource.type : "");
export const resourceName = (resource) => (resource.node ? resource.node + " " : "") + plainResourceName(resource);
export const heldWords = {saturated: "saturated", self_limit: "used all it can by itself", blocked: "blocked"};

// ---- helpers

export function groupedBy(list, keyOf) {
  const groups = new Map();
  for (const one of list) groups.has(keyOf(one)) ? groups.get(keyOf(one)).push(one) : groups.set(keyOf(one), [one]);
  return groups;
}

// What `find` makes of a job, made when it is first asked for.
export function once(find) {
  const known = new WeakMap();
  return (job) => {
    if (!known.has(job.report)) known.set(job.report, find(job));
    return known.get(job.report);
  };
}
