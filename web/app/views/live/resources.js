// SPDX-License-Identifier: Apache-2.0
// What the machines have, and how much of it is used; and the requests that the target answers.
import {make} from "../../elements.js";
import {count, percent, quantity, seconds, trimmed} from "../../words.js";

// CPUs first, then what is used most; rates without a whole last.
export function rowsOf(frame) {
  const rows = frame.resources.map((one) => {
    const place = one.node ? one.node + "/" : "", share = one.capacity > 0 ? one.use / one.capacity : -1;
    if (one.what === "cpus") return {first: 0, name: place + "CPUs", share, words: trimmed(one.use) + (one.capacity > 0 ? ` of ${count(one.capacity)}` : "")};
    return {first: 1, name: place + one.name, share, words: (share >= 0 ? percent(share) + ", " : "") + quantity(one.bytes_per_s, "B/s")};
  });
  rows.sort((a, b) => a.first - b.first || b.share - a.share);
  const requests = frame.requests;
  if (requests) rows.unshift({name: "requests", share: -1, words: `${count(Math.round(requests.finished_per_s))}/s, median ${seconds(requests.median_s)}, p99 ${seconds(requests.p99_s)}, longest ${seconds(requests.longest_s)}, ${count(requests.open)} open`});
  return rows;
}

export function resourcesPart() {
  const body = make("tbody");
  return {
    element: make("section", {class: "card"}, make("h2", {id: "live-resources"}, "Resources"), make("div", {class: "scroll"}, make("table", {"aria-labelledby": "live-resources"}, body))),
    show(frame) {
      body.replaceChildren(...rowsOf(frame).map((row) => make("tr", null, make("th", {scope: "row"}, row.name),
        make("td", null, row.share >= 0 ? make("meter", {min: 0, max: 1, value: Math.min(1, row.share), "aria-hidden": "true"}) : null), make("td", null, row.words))));
    },
  };
}
