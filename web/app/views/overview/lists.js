// SPDX-License-Identifier: Apache-2.0
// The lists below the picture: waits, threads, and what else the report tells.
import {button, make} from "../../elements.js";
import {selected} from "../../state.js";
import {makeTable, numberColumn, textColumn} from "../../tables.js";
import {count, seconds} from "../../words.js";
import {key} from "./data.js";

const waits = (data) => ({rows: data.edges, by: 2, columns: [
  textColumn("Who waits", (edge) => data.nameOf(edge.from)), textColumn("for whom", (edge) => data.nameOf(edge.to)),
  numberColumn("weight", (edge) => edge.weight_s, seconds), numberColumn("own", (edge) => edge.own_s, seconds),
  numberColumn("handed on", (edge) => Math.max(0, edge.weight_s - edge.own_s), seconds),
  numberColumn("waits", (edge) => edge.count, count), numberColumn("longest", (edge) => edge.longest_s, seconds)],
  sel: (edge) => `edge:${key(edge.from, edge.to)}`});

const threads = (data) => ({rows: data.report.threads, by: 3, columns: [
  textColumn("Thread", (thread) => thread.name), textColumn("process", (thread) => thread.process),
  numberColumn("tid", (thread) => thread.tid, String), numberColumn("ran", (thread) => thread.run_s, seconds),
  numberColumn("wanted a CPU", (thread) => thread.runnable_s, seconds), numberColumn("waited", (thread) => thread.wait_s, seconds),
  numberColumn("spun", (thread) => thread.spin_s, seconds), numberColumn("unknown", (thread) => thread.unknown_s, seconds)],
  sel: (thread) => `thread:${thread.id}`});

const counters = ({report}) => ({rows: report.counters, by: 2, columns: [
  textColumn("Counter", (counter) => counter.name), numberColumn("value", (counter) => counter.value, count),
  textColumn("kind", (counter) => counter.severity), textColumn("what to do", (counter) => counter.advice)]});

const names = ({report}) => ({rows: report.missing_names, by: 0, columns: [textColumn("What would give more names", (note) => note)]});

const steps = ({report}) => ({rows: report.explain, by: 0, columns: [
  {title: "Step", value: (step) => report.explain.indexOf(step), text: (step) => step.action}, textColumn("what", (step) => step.text),
  numberColumn("weight", (step) => step.weight_s, seconds)]});

const kinds = [["waits", "Waits", waits], ["threads", "Threads", threads], ["counters", "Counters", counters], ["names", "Missing names", names], ["steps", "Steps", steps]];

// Which list is shown is the state's ov.list. A row that is clicked is selected, and the page shows the picture.
// memory: keeps how the lists are sorted while they are made anew.
export function makeLists(data, app, memory) {
  const lists = kinds.map(([name, title, of]) => ({name, title, ...of(data)})).filter((list) => list.rows.length > 0);
  const tabs = make("nav", {id: "tabs", role: "tablist", "aria-label": "Lists"}), place = make("div", {id: "list", role: "tabpanel"});
  const element = make("section", {id: "lists", class: "card", "aria-label": "Lists"}, tabs, place);
  element.hidden = lists.length === 0;
  let shown = null, table = null;

  const isMarked = (list) => (row) => {
    const sel = app.state.sel, what = selected(sel);
    if (!what || !list.sel) return false;
    if (list.sel(row) === sel) return true;
    if (what.kind === "vertex") return list.name === "threads" ? data.vertexOfThread.get(row.id) === what.id : false;
    return false;
  };
  const chosen = () => lists.find((list) => list.name === app.state["ov.list"]) ?? lists[0];
  tabs.append(...lists.map((list) => button(`${list.title} (${count(list.rows.length)})`, () => app.set({"ov.list": list === lists[0] ? null : list.name}, {replace: true}), {role: "tab"})));

  function show() {
    const list = chosen();
    if (!list || shown === list) return;
    shown = list;
    [...tabs.children].forEach((tab, i) => tab.setAttribute("aria-selected", String(lists[i] === list)));
    table = makeTable(list.columns, list.rows, list.by, {
      open: list.sel && ((row) => { app.set({sel: list.sel(row), at: null}); scrollTo({top: 0, behavior: "smooth"}); }),
      marked: isMarked(list), memory: memory[list.name] ??= {},
      shared: {filter: app.state.filter, set: (filter) => app.set({filter}, {replace: true})}});
    place.replaceChildren(...table.elements);
  }
  show();
  return {
    element,
    update(changed) {
      show();
      if (changed.has("filter")) table?.refilter(app.state.filter);
      if (changed.has("sel")) table?.remark();
    },
  };
}
