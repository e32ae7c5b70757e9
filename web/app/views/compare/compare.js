// SPDX-License-Identifier: Apache-2.0
// Two recordings in one picture, before and after a change: findings that are gone, new or there still, the waits that changed
// most, and how each thread spent its time. The shown recording is before, the one chosen beside it after.
import {button, chooser, make, nothing} from "../../elements.js";
import {gone} from "../../source_served.js";
import {counted, percent, seconds} from "../../words.js";
import {edgesChanged, findingsBy, measures, usesBy} from "./model.js";
import {divergingBars, pairedBars} from "./pictures.js";

const shownRows = 24;
const changeWords = {gone: "gone", new: "new", stays: "still there"};

export const compare = {
  name: "compare", title: "Compare", key: "x", uses: ["filter"], keys: [["Tab, Enter", "select a wait or a thread"]],
  mount(root, app) {
    let told = null, names = {before: "before", after: "after"}, page = null, asked = null;
    root.classList.add("compare");

    async function ask() {
      const number = app.state.compared;
      asked = number;
      told = null;
      if (app.source.isStatic) return root.replaceChildren(nothing("A report in one file holds one recording. `gordian serve BEFORE AFTER` shows two side by side."));
      if (number === null) return chooseOther();
      root.replaceChildren(nothing("Comparing…"));
      try {
        const [answer, list, own] = await Promise.all([app.source.ask("compare", {with: number}, {instead: "co.compare"}), app.source.recordings(), app.page()]);
        if (asked !== number) return;
        const nameOf = (wanted) => list.find((one) => one.number === wanted)?.name ?? `recording ${wanted}`;
        names = {before: nameOf(app.state.recording), after: nameOf(number)};
        if (names.before === names.after) names = {before: names.before + " (before)", after: names.after + " (after)"};
        told = answer;
        page = own;
        show();
      } catch (error) {
        if (!gone(error)) root.replaceChildren(nothing(error.message));
      }
    }

    async function chooseOther() {
      root.replaceChildren(nothing("Which recording to compare with?"));
      const list = await app.source.recordings().catch(() => []), others = list.filter((one) => one.number !== app.state.recording);
      if (asked !== null) return;
      root.replaceChildren(others.length ? make("div", {class: "nothing"}, make("p", null, "Compare this recording with:"), make("div", {class: "controls middle"}, others.map((one) =>
        button(one.name, () => app.set({compared: one.number}), {"data-compared": one.number}))))
        : nothing("There is one recording only. `gordian serve BEFORE AFTER` shows two side by side."));
    }

    // Names of the shown recording lead on; what is only in the other one does not.
    const vertexNamed = (name) => page?.report.vertices.find((vertex) => vertex.label === name || vertex.name === name || `${vertex.process}/${vertex.name}` === name)?.id ?? null;
    function pickEdge(edge) {
      const from = vertexNamed(edge.from), to = vertexNamed(edge.to);
      if (from !== null && to !== null) app.set({sel: `edge:${from}>${to}`, at: null});
      else app.announce(`${names.before} does not have that wait.`);
    }
    function pickUse(use) {
      const id = vertexNamed(use.name);
      if (id !== null) app.set({sel: `vertex:${id}`, at: null});
      else app.announce(`${names.before} does not have ${use.name}.`);
    }

    function show() {
      const {diff} = told, onlyScope = app.state["co.all"] !== "1", measure = measures.some(([name]) => name === app.state["co.measure"]) ? app.state["co.measure"] : "run";
      const choice = {filter: app.state.filter, onlyScope}, edges = edgesChanged(diff.edges, choice), uses = usesBy(told.uses, measure, choice);
      const more = (list, left) => (list.length > shownRows || left ? make("p", {class: "quiet"}, `${counted(Math.max(0, list.length - shownRows) + left, "more row")}, which changed less.`) : null);
      root.replaceChildren(make("h2", {class: "sentence"}, diff.verdict),
        make("p", {class: "quiet"}, side("before", diff.before), " ", side("after", diff.after)),
        make("div", {class: "controls"}, make("label", {class: "chooser"}, make("input", {type: "checkbox", id: "co-all", checked: onlyScope ? null : "", onchange: (event) => app.set({"co.all": event.target.checked ? "1" : null}, {replace: true})}),
          "all threads of the machine, too"), button("Swap", () => app.set({recording: app.state.compared, compared: app.state.recording, sel: null, at: null}), {title: "After becomes before"})),
        findingsPart(diff.findings),
        make("div", {class: "pair"},
          make("div", {class: "card part-of"}, make("h2", null, "Waits that changed most"), make("p", {class: "quiet"}, "Seconds of waiting in a second of recording, with the waits of those behind: less to the left, more to the right."),
            edges.length ? divergingBars(edges.slice(0, shownRows), pickEdge) : make("p", {class: "quiet"}, "No wait changed by a millisecond a second."), more(edges, told.edges_left_out)),
          make("div", {class: "card part-of"}, make("div", {class: "controls"}, make("h2", null, "How threads spent a second"), chooser("Time", measures, measure, (value) => app.set({"co.measure": value}, {replace: true}), {id: "co-measure"}),
            make("span", {class: "keys-of-bars"}, make("i", {class: "bar before"}), names.before, make("i", {class: "bar after"}), names.after)),
          uses.length ? pairedBars(uses.slice(0, shownRows), measure, names, pickUse) : make("p", {class: "quiet"}, "No thread of that name spent any."), more(uses, told.uses_left_out))));
    }
    const side = (which, recording) => make("span", {class: `side ${which}`}, make("i", {class: `bar ${which}`}), `${names[which]}: ${seconds(recording.seconds)}, ${counted(recording.cpus, "CPU")}.`);

    ask();
    return {
      update(state, changed) {
        if (changed.has("compared") || changed.has("data")) ask();
        else if (told && ["filter", "co.all", "co.measure"].some((name) => changed.has(name))) {
          const focused = document.activeElement?.id;
          show();
          if (focused) document.getElementById(focused)?.focus();
        }
      },
    };
  },
};

function findingsPart(findings) {
  const told = (finding) => {
    const share = finding.change === "stays" ? `${percent(finding.before_share)} → ${percent(finding.after_share)}` : percent(finding.change === "new" ? finding.after_share : finding.before_share);
    return make("li", {class: finding.limit ? "" : "beside"}, make("span", {class: `change ${finding.change}`}, changeWords[finding.change] ?? finding.change), make("span", null, finding.title), make("span", {class: "quiet number"}, share));
  };
  const all = findingsBy(findings).flatMap((part) => part.findings), limits = all.filter((finding) => finding.limit), others = all.filter((finding) => !finding.limit);
  return make("div", {class: "card part-of findings"}, make("h2", null, "What limits it"), limits.length ? make("ul", null, limits.map(told)) : make("p", {class: "quiet"}, "Neither recording has a finding."),
    others.length ? make("details", null, make("summary", null, `${counted(others.length, "finding")} beside it`), make("ul", null, others.map(told))) : null);
}
