// SPDX-License-Identifier: Apache-2.0
// Where a question is written: words complete themselves, Ctrl+Enter asks, earlier questions come back by Alt+↑. Words come by
// letters or Ctrl+Space, go in by Tab (or by Enter, once an arrow has chosen one), and go away by Esc.
import {make} from "../../elements.js";
import {completed, completionsAt} from "./completion.js";

const kindWords = {table: "table", function: "function", column: "column", keyword: "", alias: "alias"};

// acts: {ask(), cancel() → whether there was anything to end, changed(), earlier(step)}
export function makeEditor(acts) {
  let schema = null, found = null, chosen = 0, byArrow = false;
  const area = make("textarea", {id: "ask-sql", class: "sql", rows: 5, wrap: "off", spellcheck: "false", autocomplete: "off", autocapitalize: "off", "aria-label": "Question in SQL",
    role: "combobox", "aria-expanded": "false", "aria-controls": "ask-words", "aria-autocomplete": "list", "aria-describedby": "ask-error",
    placeholder: "SELECT name, wait_ns FROM thread ORDER BY wait_ns DESC LIMIT 10"});
  const list = make("ul", {id: "ask-words", class: "words", role: "listbox", "aria-label": "Words that may come here", hidden: ""});
  const element = make("div", {class: "editor"}, area, list);

  const isOpen = () => found !== null;
  function close() {
    found = null;
    list.hidden = true;
    area.setAttribute("aria-expanded", "false");
    area.removeAttribute("aria-activedescendant");
  }
  function offer(asked) {
    if (!schema) return;
    const next = completionsAt(area.value, area.selectionStart, schema, asked);
    if (!next.items.length || area.selectionStart !== area.selectionEnd) return close();
    found = next;
    byArrow = false;
    chosen = 0;
    list.replaceChildren(...found.items.map((item, i) => make("li", {role: "option", id: `ask-word-${i}`, onpointerdown: (event) => { event.preventDefault(); take(i); }},
      make("b", null, item.word), make("span", {class: "quiet"}, [kindWords[item.kind], item.of ? `of ${item.of}` : "", item.about ? `: ${item.about}` : ""].filter(Boolean).join(" ").replace(" :", ":")))));
    list.hidden = false;
    area.setAttribute("aria-expanded", "true");
    place();
    mark();
  }
  function place() {
    const style = getComputedStyle(area), ink = document.createElement("canvas").getContext("2d");
    ink.font = `${style.fontSize} ${style.fontFamily}`;
    const before = area.value.slice(0, found.from), line = before.split("\n").length, column = before.length - before.lastIndexOf("\n") - 1;
    const left = 10 + column * ink.measureText("m").width - area.scrollLeft, top = 8 + line * parseFloat(style.lineHeight) - area.scrollTop;
    list.style.left = `${Math.max(0, Math.min(left, area.clientWidth - 280))}px`;
    list.style.top = `${Math.min(top, area.clientHeight)}px`;
  }
  function mark() {
    [...list.children].forEach((item, i) => item.setAttribute("aria-selected", String(i === chosen)));
    list.children[chosen]?.scrollIntoView({block: "nearest"});
    area.setAttribute("aria-activedescendant", `ask-word-${chosen}`);
  }
  function take(i) {
    const {text, caret} = completed(area.value, found, found.items[i], area.value.slice(found.from, area.selectionStart));
    write(text, caret);
    close();
    acts.changed();
  }
  // Through the browser's own edit, so that Ctrl+Z takes it back.
  function write(text, caret) {
    const before = area.value;
    let from = 0;
    while (from < before.length && before[from] === text[from]) ++from;
    let tail = 0;
    while (tail < before.length - from && tail < text.length - from && before[before.length - 1 - tail] === text[text.length - 1 - tail]) ++tail;
    area.focus();
    area.setSelectionRange(from, before.length - tail);
    if (!document.execCommand("insertText", false, text.slice(from, text.length - tail))) area.value = text;
    area.setSelectionRange(caret, caret);
  }

  area.addEventListener("input", () => { acts.changed(); offer(false); });
  area.addEventListener("blur", close);
  area.addEventListener("click", close);
  area.addEventListener("keydown", (event) => {
    const {key} = event, step = {ArrowDown: 1, ArrowUp: -1}[key];
    if (key === "Enter" && (event.ctrlKey || event.metaKey)) { close(); acts.ask(); }
    else if (key === " " && event.ctrlKey) offer(true);
    else if (step && event.altKey) { close(); acts.earlier(step); }
    else if (isOpen() && step) { chosen = (chosen + step + found.items.length) % found.items.length; byArrow = true; mark(); }
    else if (isOpen() && (key === "Tab" && !event.shiftKey || key === "Enter" && byArrow)) take(chosen);
    else if (isOpen() && key === "Escape") close();
    else if (key === "Escape") { if (!acts.cancel()) area.blur(); }
    else { if (isOpen() && /^(Arrow|Home|End)/.test(key)) close(); return; }
    event.preventDefault();
  });

  return {
    element, area,
    get text() { return area.value; },
    set text(sql) { if (area.value !== sql) area.value = sql; close(); },
    useSchema(known) { schema = known; },
    close,
    // Marks where an error is.
    mark(from, to) {
      area.focus();
      area.setSelectionRange(from, to);
    },
  };
}
