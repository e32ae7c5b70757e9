// SPDX-License-Identifier: Apache-2.0
// A request's time as one bar: its parts in order, or its kinds added up.
import {make} from "../../elements.js";
import {telling} from "../../told.js";
import {nanoseconds, percent} from "../../words.js";
import {kinds, kindWords, stepOf, whatOf} from "./words.js";

const classOf = (kind) => `part kind-${kinds.includes(kind) ? kind : "unknown"}`;
const part = (kind, from, share, words, attributes) => make("span", {class: classOf(kind), style: {left: `${from * 100}%`, width: `${share * 100}%`}, ...telling(words), ...attributes});

// Of shares that add up.
export function sharesBar(times) {
  let from = 0;
  const parts = times.map((time) => {
    const at = from;
    from += time.share;
    return part(time.kind, at, time.share, `${percent(time.share)} ${whatOf(time)}`);
  });
  return make("div", {class: "stack", role: "img", "aria-label": times.slice(0, 4).map((time) => `${percent(time.share)} ${whatOf(time)}`).join(", ")}, parts);
}

// pick(step)
export function stepsBar(request, pick) {
  const all = Math.max(1, request.latency_ns);
  return make("div", {class: "stack large", role: "img", "aria-label": `The ${request.steps.length} steps of the request, from its start to its answer`},
    request.steps.map((step) => part(step.kind, (step.from_ns - request.start_ns) / all, (step.to_ns - step.from_ns) / all,
      `${nanoseconds(step.to_ns - step.from_ns)} ${stepOf(step)}`, {onclick: () => pick(step)})));
}

export function stagesBar(stages) {
  const all = Math.max(1, stages.reduce((sum, stage) => sum + stage.mean_ns, 0));
  return sharesBar(stages.map((stage) => ({...stage, share: stage.mean_ns / all})));
}

export const legend = (present) => make("div", {class: "kinds", "aria-hidden": "true"}, kinds.filter((kind) => present.has(kind)).map((kind) =>
  make("span", null, make("i", {class: classOf(kind)}), kindWords[kind])));
