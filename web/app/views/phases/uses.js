// SPDX-License-Identifier: Apache-2.0
// The resources' use over time, and for many nodes the choice of whose.
import {chooser, make} from "../../elements.js";
import {count} from "../../words.js";
import {chartsShown, kindsShown} from "./chart_choice.js";
import {nodeChoicesOf, nodesWithSeries} from "./series.js";
import {go} from "./shown.js";
import {useFigure, useLegend} from "./use_chart.js";

function nodeChooser(job) {
  const choices = nodeChoicesOf(job);
  if (choices.length === 1) return null;
  const fixed = nodesWithSeries(job).includes(job.shown.focus.node);
  return chooser("Resources of ", choices, fixed ? "=" + job.shown.focus.node : job.shown.nodes, (nodes) => go(job, {nodes}), {id: "nodes", disabled: fixed});
}

export function showUses(job) {
  const charts = chartsShown(job), place = job.place("uses");
  if (!charts.length) return place.replaceChildren();
  // What has the focus is drawn anew, too.
  const focused = place.contains(document.activeElement) ? document.activeElement.getAttribute("data-focus") : null;
  const open = [...place.querySelectorAll("details[open]")].map((one) => one.dataset.chart);
  const view = kindsShown(job, charts), drawn = charts.map((chart) => useFigure(job, chart, view, open.includes(chart.label)));
  place.replaceChildren(make("div", {class: "moves"}, make("h3", null, "Use of resources, and what held phases back"), nodeChooser(job)),
    useLegend(job, view, charts), ...drawn,
    charts.left > 0 ? make("p", {class: "quiet"}, `and ${count(charts.left)} resources more: choose a node, or all added up`) : "");
  if (focused) place.querySelector(`[data-focus="${focused}"]`)?.focus();
}
