// SPDX-License-Identifier: Apache-2.0
// The column beside the picture: the finding, or what is selected.
import {button, make} from "../../elements.js";
import {count, gain, percent, seconds, share} from "../../words.js";
import {lengthHistogram, timeStrip} from "./charts.js";
import {isThread, key} from "./data.js";
import {codePart} from "./flames.js";

const firstReasons = 2;  // what to try should not be pushed out of sight
const number = (value, words) => make("div", null, make("b", null, value), make("span", null, words));
const title = (words) => make("h3", null, words);
const sentences = (all) => all.map((sentence) => make("p", null, sentence));
const facts = (rows) => make("dl", null, rows.map(([word, value]) => [make("dt", null, word), make("dd", null, value)]));

// acts: {pick(sel), back(), showFinding(finding), showNeighbours(id), goTo: [[words, act]…]}
export function makePanel(data, acts) {
  const {report, recording, nameOf} = data;
  const element = make("aside", {id: "panel", class: "card", "aria-live": "polite"});
  const link = (sel, ...words) => make("button", {class: "link", type: "button", onclick: () => acts.pick(sel)}, words);
  const edgeButton = (edge) => link(`edge:${key(edge.from, edge.to)}`, `${nameOf(edge.from)} → ${nameOf(edge.to)}  `, make("span", {class: "quiet"}, seconds(edge.weight_s)));
  const back = () => button("← finding", acts.back);
  const elsewhere = () => (acts.goTo.length ? make("p", {class: "elsewhere"}, acts.goTo.map(([words, act]) => button(words, act))) : []);

  function findingPanel(finding) {
    const known = finding.edges.map((edge) => data.edgeOf.get(key(edge.from, edge.to))).filter(Boolean);
    const attack = finding.edge ? data.edgeOf.get(key(finding.edge.from, finding.edge.to)) : null;
    return [
      // The top of the page says the first finding already.
      make("h2", finding.title === data.verdict ? {class: "unseen"} : null, finding.title),
      make("div", {class: "numbers"}, finding.upper_bound_gain === null || finding.upper_bound_gain > 1
        ? number("up to " + gain(finding.upper_bound_gain), "throughput by that alone") : number("no gain", "in throughput by that alone"),
        number(percent(finding.share), "of the recording"), number(finding.sure, "that this is the limit")),
      finding.why.length ? [title("Why"), sentences(finding.why.slice(0, firstReasons)), finding.why.length > firstReasons
        ? make("details", null, make("summary", null, `${finding.why.length - firstReasons} more`), sentences(finding.why.slice(firstReasons))) : []] : [],
      finding.advice.length ? [title("Try"), sentences(finding.advice)] : [],
      predictedPart(recording, finding),
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
  function suggestionsPart() {
    const shown = report.suggestions.filter((suggestion) => suggestion.matters);
    return shown.length === 0 ? [] : [title("Worth annotating"), make("ul", {class: "suggestions"}, shown.slice(0, 8).map((suggestion) =>
      make("li", null, suggestion.text, " ", make("span", {class: "quiet"}, suggestion.advice), " ",
        make("code", null, suggestion.probes.join("; ")), " ", link(`vertex:${suggestion.vertex}`, nameOf(suggestion.vertex)))))];
  }

  function overviewPanel(finding) {
    const others = report.findings.filter((one) => one !== finding);
    const list = others.length === 0 ? [] : [title(finding ? "Also found" : "Beside it"), others.map((one) =>
      make("button", {class: "link", type: "button", onclick: () => acts.showFinding(one)}, one.rank + ". " + one.title))];
    const first = finding ? findingPanel(finding) : [make("h2", null, data.verdict),
      make("p", null, "Record under full load, and name the program with --pid, --comm or --cgroup.")];
    const scope = report.scope ? [title("Scope"), make("p", null, report.scope.description)] : [];
    return [first, list, suggestionsPart(), scope];
  }

  function edgePanel(id) {
    const edge = data.edgeOf.get(id), history = data.historyOf.get(id);
    const rows = [["own waits", seconds(edge.own_s)], ["handed on by others", seconds(Math.max(0, edge.weight_s - edge.own_s))],
                  ["number of waits", count(edge.count)], ["mean", edge.count ? seconds(edge.own_s / edge.count) : "–"],
                  ["longest", seconds(edge.longest_s)]];
    const charts = history && history.bins.length
      ? [title("When"), timeStrip(data, history), history.buckets.length ? [title("How long"), lengthHistogram(history)] : []]
      : [make("p", {class: "quiet"}, "This page keeps the course of the heaviest waits only; this is none of them.")];
    return [
      back(),
      make("h2", null, `${nameOf(edge.from)} waits for ${nameOf(edge.to)}`),
      make("div", {class: "numbers"}, number(seconds(edge.weight_s), "waiting it carries"),
        number(percent(share(edge.own_s, recording.seconds)), "own, of the recording"), number(count(edge.count), "waits")),
      facts(rows), elsewhere(), charts,
      edge.reasons.length ? [title("What for"), make("p", {class: "reasons"}, edge.reasons.filter((reason) => reason.share >= 0.01)
        .map((reason) => `${reason.reason} ${percent(reason.share)}`).join(", ")), waitObjects(edge.reasons)] : [],
      codePart(data, `Where ${nameOf(edge.from)} waits`, edge.waiter_stacks, edge.waiter_samples),
      codePart(data, `Where ${nameOf(edge.to)} ends the waits`, edge.waker_stacks, edge.waker_samples)];
  }

  // `thread`: the selected one of its threads, if it is one.
  function vertexPanel(id, thread) {
    const vertex = data.vertices.get(id);
    const rows = [["kind", vertex.kind], ["process", vertex.process], ["tid", vertex.tid || ""], ["pid", vertex.pid || ""],
                  ["threads", isThread(vertex) ? vertex.members.length : ""],
                  ...(isThread(vertex) ? [["ran", seconds(vertex.run_s)], ["wanted a CPU", seconds(vertex.runnable_s)], ["waited", seconds(vertex.wait_s)]]
                                       : [["busy", seconds(vertex.busy_s)]])].filter((row) => row[1] !== "");
    const out = data.touching.get(id).filter((edge) => edge.from === id), into = data.touching.get(id).filter((edge) => edge.to === id);
    const one = thread && vertex.members.length > 1 ? [title(`Of its threads: ${thread.name} ${thread.tid}`),
      facts([["ran", seconds(thread.run_s)], ["wanted a CPU", seconds(thread.runnable_s)], ["waited", seconds(thread.wait_s)]])] : [];
    return [
      back(), make("h2", null, nameOf(id)), facts(rows), one,
      make("p", {class: "elsewhere"}, button("Show its neighbours", () => acts.showNeighbours(id)), acts.goTo.map(([words, act]) => button(words, act))),
      out.length ? [title("Waits for"), out.slice(0, 12).map(edgeButton)] : [],
      into.length ? [title("Is waited for by"), into.slice(0, 12).map(edgeButton)] : [],
      codePart(data, "Where it runs", vertex.running_stacks, vertex.running_samples)];
  }

  // Several vertices: those of a process, say.
  const severalPanel = (words, ids) => [back(), make("h2", null, words), elsewhere(), title("Its part of the picture"),
    ids.slice(0, 40).map((id) => link(`vertex:${id}`, nameOf(id))),
    ids.length > 40 ? make("p", {class: "quiet"}, `and ${count(ids.length - 40)} more`) : []];

  return {
    element,
    // what: {edge}, {vertex, thread}, {words, vertices} or nothing; then the finding is shown.
    show(what, finding) {
      const content = what?.edge ? edgePanel(what.edge) : what?.vertex !== undefined ? vertexPanel(what.vertex, what.thread)
        : what?.words ? severalPanel(what.words, what.vertices) : overviewPanel(finding);
      element.replaceChildren(...content.flat(Infinity).filter((child) => child !== null && child !== undefined));
      element.scrollTop = 0;
    },
  };
}

// What an edge's waits were for, as far as the recording names it: the heaviest first.
function waitObjects(reasons) {
  const objects = reasons.flatMap((reason) => reason.objects).filter((object) => object.share >= 0.01).sort((a, b) => b.share - a.share);
  return objects.length ? make("ul", {class: "objects"}, objects.map((object) =>
    make("li", null, `${percent(object.share)}  ${object.text}`, object.remark ? make("span", {class: "quiet"}, ` ${object.remark}`) : []))) : [];
}

// What a replay with a fix makes of it. The same words as on the page of text.
function predicted(recording, prediction) {
  const alike = prediction.high <= 1.05 * prediction.low;
  const times = (value) => (value > 1 ? gain(value) : value.toFixed(1) + "×");  // less than now is no gain, but a number
  const none = prediction.low <= 1 && prediction.expected < 1.03;
  const interval = prediction.at_least && !none ? `at least ${times(alike ? prediction.expected : prediction.low)}` : alike ? times(prediction.expected) : `${prediction.low.toFixed(1)} to ${times(prediction.high)}`;
  const what = none ? `No gain beyond chance (${interval}) ` : `${interval} throughput `;
  const part = prediction.replayed_s < 0.99 * recording.seconds ? `; replayed: ${seconds(prediction.replayed_s)} from the recording's middle` : "";
  return make("li", null, what + prediction.condition, make("span", {class: "quiet"}, ` (${prediction.sure}${part}) `),
    make("code", {class: "command"}, prediction.command));
}

function predictedPart(recording, finding) {
  if (finding.predictions.length > 0) return [title("What it would gain"), make("ul", {class: "predictions"}, finding.predictions.map((one) => predicted(recording, one)))];
  return finding.no_prediction_because ? [title("What it would gain"), make("p", {class: "quiet"}, `No prediction: ${finding.no_prediction_because}.`)] : [];
}
