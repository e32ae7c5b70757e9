// SPDX-License-Identifier: Apache-2.0
// What all views share, in one line: filter, level, measure, range, and what is selected.
import {button, chooser, make} from "./elements.js";
import {selectionPath} from "./selection.js";
import {levels, measures} from "./state.js";
import {nanosecondsIn} from "./words.js";

const levelWords = {thread: "threads", process: "processes", container: "containers", node: "nodes", rack: "racks", vertex: "graph nodes"};
const measureWords = {cpu: "CPU time", waits: "waits", bytes: "bytes", participation: "participation", threads: "threads"};
const filterDelay_ms = 150;  // between letters; without it every letter asks for new pictures

export function makeToolbar(app) {
  let timer = 0;
  const filter = make("input", {id: "filter", type: "search", placeholder: "Filter by name", "aria-label": "Filter by name", autocomplete: "off", spellcheck: "false",
    oninput: () => { clearTimeout(timer); timer = setTimeout(() => app.set({filter: filter.value}, {replace: true}), filterDelay_ms); },
    onkeydown: (event) => { if (event.key === "Enter") { clearTimeout(timer); app.set({filter: filter.value}, {replace: true}); } }});
  const level = chooser("Rows", levels.map((one) => [one, levelWords[one]]), app.state.level, (value) => app.set({level: value}), {id: "level"});
  const what = chooser("Measure", measures.map((one) => [one, measureWords[one]]), app.state.what, (value) => app.set({what: value}), {id: "what"});
  const range = make("span", {id: "range"}), whole = button("Show all", () => app.set({from: null, to: null}), {id: "whole", title: "Show the whole time (w)"});
  const rangePart = make("span", {class: "range"}, range, whole), crumbs = make("nav", {id: "selection", "aria-label": "What is selected"});
  const element = make("div", {id: "bar", role: "toolbar", "aria-label": "What is shown"}, filter, level, what, rangePart, crumbs);

  function showSelection(page, units) {
    const parts = selectionPath(app.state.sel, page, units);
    crumbs.hidden = parts.length === 0;
    crumbs.replaceChildren(...parts.flatMap((part, i) => [i > 0 ? make("span", {"aria-hidden": "true"}, "›") : null,
      part.sel === app.state.sel ? make("b", null, part.words) : button(part.words, () => app.set({sel: part.sel, at: null}), {class: "plain"})]).filter(Boolean),
      button("×", () => app.set({sel: null, at: null, phase: null}), {class: "plain", "aria-label": "Forget the selection", title: "Forget the selection (Esc)"}));
  }

  return {
    element, filter,
    // page, units: null while they are not known.
    update(view, state, page, units) {
      const uses = (name) => !view.uses || view.uses.includes(name);
      filter.hidden = !uses("filter");
      level.hidden = !uses("level");
      what.hidden = !uses("what");
      const narrowed = state.from !== null || state.to !== null, recording = page?.report.recording, seconds = (recording?.seconds ?? 0) + (recording?.paused_s ?? 0);
      rangePart.hidden = !uses("range") && !narrowed;
      if (document.activeElement !== filter) filter.value = state.filter;
      level.querySelector("select").value = state.level;
      what.querySelector("select").value = state.what;
      const from = state.from ?? 0, to = state.to ?? Math.round(seconds * 1e9), step = Math.max(1, (to - from) / 50);
      range.textContent = narrowed ? `${nanosecondsIn(from, step)} to ${nanosecondsIn(to, step)}` : "the whole time";
      whole.hidden = !narrowed;
      showSelection(page, units);
      // The overview tells the selection beside its picture; a line that comes and goes would move what one points at.
      element.hidden = view.uses?.length === 0;
    },
  };
}
