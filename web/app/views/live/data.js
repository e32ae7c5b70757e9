// SPDX-License-Identifier: Apache-2.0
// How good the data are, and the nodes that they come from.
import {make} from "../../elements.js";
import {count, counted, percent, seconds} from "../../words.js";

const usualLag_s = 3;  // a finding shall be seen so soon after its events

// [{words, warns}…], what is not as it should be first.
export function factsOfData(frame) {
  const {quality} = frame, facts = [], limit = frame.findings[0]?.share ?? 0;
  const whole = (value) => Number(value) || 0, add = (words, warns = false) => facts.push({words, warns});
  for (const node of frame.nodes) if (node.state === "lost" || node.state === "paused") add(`node ${node.name} ${node.state}${node.because ? ": " + node.because : ""}`, true);
  if (quality) {
    if (whole(quality.lost)) add(counted(whole(quality.lost), "record") + " lost", true);
    if (whole(quality.lost_blocks)) add(counted(whole(quality.lost_blocks), "block") + " lost", true);
    if (whole(quality.told_late)) add(counted(whole(quality.told_late), "thing") + " told too late", true);
    for (const [share, words] of [[quality.stalled_share, "all waited"], [quality.unknown_share, "unknown"], [quality.without_cause_share, "of waits without a cause"]])
      if (share >= 0.01) add(`${percent(share)} ${words}`, share >= limit);
    if (quality.lag_s > 0) add(`${seconds(quality.lag_s)} behind`, quality.lag_s > usualLag_s);
    if (whole(quality.open_waits)) add(counted(whole(quality.open_waits), "wait") + " still open");
    if (quality.paused_s > 0) add(`paused ${seconds(quality.paused_s)}`);
    if (!whole(quality.lost) && !whole(quality.lost_blocks)) add("nothing lost");
  }
  return facts.filter((fact) => fact.warns).concat(facts.filter((fact) => !fact.warns));
}

export function dataPart() {
  const facts = make("p"), target = make("p", {class: "quiet"}), nodes = make("tbody");
  const table = make("div", {class: "scroll"}, make("table", {"aria-label": "Nodes"}, make("thead", null, make("tr", null,
    ["node", "state", "behind", "lost", "its recorder's CPUs"].map((name) => make("th", {scope: "col"}, name)))), nodes));
  return {
    element: make("section", {class: "card"}, make("h2", null, "The data"), facts, target, table),
    show(frame) {
      facts.replaceChildren(...factsOfData(frame).flatMap((fact, i) => [i > 0 ? " · " : "", make("span", {class: fact.warns ? "bad" : ""}, fact.words)]));
      target.textContent = [frame.target, `the last ${seconds(frame.to_s - frame.from_s)}`].filter(Boolean).join(" · ");
      table.hidden = frame.nodes.length < 2;
      nodes.replaceChildren(...frame.nodes.map((node) => make("tr", null, make("td", null, node.name), make("td", null, node.state + (node.because ? ": " + node.because : "")),
        make("td", null, seconds(node.behind_s)), make("td", null, count(node.lost)), make("td", null, node.recorder_cpu.toFixed(2)))));
    },
  };
}
