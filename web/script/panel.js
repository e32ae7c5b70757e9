// SPDX-License-Identifier: Apache-2.0
// The column beside the picture: the finding, or what was clicked.
const panel = document.getElementById("panel");
const number = (value, words) => make("div", null, make("b", null, value), make("span", null, words));
const title = (words) => make("h3", null, words);
const sentences = (all) => all.map((sentence) => make("p", null, sentence));

const edgeButton = (edge) => make("button", {class: "link", type: "button", onclick: () => choose({edge: key(edge.from, edge.to)})},
  `${nameOf(edge.from)} → ${nameOf(edge.to)}  `, make("span", {class: "quiet"}, seconds(edge.weight_s)));

// What an edge's waits were for, as far as the recording names it: the heaviest first.
function waitObjects(reasons) {
  const objects = reasons.flatMap((reason) => reason.objects).filter((object) => object.share >= 0.01)
    .sort((a, b) => b.share - a.share);
  return objects.length ? make("ul", {class: "objects"}, objects.map((object) =>
    make("li", null, `${percent(object.share)}  ${object.text}`, object.remark ? make("span", {class: "quiet"}, ` ${object.remark}`) : []))) : [];
}

// What a replay with a fix makes of it. The same words as on the page of text.
function predicted(prediction) {
  const alike = prediction.high <= 1.05 * prediction.low;
  const times = (value) => (value > 1 ? gain(value) : value.toFixed(1) + "×");  // less than now is no gain, but a number
  const none = prediction.low <= 1 && prediction.expected < 1.03;
  const interval = prediction.at_least && !none ? `at least ${times(alike ? prediction.expected : prediction.low)}` : alike ? times(prediction.expected) : `${prediction.low.toFixed(1)} to ${times(prediction.high)}`;
  const what = none ? `No gain beyond chance (${interval}) ` : `${interval} throughput `;
  const part = prediction.replayed_s < 0.99 * recording.seconds ? `; replayed: ${seconds(prediction.replayed_s)} from the recording's middle` : "";
  return make("li", null, what + prediction.condition, make("span", {class: "quiet"}, ` (${prediction.sure}${part}) `),
    make("code", {class: "command"}, prediction.command));
}

function predictedPart(finding) {
  if (finding.predictions.length > 0) return [title("What it would gain"), make("ul", {class: "predictions"}, finding.predictions.map(predicted))];
  return finding.no_prediction_because ? [title("What it would gain"), make("p", {class: "quiet"}, `No prediction: ${finding.no_prediction_because}.`)] : [];
}

function findingPanel(finding) {
  const known = finding.edges.map((edge) => edgeOf.get(key(edge.from, edge.to))).filter(Boolean);
  const attack = finding.edge ? edgeOf.get(key(finding.edge.from, finding.edge.to)) : null;
  return [
    make("h2", null, finding.title),
    make("div", {class: "numbers"}, number((finding.upper_bound_gain > 1 ? "up to " : "") + gain(finding.upper_bound_gain), "throughput by that alone"),
      number(percent(finding.share), "of the recording"), number(finding.sure, "that this is the limit")),
    finding.why.length ? [title("Why"), sentences(finding.why)] : [],
    finding.advice.length ? [title("Try"), sentences(finding.advice)] : [],
    predictedPart(finding),
    finding.code.length ? [title("Code"), sentences(finding.code)] : [],
    attack ? [title("The wait to attack"), edgeButton(attack)] : [],
    known.length ? [title("Its waits"), known.slice(0, 12).map(edgeButton)] : [],
    finding.doubts.length ? [title("Doubts"), sentences(finding.doubts)] : [],
    finding.ruled_out.length ? [title("Big, but not the limit"), make("ul", null, finding.ruled_out.map((out) =>
      make("li", null, out.what, make("span", {class: "quiet"}, ": " + out.reason))))] : [],
    finding.outside.length ? [title("Outside the target"), make("p", null, finding.outside.map(nameOf).join(", "))] : [],
  ];
}

// Where the program could tell more of itself.
const suggestionsPart = () => {
  const shown = report.suggestions.filter((suggestion) => suggestion.matters);
  return shown.length === 0 ? [] : [title("Worth annotating"), make("ul", {class: "suggestions"}, shown.slice(0, 8).map((suggestion) =>
    make("li", null, suggestion.text, " ", make("span", {class: "quiet"}, suggestion.advice), " ",
      make("code", null, suggestion.probes.join("; ")), " ",
      make("button", {class: "link", type: "button", onclick: () => choose({vertex: suggestion.vertex})}, nameOf(suggestion.vertex)))))];
};

function overviewPanel() {
  const others = report.findings.filter((finding) => finding !== chosen);
  const list = others.length === 0 ? [] : [title(chosen ? "Also found" : "Beside it"), others.map((finding) =>
    make("button", {class: "link", type: "button", onclick: () => { picked = null; focusFinding(finding); showPanel(); }},
      finding.rank + ". " + finding.title))];
  const first = chosen ? findingPanel(chosen) : [make("h2", null, verdict),
    make("p", null, "Record under full load, and name the program with --pid, --comm or --cgroup.")];
  const scope = report.scope ? [title("Scope"), make("p", null, report.scope.description)] : [];
  return [first, list, suggestionsPart(), scope];
}

function edgePanel(id) {
  const edge = edgeOf.get(id), history = historyOf.get(id);
  const rows = [["own waits", seconds(edge.own_s)], ["handed on by others", seconds(Math.max(0, edge.weight_s - edge.own_s))],
                ["number of waits", count(edge.count)], ["mean", edge.count ? seconds(edge.own_s / edge.count) : "–"],
                ["longest", seconds(edge.longest_s)]];
  const charts = history && history.bins.length
    ? [title("When"), timeStrip(history), history.buckets.length ? [title("How long"), lengthHistogram(history)] : []]
    : [make("p", {class: "quiet"}, "This page keeps the course of the heaviest waits only; this is none of them.")];
  return [
    backButton(),
    make("h2", null, `${nameOf(edge.from)} waits for ${nameOf(edge.to)}`),
    make("div", {class: "numbers"}, number(seconds(edge.weight_s), "waiting it carries"),
      number(percent(share(edge.own_s, recording.seconds)), "own, of the recording"), number(count(edge.count), "waits")),
    make("dl", null, rows.map(([word, value]) => [make("dt", null, word), make("dd", null, value)])), charts,
    edge.reasons.length ? [title("What for"), make("p", {class: "reasons"}, edge.reasons.filter((reason) => reason.share >= 0.01)
      .map((reason) => `${reason.reason} ${percent(reason.share)}`).join(", ")), waitObjects(edge.reasons)] : [],
    codePart(`Where ${nameOf(edge.from)} waits`, edge.waiter_stacks, edge.waiter_samples),
    codePart(`Where ${nameOf(edge.to)} ends the waits`, edge.waker_stacks, edge.waker_samples)];
}

function vertexPanel(id) {
  const vertex = vertices.get(id);
  const rows = [["kind", vertex.kind], ["process", vertex.process], ["tid", vertex.tid || ""], ["pid", vertex.pid || ""],
                ["threads", isThread(vertex) ? vertex.members.length : ""],
                ...(isThread(vertex) ? [["ran", seconds(vertex.run_s)], ["wanted a CPU", seconds(vertex.runnable_s)], ["waited", seconds(vertex.wait_s)]]
                                     : [["busy", seconds(vertex.busy_s)]])].filter((row) => row[1] !== "");
  const out = touching.get(id).filter((edge) => edge.from === id), into = touching.get(id).filter((edge) => edge.to === id);
  return [
    backButton(),
    make("h2", null, nameOf(id)),
    make("dl", null, rows.map(([word, value]) => [make("dt", null, word), make("dd", null, value)])),
    make("p", null, make("button", {type: "button", onclick: () => reveal(neighbours([id], moreNeighbours, 0))}, "Show its neighbours")),
    out.length ? [title("Waits for"), out.slice(0, 12).map(edgeButton)] : [],
    into.length ? [title("Is waited for by"), into.slice(0, 12).map(edgeButton)] : [],
    codePart("Where it runs", vertex.running_stacks, vertex.running_samples)];
}

const backButton = () => make("button", {type: "button", onclick: () => choose(null)}, "← finding");

function showPanel() {
  const content = picked?.edge !== undefined ? edgePanel(picked.edge) : picked?.vertex !== undefined ? vertexPanel(picked.vertex) : overviewPanel();
  panel.replaceChildren(...content.flat(Infinity).filter((child) => child !== null && child !== undefined));
  panel.scrollTop = 0;
}

// What was clicked, in the picture or in a list; null for nothing.
function choose(what) {
  picked = what;
  const needed = what?.edge !== undefined ? what.edge.split(">").map(Number) : what?.vertex !== undefined ? [what.vertex] : [];
  reveal(needed);
  showPanel();
}
