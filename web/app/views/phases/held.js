// SPDX-License-Identifier: Apache-2.0
// What held phases back, by kind of phase, phase and resource.
import {groupedBy, once} from "./model.js";

export const heldOfType = once((job) => {
  const lists = groupedBy(job.report.bottleneck_intervals.filter((one) => one.phase === null && job.resourceOf.has(one.resource)), (one) => one.type);
  for (const list of lists.values()) list.sort((a, b) => a.start_s - b.start_s);
  return lists;
});
export const heldOfPhases = once((job) => groupedBy(job.report.bottleneck_intervals.filter((one) => job.phaseOf.has(one.phase)), (one) => one.type));
export const heldByResource = once((job) => {
  const held = new Map();
  for (const list of heldOfType(job).values()) for (const one of list) held.set(one.resource, (held.get(one.resource) || 0) + one.held_s);
  return held;
});
