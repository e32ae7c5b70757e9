// SPDX-License-Identifier: Apache-2.0
// Which resources are drawn over time, and what of them: those of one node, of each, or the sums over all nodes.
const typeShades = 7, mostCharts = 24, mostColumns = 400, mostKinds = 6;
const seriesShown = report.series.filter((series) => resourceOf.has(series.resource) && series.bin_s > 0);
const nodesWithSeries = [...new Set(seriesShown.map((series) => resourceOf.get(series.resource).node).filter(Boolean))];
const nodeChoices = nodesWithSeries.length < 2 ? [["each", ""]]
  : [["each", "each node by itself"], ["sum", "all nodes added up"], ...nodesWithSeries.map((node) => ["=" + node, node])];
const usualNodes = nodesWithSeries.length > 1 && seriesShown.length > 8 ? "sum" : "each";

function sumOf(values, from, to) {
  let sum = 0;
  for (let i = Math.max(0, from); i < Math.min(to, values.length); ++i) sum += values[i];
  return sum;
}

// A chart's data: one series, or the sum of those of alike resources.
function chartOfSeries(label, node, members) {
  const resources = members.map((series) => resourceOf.get(series.resource)), bins = Math.max(...members.map((series) => series.use.length));
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

const knownCharts = new Map();
function chartsShown() {
  const node = nodesWithSeries.includes(shown.focus.node) ? shown.focus.node : shown.nodes.startsWith("=") ? shown.nodes.slice(1) : null;
  const key = node === null ? shown.nodes : "=" + node;
  if (knownCharts.has(key)) return knownCharts.get(key);
  const wanted = seriesShown.filter((series) => node === null || ["", node].includes(resourceOf.get(series.resource).node));
  const groups = key === "sum" ? groupedBy(wanted, (series) => plainResourceName(resourceOf.get(series.resource))) : groupedBy(wanted, (series) => series.resource);
  // What held phases back stands first, then what could: a resource with a capacity.
  const rank = (members) => [members.reduce((all, series) => all + (heldByResource().get(series.resource) || 0), 0), members[0].capacity > 0 ? 1 : 0];
  const ranked = [...groups.values()].map((members) => [members, ...rank(members)]).sort((a, b) => b[1] - a[1] || b[2] - a[2]);
  const charts = ranked.slice(0, mostCharts).map(([members]) => {
    const resource = resourceOf.get(members[0].resource), several = members.length > 1;
    return chartOfSeries(several ? plainResourceName(resource) : resourceName(resource), several ? null : resource.node, members);
  });
  charts.left = groups.size - charts.length;
  knownCharts.set(key, charts);
  return charts;
}

// Colours go by rank over the whole job, so that a kind keeps its colour as one narrows.
const rankOfType = lazily(() => {
  const weight = new Map();
  for (const series of seriesShown) {
    const whole = Math.max(1e-12, series.use.reduce((all, value) => all + value, 0));
    for (const of of series.types) weight.set(of.type, (weight.get(of.type) || 0) + of.use.reduce((all, value) => all + value, 0) / whole);
  }
  return new Map([...weight].sort((a, b) => b[1] - a[1]).map(([type], i) => [type, i]));
});
const shadeOf = (type) => `shade${(rankOfType().get(type) ?? 0) % typeShades}`;

// The kinds drawn in colours of their own: those used most now, in all charts together.
function kindsShown(charts) {
  const types = typesShown(), weight = new Map();
  for (const chart of charts) {
    const from = Math.floor(shown.from / chart.bin), to = Math.ceil(shown.to / chart.bin);
    const whole = Math.max(1e-12, sumOf(chart.use, from, to));
    for (const [type, columns] of chart.types) if (types.has(type)) weight.set(type, (weight.get(type) || 0) + sumOf(columns.use, from, to) / whole);
  }
  const found = [...weight].filter(([, part]) => part > 0).sort((a, b) => b[1] - a[1]).map(([type]) => type);
  return {types, kinds: found.slice(0, mostKinds), others: found.length > mostKinds};
}

function nodeChooser() {
  if (nodeChoices.length === 1) return null;
  const fixed = nodesWithSeries.includes(shown.focus.node);
  return make("label", null, "Resources of ", make("select", {id: "nodes", disabled: fixed, onchange: (event) => go({nodes: event.target.value, from: shown.from, to: shown.to})},
    nodeChoices.map(([value, words]) => make("option", {value, selected: value === (fixed ? "=" + shown.focus.node : shown.nodes)}, words))));
}

function showUses() {
  const charts = chartsShown(), place = document.getElementById("uses");
  if (!charts.length) return place.replaceChildren();
  // What has the focus is drawn anew, too.
  const focused = place.contains(document.activeElement) ? document.activeElement.getAttribute("data-focus") : null;
  const open = [...place.querySelectorAll("details[open]")].map((one) => one.dataset.chart);
  const view = kindsShown(charts), drawn = charts.map((chart) => useFigure(chart, view, open.includes(chart.label)));
  place.replaceChildren(make("div", {class: "moves"}, make("h3", null, "Use of resources, and what held phases back"), nodeChooser()),
    useLegend(view, charts), ...drawn,
    charts.left > 0 ? make("p", {class: "quiet"}, `and ${count(charts.left)} resources more: choose a node, or all added up`) : "");
  if (focused) place.querySelector(`[data-focus="${focused}"]`)?.focus();
}
