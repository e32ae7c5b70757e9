// SPDX-License-Identifier: Apache-2.0
// The answer: what limits, for how long, why, and what to try.
import {make} from "../../elements.js";
import {gain, percent, seconds} from "../../words.js";

const mostOthers = 3;

export function factsOf(frame) {
  const first = frame.findings[0];
  if (!first) return [];
  const facts = [frame.held_s >= 1 ? `for ${seconds(Math.floor(frame.held_s))}` : frame.strip.length > 1 ? "new" : "", `${percent(first.share)} of the time`, first.sure];
  if (first.upper_bound_gain > 1) facts.push(`up to ${gain(first.upper_bound_gain)} the throughput without it`);
  return facts.filter(Boolean);
}

export function limitPart() {
  const title = make("h2", {id: "live-limit"}), facts = make("p", {class: "facts"}), list = make("dl");
  const element = make("section", {class: "card limit", "aria-labelledby": "live-limit"}, title, facts, list);
  return {
    element,
    show(frame) {
      const [first, ...others] = frame.findings;
      title.textContent = first?.title || frame.verdict || "Nothing limits the target now.";
      facts.textContent = factsOf(frame).join(" · ");
      const rows = [["why", first?.why[0]], ["try", first?.advice[0]], ...others.slice(0, mostOthers).map((one) => ["also", one.title])];
      list.replaceChildren(...rows.filter(([, text]) => text).map(([name, text]) => make("div", null, make("dt", null, name), make("dd", null, text))));
    },
  };
}
