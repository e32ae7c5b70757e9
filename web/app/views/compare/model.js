// SPDX-License-Identifier: Apache-2.0
// Two recordings in numbers: what to show of them, and on which scale.

export const measures = [["run", "on a CPU"], ["runnable", "ready for a CPU"], ["wait", "waiting"]];

// Rows of one measure, those that changed most first; without those that are nothing in both.
export function usesBy(uses, measure, {filter = "", onlyScope = true} = {}) {
  const wanted = filter.toLowerCase();
  return uses.filter((use) => (!onlyScope || use.in_scope) && use.name.toLowerCase().includes(wanted) && (use.before[measure] > 0 || use.after[measure] > 0))
    .sort((a, b) => Math.abs(b.after[measure] - b.before[measure]) - Math.abs(a.after[measure] - a.before[measure]));
}

const leastChange = 0.001;  // a millisecond of waiting a second; less is noise, as for gordian diff
export function edgesChanged(edges, {filter = "", onlyScope = true} = {}) {
  const wanted = filter.toLowerCase();
  return edges.filter((edge) => (!onlyScope || edge.in_scope) && `${edge.from} ${edge.to}`.toLowerCase().includes(wanted) && Math.abs(edge.change) >= leastChange);
}

// Seconds in a second: 120 ms/s.
export function rate(value) {
  const ms = Math.abs(value) * 1000;
  if (ms < 0.05) return "0";
  return ms >= 1000 ? `${(ms / 1000).toFixed(2)} s/s` : `${ms < 10 ? ms.toFixed(1) : ms.toFixed(0)} ms/s`;
}
export const signedRate = (value) => (rate(value) === "0" ? "0" : (value < 0 ? "−" : "+") + rate(value));

// gone, new, stays: the limits first, as the program orders them.
export const findingsBy = (findings) => ["gone", "new", "stays"].map((change) => ({change, findings: findings.filter((finding) => finding.change === change)}));
