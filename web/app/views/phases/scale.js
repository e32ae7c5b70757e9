// SPDX-License-Identifier: Apache-2.0
// Where a moment stands in the charts of phases, which all have one scale: names left, time right of them.
import {draw} from "../../elements.js";
import {seconds, secondsIn} from "../../words.js";
import {lengthOf} from "./model.js";

export const ganttNames = 190;
const leastWidth = 600;  // narrower than that the charts scroll sideways in their own frame

// Asked for at every point that is drawn, so it is measured once.
export const measureWidth = (job) => { job.width = Math.max(leastWidth, job.place("gantt").clientWidth); };
export const jobWidth = (job) => job.width;
export const timeWidth = (job) => job.width - ganttNames;
export const xOf = (job, time) => ganttNames + ((time - job.shown.from) / (job.shown.to - job.shown.from)) * timeWidth(job);
export const timeAt = (job, x) => job.shown.from + ((x - ganttNames) / timeWidth(job)) * (job.shown.to - job.shown.from);

// Round moments.
const minuteSteps = [15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 14400, 28800, 86400];
export function timeAxis(job, from, to, y, width = jobWidth(job)) {
  const least = (to - from) / (width > 1100 ? 9 : 6), power = 10 ** Math.floor(Math.log10(least));
  const step = (least > 10 && minuteSteps.find((one) => one >= least)) || [1, 2, 5, 10].map((times) => times * power).find((one) => one >= least), ticks = [];
  for (let i = Math.ceil(from / step - 1e-6); i * step <= to + step * 1e-6; ++i) {
    const x = ganttNames + ((i * step - from) / (to - from)) * (width - ganttNames);
    ticks.push(draw("text", {x, y, "text-anchor": x < ganttNames + 24 ? "start" : x > width - 24 ? "end" : "middle"}, secondsIn(i * step, step)));
  }
  return ticks;
}

export const describe = (phase) => `${phase.path}: ${seconds(lengthOf(phase))}, from ${seconds(phase.start_s)} on${phase.node ? ", on " + phase.node : ""}` +
  `${phase.critical ? ", on the critical path" : ""}${phase.end_assumed ? ", its end is assumed" : ""}`;
