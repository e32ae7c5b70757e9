// SPDX-License-Identifier: Apache-2.0
// Which resources are drawn over time, and what of them: those of one node, of each, or the sums over all nodes.
import {heldByResource} from "./held.js";
import {groupedBy, once, plainResourceName, resourceName} from "./model.js";
import {chartOfSeries, nodesWithSeries, seriesOf, sumOf} from "./series.js";
import {typesShown} from "./shown.js";

const mostCharts = 24, mostKinds = 6;
const knownCharts = once(() => new Map());

export function chartsShown(job) {
  const known = knownCharts(job);
  const node = nodesWithSeries(job).includes(job.shown.focus.node) ? job.shown.focus.node : job.shown.nodes.startsWith("=") ? job.shown.nodes.slice(1) : null;
  const key = node === null ? job.shown.nodes : "=" + node;
  if (known.has(key)) return known.get(key);
  const wanted = seriesOf(job).filter((series) => node === null || ["", node].includes(job.resourceOf.get(series.resource).node));
  const groups = key === "sum" ? groupedBy(wanted, (series) => plainResourceName(job.resourceOf.get(series.resource))) : groupedBy(wanted, (series) => series.resource);
  // What held phases back stands first, then what could: a resource with a capacity.
  const rank = (members) => [members.reduce((all, series) => all + (heldByResource(job).get(series.resource) || 0), 0), members[0].capacity > 0 ? 1 : 0];
  const ranked = [...groups.values()].map((members) => [members, ...rank(members)]).sort((a, b) => b[1] - a[1] || b[2] - a[2]);
  const charts = ranked.slice(0, mostCharts).map(([members]) => {
    const resource = job.resourceOf.get(members[0].resource), several = members.length > 1;
    return chartOfSeries(job, several ? plainResourceName(resource) : resourceName(resource), several ? null : resource.node, members);
  });
  charts.left = groups.size - charts.length;
  known.set(key, charts);
  return charts;
}

// The kinds drawn in colours of their own: those used most now, in all charts together.
export function kindsShown(job, charts) {
  const types = typesShown(job), weight = new Map();
  for (const chart of charts) {
    const from = Math.floor(job.shown.from / chart.bin), to = Math.ceil(job.shown.to / chart.bin);
    const whole = Math.max(1e-12, sumOf(chart.use, from, to));
    for (const [type, columns] of chart.types) if (types.has(type)) weight.set(type, (weight.get(type) || 0) + sumOf(columns.use, from, to) / whole);
  }
  const found = [...weight].filter(([, part]) => part > 0).sort((a, b) => b[1] - a[1]).map(([type]) => type);
  return {types, kinds: found.slice(0, mostKinds), others: found.length > mostKinds};
}

