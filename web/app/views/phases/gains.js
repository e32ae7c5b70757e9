// SPDX-License-Identifier: Apache-2.0
// The share of the makespan that each issue costs, according to the replay.
import {draw, make} from "../../elements.js";
import {percent} from "../../words.js";

export function gainBars(report) {
  const issues = report.issues.filter((issue) => issue.gain > 0).sort((a, b) => b.gain - a.gain).slice(0, 12);
  if (!issues.length) return [];
  const most = issues[0].gain;
  return [make("h3", null, "What mending it would save, at most"), make("p", {class: "quiet"}, "of the job's time, by replaying its phases"), issues.map((issue) =>
    make("div", {class: "gain"}, make("span", {class: "number"}, percent(issue.gain)),
      draw("svg", {viewBox: "0 0 100 10", preserveAspectRatio: "none", role: "presentation"},
        draw("rect", {x: 0, y: 0, width: Math.max(0.5, (issue.gain / most) * 100), height: 10})),
      make("span", null, issue.title)))].flat();
}
