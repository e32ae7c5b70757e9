// SPDX-License-Identifier: Apache-2.0
// Questions in SQL: written with help, answered as a table and a picture, whose rows lead to the other views. The question is in
// the address (ask.sql), and so are its values (ask.v_NAME), its picture and its order.
import {button, make, nothing} from "../../elements.js";
import {gone} from "../../source_served.js";
import {selected} from "../../state.js";
import {nanoseconds} from "../../words.js";
import {showAnswer} from "./answer.js";
import {makeEditor} from "./editor.js";
import {placeOf, placeOfByte} from "./error_place.js";
import {fieldsOf} from "./fields.js";
import {history} from "./history.js";
import {knownOf} from "./known.js";
import {makeLibrary} from "./library.js";
import {filled, ofSelection, placeholdersIn, valuesOfSelection} from "./placeholders.js";

const mostRows = 100_000, longestInAddress = 8000;

export const ask = {
  name: "ask", title: "Ask", key: "q", uses: ["range"],
  keys: [["Ctrl + Enter", "ask"], ["Esc", "end the question that is being answered"], ["Ctrl + Space", "words that may come here; Tab takes one"], ["Alt + ↑ ↓", "earlier questions"],
    ["Arrows", "in the answer: go through its cells"], ["Enter", "… select what the row is about"], ["Shift + Enter", "… and show it on the timeline"], ["s", "… sort by that column"]],
  mount(root, app) {
    if (app.source.isStatic) {
      root.replaceChildren(nothing("Questions in SQL need the recording itself. `gordian serve` with the recording's folder opens this page with it; `gordian query` answers in a terminal."));
      return {};
    }
    return mountAsk(root, app);
  },
};

function mountAsk(root, app) {
  const earlier = history();
  let schema = null, known = knownOf(null, null), shown = null, running = null, asked = null;  // asked: {text, sql} of the answer that is shown

  const typedValues = () => Object.fromEntries(Object.entries(app.state).filter(([name]) => name.startsWith("ask.v_")).map(([name, text]) => [name.slice(6), text]));
  const selectionValues = () => valuesOfSelection(app.state, selected(app.state.sel), known.end_ns ?? Number.MAX_SAFE_INTEGER, known.vertexOfThread);
  const sqlOf = (text) => filled(text, {...typedValues(), ...selectionValues()});

  const editor = makeEditor({
    ask: () => run(true), changed: () => showFields(),
    cancel: () => { if (!running) return false; running.abort(); return true; },
    earlier(step) {
      const text = earlier.step(step, editor.text);
      if (text === null) return;
      editor.text = text;
      showFields();
    },
  });
  const start = button(["Ask", make("kbd", null, "Ctrl ↵")], () => run(true), {id: "ask-run", class: "main"});
  const cancel = button(["Cancel", make("kbd", null, "Esc")], () => running?.abort(), {id: "ask-cancel", hidden: ""});
  const progress = make("span", {class: "quiet", role: "status"}), fields = make("div", {class: "values"});
  const error = make("p", {id: "ask-error", class: "problem", role: "alert", hidden: ""}), place = make("div", {id: "ask-answer"});
  const library = makeLibrary({
    asked: earlier.list,
    choose(sql) {
      editor.text = sql;
      showFields();
      run(true);
    },
    insert(word) {
      const {area} = editor, at = area.selectionStart;
      editor.text = area.value.slice(0, at) + word + area.value.slice(area.selectionEnd);
      area.focus();
      area.setSelectionRange(at + word.length, at + word.length);
      showFields();
    },
  });
  root.classList.add("ask");
  root.replaceChildren(library.element, make("div", {class: "asking"}, make("div", {class: "card"}, editor.element, fields, make("div", {class: "askmoves"}, start, cancel, progress), error), place));
  const empty = () => place.replaceChildren(nothing("Choose a question on the left, or write one. Rows lead to the other views."));
  empty();

  function showFields() {
    const focused = document.activeElement?.closest?.(".values input")?.dataset;
    fields.replaceChildren(...fieldsOf({sql: editor.text, schema, selection: selectionValues(), typed: typedValues()}, {
      type(name, text, askNow) {
        app.set({[`ask.v_${name.toLowerCase()}`]: text}, {replace: true});
        if (askNow) run(true);
      },
      replace(sql, askNow) {
        editor.text = sql;
        showFields();
        if (askNow) run(true);
      },
    }));
    if (focused?.place) fields.querySelector(`[data-place="${focused.place}"]`)?.focus();
    if (focused?.value) fields.querySelector(`[data-value="${CSS.escape(focused.value)}"]`)?.focus();
  }

  function tellProblem(words, from, to) {
    error.textContent = words;
    error.hidden = words === "";
    if (words && from !== undefined) editor.mark(from, to);
  }

  // step: it becomes a step of the way back.
  async function run(step) {
    const text = editor.text.trim();
    if (!text) return;
    const {sql, missing, back} = sqlOf(text);
    tellProblem("");
    if (missing.length) return tellProblem(missing.every((name) => ofSelection.includes(name)) ? `The question is about what is selected: ${missing.map((name) => ":" + name).join(", ")} has no value yet.`
      : `Give ${missing.map((name) => ":" + name).join(", ")} a value.`);
    running?.abort();
    const mine = running = new AbortController(), begun = performance.now();
    asked = {text, sql};
    earlier.add(text);
    if (text !== (app.state["ask.sql"] ?? "")) app.set({"ask.sql": text, "ask.sort": null, "ask.chart": null}, {replace: !step});
    progress.textContent = text.length > longestInAddress ? "Too long for an address: a colleague will not see it." : "";
    cancel.hidden = false;
    const ticking = setInterval(() => { progress.textContent = `Asking for ${nanoseconds((performance.now() - begun) * 1e6)}…`; }, 500);
    root.setAttribute("aria-busy", "true");
    try {
      const answer = await app.source.ask("query", {sql, rows: mostRows, compared: app.state.compared}, {signal: mine.signal});
      if (mine !== running) return;
      if (answer.error) return tellError(answer, text, sql, back);
      shown?.close();
      shown = showAnswer(answer, performance.now() - begun, app, known);
      place.replaceChildren(shown.element);
      shown.update(app.state);
      app.announce(`${shown.length} rows`);
      library.show();
    } catch (problem) {
      if (mine === running) tellProblem(gone(problem) ? "Ended before it was answered." : problem.message);
    } finally {
      clearInterval(ticking);
      if (mine === running) {
        running = null;
        progress.textContent = "";
        cancel.hidden = true;
        root.removeAttribute("aria-busy");
      }
    }
  }

  function tellError(answer, text, sql, back) {
    const words = answer.error.replace(/^the query cannot be answered: /, ""), at = placeOfByte(sql, answer.offset);
    if (at < 0) return tellProblem(words);
    const {line, column, from, to} = placeOf(text, back(at)), shift = editor.text.length - editor.text.trimStart().length;
    tellProblem(text.includes("\n") ? `Line ${line}, column ${column}: ${words}` : `Column ${column}: ${words}`, from + shift, to + shift);
  }

  // Of another address, or of a selection that the question is about.
  function follow() {
    const text = app.state["ask.sql"] ?? "";
    if (text !== (asked?.text ?? "")) {
      editor.text = text;
      showFields();
      if (text) return run(false);
      asked = null;
      shown?.close();
      shown = null;
      return empty();
    }
    if (!asked || !placeholdersIn(asked.text).length) return;
    const {sql, missing} = sqlOf(asked.text);
    if (!missing.length && sql !== asked.sql && editor.text.trim() === asked.text) run(false);
  }

  async function learn() {
    const [page, units] = await Promise.all([app.page().catch(() => null), app.units()]);
    known = knownOf(page, units);
    shown?.know(known);
    showFields();
  }
  app.source.ask("schema").then((told) => { schema = told; editor.useSchema(schema); library.use(schema, null); showFields(); }, (problem) => tellProblem(problem.message));
  app.source.ask("queries").then((told) => library.use(null, told.queries), () => {});
  learn().then(follow);

  return {
    update(state, changed) {
      if (changed.has("data")) learn();
      showFields();
      if (["ask.sql", "sel", "at", "from", "to"].some((name) => changed.has(name)) || [...changed].some((name) => name.startsWith("ask.v_"))) follow();
      if (changed.has("compared") && /\bb\s*\./i.test(asked?.text ?? "")) run(false);
      shown?.update(state);
    },
    unmount() {
      running?.abort();
      shown?.close();
    },
  };
}
