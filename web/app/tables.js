// SPDX-License-Identifier: Apache-2.0
// Tables that sort and filter. Of thousands of rows a hundred are made; the rest on demand.
import {make} from "./elements.js";
import {count} from "./words.js";

const rowsAtOnce = 100;

export const textColumn = (name, value) => ({title: name, value: (row) => String(value(row)).toLowerCase(), text: (row) => String(value(row))});
export const numberColumn = (name, value, text) => ({title: name, value, text: (row) => text(value(row)), numeric: true});

// columns: textColumn, numberColumn, or {title, value(row), text(row), numeric}; sortedBy: the place of one.
// open(row): what a click or Enter does, if anything. marked(row): whether a row is selected.
// memory: an object that keeps how one sorted, for a table that is made anew.
// shared: {filter, set(filter)}, where all views have one filter; without it the table has its own.
// The result's elements go into the page; its `refilter(text)` and `remark()` show it as things now stand.
export function makeTable(columns, rows, sortedBy, {open, marked, shared, memory = {}} = {}) {
  let by = memory.by ?? sortedBy, down = memory.down ?? columns[by].numeric === true, most = rowsAtOnce, wanted = (shared?.filter ?? "").toLowerCase();
  let words = null;  // of every row, made when somebody filters
  let shownRows = [];
  const body = make("tbody"), foot = make("button", {type: "button"}), told = make("span", {class: "quiet", role: "status"});
  const heads = columns.map((column, i) => make("th", {class: column.numeric ? "number" : "", scope: "col"},
    make("button", {type: "button", onclick: () => { down = by === i ? !down : column.numeric === true; by = i; Object.assign(memory, {by, down}); update(); }}, column.title)));
  const filter = make("input", {type: "search", placeholder: "Filter", "aria-label": "Filter these rows", "data-filter": shared ? "" : null,
    oninput: () => { refilter(filter.value); shared?.set(filter.value); }});
  filter.value = shared?.filter ?? "";
  foot.onclick = () => { most += 10 * rowsAtOnce; update(); };

  const rowOf = (row) => make("tr", open ? {class: "open", tabindex: 0, onclick: () => open(row), onkeydown: (event) => event.key === "Enter" && open(row)} : null,
    columns.map((column) => make("td", {class: column.numeric ? "number" : ""}, column.text(row))));

  function remark() {
    if (marked) [...body.children].forEach((element, i) => {
      if (marked(shownRows[i])) element.setAttribute("aria-current", "true");
      else element.removeAttribute("aria-current");
    });
  }

  function refilter(text) {
    if (filter.value !== text) filter.value = text;
    wanted = text.toLowerCase();
    most = rowsAtOnce;
    update();
  }

  function update() {
    const value = columns[by].value, sign = down ? -1 : 1;
    if (wanted !== "") words ??= rows.map((row) => columns.map((column) => column.text(row)).join("\u0000").toLowerCase());
    const found = rows.filter((row, i) => wanted === "" || words[i].includes(wanted));
    found.sort((a, b) => { const x = value(a), y = value(b); return sign * (x < y ? -1 : x > y ? 1 : 0); });
    shownRows = found.slice(0, most);
    body.replaceChildren(...shownRows.map(rowOf));
    remark();
    heads.forEach((head, i) => i === by ? head.setAttribute("aria-sort", down ? "descending" : "ascending") : head.removeAttribute("aria-sort"));
    told.textContent = found.length === rows.length ? count(rows.length) + (rows.length === 1 ? " row" : " rows") : `${count(found.length)} of ${count(rows.length)} rows`;
    foot.hidden = found.length <= most;
    foot.textContent = `Show more of the ${count(found.length - most)} left`;
  }
  update();
  const elements = [make("div", {class: "filter"}, filter, told),
    make("div", {class: "scroll"}, make("table", null, make("thead", null, make("tr", null, heads)), body), foot)];
  return {elements, refilter, remark};
}

export const sortableTable = (columns, rows, sortedBy, open) => makeTable(columns, rows, sortedBy, {open}).elements;
