// SPDX-License-Identifier: Apache-2.0
// The resources' series: of whose nodes there are some, and their sums.
import {once} from "./model.js";

const typeShades = 7;
export const seriesOf = once((job) => job.report.series.filter((series) => job.resourceOf.has(series.resource) && series.bin_s > 0));
export const nodesWithSeries = once((job) => [...new Set(seriesOf(job).map((series) => job.resourceOf.get(series.resource).node).filter(Boolean))]);
export const nodeChoicesOf = once((job) => (nodesWithSeries(job).length < 2 ? [["each", ""]]
  : [["each", "each node by itself"], ["sum", "all nodes added up"], ...nodesWithSeries(job).map((node) => ["=" + node, node])]));
export const usualNodesOf = (job) => (nodesWithSeries(job).length > 1 && seriesOf(job).length > 8 ? "sum" : "each");

export function sumOf(values, from, to) {
  let sum = 0;
  for (let i = Math.max(0, from); i < Math.min(to, values.length); ++i) sum += values[i];
  return sum;
}

// A chart's data: one series, or the sum of those of alike resources.
export function chartOfSeries(job, label, node, members) {
  const resources = members.map((series) => job.resourceOf.get(series.resource)), bins = Math.max(...members.map((series) => series.use.length));
  const sum = (valuesOf) => {
    const total = new Float64Array(bins);
    for (const series of members) valuesOf(series).forEach((value, i) => { total[i] += value; });
    return total;
  };
  const types = new Map();
  for (const series of members) {
    for (const of of series.types) {
      if (!types.has(of.type)) types.set(of.type, {use: new Float64Array(bins), demand: new Float64Array(bins), variable: new Float64Array(bins)});
      const into = types.get(of.type), add = (from, to) => from.forEach((value, i) => { if (of.first_bin + i < bins) to[of.first_bin + i] += value; });
      add(of.use, into.use);
      add(of.demand, into.demand);
      add(of.variable_demand, into.variable);
    }
  }
  for (const of of types.values()) for (const name of ["demand", "variable"]) if (!of[name].some((value) => value > 0)) of[name] = null;
  return {label, node, ids: new Set(members.map((series) => series.resource)), unit: resources[0].unit, bin: members[0].bin_s, bins, types,
    capacity: members.every((series) => series.capacity > 0) ? members.reduce((all, series) => all + series.capacity, 0) : 0,
    use: sum((series) => series.use), nodes: new Set(resources.map((resource) => resource.node)).size};
}

// Colours go by rank over the whole job, so that a kind keeps its colour as one narrows.
const rankOfType = once((job) => {
  const weight = new Map();
  for (const series of seriesOf(job)) {
    const whole = Math.max(1e-12, series.use.reduce((all, value) => all + value, 0));
    for (const of of series.types) weight.set(of.type, (weight.get(of.type) || 0) + of.use.reduce((all, value) => all + value, 0) / whole);
  }
  return new Map([...weight].sort((a, b) => b[1] - a[1]).map(([type], i) => [type, i]));
});
export const shadeOf = (job, type) => `shade${(rankOfType(job).get(type) ?? 0) % typeShades}`;
