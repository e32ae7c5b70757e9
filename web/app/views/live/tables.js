// SPDX-License-Identifier: Apache-2.0
// The heaviest waits, and who is how much of the critical paths. A frame has 20 and 50 of them at most.
import {make} from "../../elements.js";
import {count, percent, seconds} from "../../words.js";

const bar = (share) => make("meter", {min: 0, max: 1, value: Math.min(1, Math.max(0, share)), "aria-hidden": "true"});

function makePart(id, title, heads, rowOf, rowsOf, restOf) {
  const body = make("tbody"), rest = make("p", {class: "quiet"});
  const table = make("table", {"aria-labelledby": id}, make("thead", null, make("tr", null, heads.map(([name, number]) => make("th", {scope: "col", class: number ? "number" : ""}, name)))), body);
  return {
    element: make("section", {class: "card"}, make("h2", {id}, title), make("div", {class: "scroll"}, table), rest),
    show(frame, state) {
      body.replaceChildren(...rowsOf(frame).map((row) => rowOf(row, state)));
      rest.textContent = restOf(frame);
      rest.hidden = !rest.textContent;
    },
  };
}

const contains = (filter, ...names) => !filter || names.some((name) => name.toLowerCase().includes(filter.toLowerCase()));

// A click selects the thing: what it has in the report of the same moment.
const opens = (act) => ({class: "open", tabindex: 0, onclick: act, onkeydown: (event) => { if (event.key === "Enter") act(); }});
const select = (app, selectionIn) => async () => {
  const sel = selectionIn((await app.page()).report.vertices);
  if (sel) app.set({sel, at: null});
};
const idOf = (vertices, label) => vertices.find((one) => one.label === label)?.id;

export function waitsPart(app) {
  const rowOf = (wait) => make("tr", opens(select(app, (vertices) => {
    const from = idOf(vertices, wait.from), to = idOf(vertices, wait.to);
    return from === undefined || to === undefined ? null : `edge:${from}>${to}`;
  })), make("td", null, wait.from), make("td", null, wait.to), make("td", {class: "number"}, seconds(wait.weight_s)), make("td", {class: "number"}, seconds(wait.own_s)),
    make("td", {class: "number"}, count(wait.count)), make("td", {class: "number"}, seconds(wait.longest_s)));
  return makePart("live-waits", "Heaviest waits", [["who waits"], ["for whom"], ["weight", 1], ["own", 1], ["waits", 1], ["longest", 1]], rowOf,
    (frame) => frame.waits.filter((wait) => contains(app.state.filter, wait.from, wait.to)),
    (frame) => (frame.other_waits_s > 0 ? `All others together: ${seconds(frame.other_waits_s)}` : ""));
}

export function verticesPart(app) {
  const rowOf = (vertex) => make("tr", opens(select(app, (vertices) => {
    const id = idOf(vertices, vertex.label);
    return id === undefined ? null : `vertex:${id}`;
  })), make("td", null, vertex.label), make("td", {class: "number"}, percent(vertex.participation)), make("td", null, bar(vertex.participation)),
    make("td", {class: "number"}, count(vertex.threads)), make("td", {class: "number"}, percent(vertex.run_share)), make("td", {class: "number"}, percent(vertex.runnable_share)),
    make("td", {class: "number"}, percent(vertex.wait_share)));
  return makePart("live-vertices", "Who is how much of the critical paths", [["who"], ["participation", 1], [""], ["threads", 1], ["ran", 1], ["ready", 1], ["waited", 1]], rowOf,
    (frame) => frame.vertices.filter((vertex) => contains(app.state.filter, vertex.label)), () => "");
}
