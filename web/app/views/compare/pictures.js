// SPDX-License-Identifier: Apache-2.0
// Both recordings in one picture: waits that grew to the right and shrank to the left, and each thread's time as two bars.
import {button, make} from "../../elements.js";
import {telling} from "../../told.js";
import {percent} from "../../words.js";
import {measures, rate, signedRate} from "./model.js";

// pick(edge)
export function divergingBars(edges, pick) {
  const most = Math.max(...edges.map((edge) => Math.abs(edge.change))), half = (value) => `${(Math.abs(value) / most) * 50}%`;
  return make("div", {class: "diverging", role: "list", "aria-label": "Waits that changed most"}, edges.map((edge) => {
    const name = `${edge.from} → ${edge.to}`, words = `${name}\n${rate(edge.before_weight)} before, ${rate(edge.after_weight)} after\n${edge.before_waits_per_s.toFixed(1)} waits a second before, ${edge.after_waits_per_s.toFixed(1)} after`;
    return make("div", {role: "listitem"}, button([make("span", {class: "name"}, name), make("span", {class: "track"}, make("span", {class: "middle"}),
      make("span", {class: edge.change < 0 ? "bar less" : "bar more", style: edge.change < 0 ? {right: "50%", width: half(edge.change)} : {left: "50%", width: half(edge.change)}})),
    make("span", {class: "number"}, signedRate(edge.change))], () => pick(edge), {class: "plain", "aria-label": words.replaceAll("\n", ", "), ...telling(words)}));
  }));
}

export function pairedBars(uses, measure, names, pick) {
  const most = Math.max(...uses.map((use) => Math.max(use.before[measure], use.after[measure]))), width = (value) => ({width: `${(value / most) * 100}%`});
  return make("div", {class: "paired", role: "list", "aria-label": `Time ${measures.find(([name]) => name === measure)[1]}`}, uses.map((use) => {
    const was = use.before[measure], is = use.after[measure];
    const words = `${use.name}\n${names.before}: ${rate(was)}\n${names.after}: ${rate(is)}${was > 0 ? `\n${is >= was ? "+" : "−"}${percent(Math.abs(is / was - 1))}` : ""}`;
    return make("div", {role: "listitem"}, button([make("span", {class: "name"}, use.name), make("span", {class: "both"},
      make("span", {class: "bar before", style: width(was)}), make("span", {class: "bar after", style: width(is)})), make("span", {class: "number"}, `${rate(was)} → ${rate(is)}`)],
    () => pick(use), {class: "plain", "aria-label": words.replaceAll("\n", ", "), ...telling(words)}));
  }));
}
