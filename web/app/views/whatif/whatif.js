// SPDX-License-Identifier: Apache-2.0
// What a change would gain: pick a wait or a finding, pick a fix, see the predicted throughput with its interval, and hold two
// fixes against each other. The changes are in the address: wi.a, wi.b.
import {button, make, nothing} from "../../elements.js";
import {gone} from "../../source_served.js";
import {nanoseconds} from "../../words.js";
import {intervalPicture} from "./interval_picture.js";
import {askedOf, changeOf, changesOf, changesText, comparisonWords, groupsOfReport, intervalOf} from "./model.js";
import {predictionCard} from "./prediction.js";
import {ownChange, questionList} from "./question_list.js";

export const whatif = {
  name: "whatif", title: "What if", key: "i", uses: [],
  keys: [["Tab, Enter", "choose a change"], ["Esc", "end a prediction that is being made"]],
  mount(root, app) {
    const sides = ["wi.a", "wi.b"], entries = new Map();  // by changes and progress: {told, kept, problem, waits, end}
    let groups = null, changes = [], askedSel, begun = 0, ticking = 0;
    const list = make("aside", {class: "card library questions", "aria-label": "Changes"}), place = make("div", {class: "predictions"});
    root.classList.add("whatif");
    root.replaceChildren(list, place);

    const chosen = () => sides.map((side) => changesOf(app.state[side]));
    const progress = () => app.state["wi.progress"] ?? "";
    const keyOf = (wanted) => JSON.stringify([wanted, progress()]);
    const usable = (sel) => (/^(edge|vertex|thread|device):/.test(sel ?? "") ? sel : null);

    async function askQuestions() {
      askedSel = usable(app.state.sel);
      const wanted = askedSel;
      try {
        const told = await app.source.ask("questions", {sel: wanted}, {instead: "wi.questions"}) ?? await app.source.ask("questions", {});
        if (wanted !== askedSel) return;
        groups = told ? told.groups : groupsOfReport((await app.page()).report);
        changes = app.source.isStatic ? [] : told?.changes ?? [];
      } catch (error) {
        if (gone(error)) return;
        groups = null;
        list.replaceChildren(nothing(error.message));
        return;
      }
      showList();
      show();
    }

    const keptOf = (wanted) => (wanted.length === 1 && !progress() ? groups?.flatMap((group) => group.questions).find((question) => changeOf(question) === wanted[0] && question.prediction)?.prediction ?? null : null);

    function predict(wanted) {
      const key = keyOf(wanted);
      if (entries.has(key) && !entries.get(key).ended) return;
      const entry = {kept: keptOf(wanted), waits: true, end: new AbortController()};
      entries.set(key, entry);
      begun = performance.now();
      ticking ||= setInterval(tick, 1000);
      app.source.ask("whatif", askedOf(wanted, progress()), {signal: entry.end.signal}).then((told) => {
        entry.told = told;
        if (!told && !entry.kept) entry.problem = "This page holds no such prediction. `gordian serve` makes it.";
        if (told) app.announce(told.answer.verdict);
      }, (error) => {
        entry.problem = entry.kept ? null : gone(error) ? "Ended before it was predicted." : error.message;
        entry.ended = gone(error);
      }).finally(() => {
        entry.waits = false;
        show();
      });
    }
    function tick() {
      const waits = [...entries.values()].some((entry) => entry.waits), said = place.querySelector(".elapsed");
      if (!waits) { clearInterval(ticking); ticking = 0; }
      if (said) said.textContent = `Replaying for ${nanoseconds((performance.now() - begun) * 1e6)}…`;
    }
    const cancel = () => { for (const entry of entries.values()) if (entry.waits) entry.end.abort(); };

    const acts = {
      chosen: () => { const [a, b] = chosen(); return {a, b}; },
      canAsk: !app.source.isStatic,
      first: (change) => app.set({"wi.a": change}),
      second: (change) => app.set({"wi.b": change}),
      also: (change) => app.set({"wi.a": changesText([...chosen()[0], change])}),
    };
    function showList() {
      if (!groups) return;
      const focused = document.activeElement?.closest?.(".questions [data-change]")?.dataset.change;
      list.replaceChildren(...questionList(groups, acts), ...(changes.length ? [ownChange(changes, acts.first)] : []));
      if (focused) list.querySelector(`[data-change="${CSS.escape(focused)}"]`)?.focus();
    }

    function show() {
      const wanted = chosen().filter((one) => one.length > 0);
      if (!wanted.length) return place.replaceChildren(nothing(groups && groups.every((group) => !group.questions.length) ? "There is no change to try in this recording."
        : app.state.sel ? "Choose a change on the left." : "Choose a change on the left. What you select in another view, a wait or a thread, adds changes of its own."));
      for (const one of wanted) predict(one);
      const shown = wanted.map((one) => entries.get(keyOf(one))), waits = shown.some((entry) => entry.waits);
      const intervals = shown.map((entry) => entry.told?.answer ?? entry.kept).map((answer) => (answer ? intervalOf(answer) : null));
      const rows = intervals.map((interval, i) => ({interval, name: wanted.length > 1 ? "AB"[i] : "", words: wanted[i].join("\n")})).filter((row) => row.interval);
      place.replaceChildren(...[
        wanted.length > 1 && rows.length > 1 ? make("h2", {class: "sentence"}, comparisonWords(...intervals)) : null,
        rows.length ? make("div", {class: "card part-of"}, intervalPicture(rows)) : null,
        make("div", {class: "askmoves"}, waits ? [make("span", {class: "quiet elapsed", role: "status"}, "Replaying the recording…"), button(["Cancel", make("kbd", null, "Esc")], cancel)] : null,
          wanted.length > 1 ? [button("Only A", () => app.set({"wi.b": null})), button("Only B", () => app.set({"wi.a": app.state["wi.b"], "wi.b": null}))] : null, progressField()),
        make("div", {class: wanted.length > 1 ? "side-by-side" : ""}, shown.map((entry, i) => predictionCard(entry, i, wanted.length > 1))),
      ].filter(Boolean));
    }
    function progressField() {
      if (app.source.isStatic) return null;
      return make("label", {class: "chooser"}, "Throughput is the rate of", make("input", {type: "text", id: "wi-progress", value: progress(), placeholder: "the first finding's cycles", size: 24,
        title: "wakes THREAD, io, io DISK, syscall NAME, probe NAME or phase NAME", onchange: (event) => app.set({"wi.progress": event.target.value.trim() || null})}));
    }
    root.addEventListener("keydown", (event) => {
      if (event.key !== "Escape" || ![...entries.values()].some((entry) => entry.waits)) return;
      cancel();
      event.preventDefault();
    });

    place.replaceChildren(nothing("Looking for what might be changed…"));
    askQuestions();
    return {
      update(state, changed) {
        if (changed.has("data")) entries.clear();
        if (changed.has("data") || (changed.has("sel") && usable(state.sel) !== askedSel)) askQuestions();
        else if ([...changed].some((name) => name.startsWith("wi."))) { showList(); show(); }
      },
      unmount() {
        cancel();
        clearInterval(ticking);
      },
    };
  },
};
