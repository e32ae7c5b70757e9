// SPDX-License-Identifier: Apache-2.0
// What stands beside the editor: saved questions, those about the selection, those asked before, and the tables.
import {button, make} from "../../elements.js";
import {shorten} from "../../words.js";
import {ownQuestions} from "./own_questions.js";

// acts: {choose(sql): fills the editor and asks; insert(word): at the caret; asked(): earlier questions}
export function makeLibrary(acts) {
  const filter = make("input", {type: "search", placeholder: "Find a question or a table", "aria-label": "Find a question or a table", "data-filter": "", oninput: () => show()});
  const place = make("div", {class: "list"}), tabs = make("div", {class: "choices", role: "group", "aria-label": "What is listed"});
  let listed = "questions", queries = [], schema = null;

  const matches = (...words) => words.join(" ").toLowerCase().includes(filter.value.trim().toLowerCase());
  const question = (name, about, sql) => make("li", null, button(about, () => acts.choose(sql), {class: "link", "data-question": name, title: name}));
  const part = (title, items) => (items.length ? [make("h3", null, title), make("ul", null, items)] : []);

  function questions() {
    const asked = acts.asked().filter((sql) => matches(sql)).slice(0, 12);
    return [...part("About the selection", ownQuestions.filter((one) => matches(one.name, one.about)).map((one) => question(one.name, one.about, one.sql))),
      ...part("Of the whole recording", queries.filter((one) => matches(one.name, one.about)).map((one) => question(one.name, one.about, one.sql.trim()))),
      ...part("Asked before", asked.map((sql) => make("li", null, button(make("code", null, shorten(sql.replace(/\s+/g, " "), 90)), () => acts.choose(sql), {class: "link"}))))];
  }
  function tables() {
    const found = (schema?.tables ?? []).filter((table) => matches(table.name, table.about, ...table.columns.map((column) => column.name)));
    return found.map((table) => make("details", {open: filter.value.trim() !== "" && found.length < 4},
      make("summary", null, make("b", null, table.name + (table.is_function ? "(…)" : "")), make("span", {class: "quiet"}, table.about)),
      make("ul", {class: "columns"}, table.columns.map((column) => make("li", null,
        button(column.name, () => acts.insert(column.name), {class: "plain", title: "Put it into the question"}), make("span", {class: "quiet"}, column.about)))),
      button("Ask its example", () => acts.choose(table.example))));
  }
  function show() {
    tabs.replaceChildren(...[["questions", "Questions"], ["tables", "Tables"]].map(([name, words]) =>
      button(words, () => { listed = name; show(); }, {"aria-pressed": String(listed === name)})));
    const items = listed === "questions" ? questions() : tables();
    place.replaceChildren(...(items.length ? items : [make("p", {class: "quiet"}, "Nothing is called so.")]));
  }
  show();
  return {
    element: make("aside", {class: "card library", "aria-label": "Questions and tables"}, tabs, filter, place),
    use(known, saved) {
      if (known) schema = known;
      if (saved) queries = saved;
      show();
    },
    show,
  };
}
