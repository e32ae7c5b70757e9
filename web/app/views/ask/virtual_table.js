// SPDX-License-Identifier: Apache-2.0
// A table of a hundred thousand rows: those that are seen are made, the others are empty space. Rows and cells are gone through
// by arrows; screen readers hear the row's number of all of them.
import {make} from "../../elements.js";
import {cellWords, hintOf} from "./values.js";

const rowHeight = 26;       // of style/ask.css
const rowsBeyond = 12;      // made above and below what is seen, so that scrolling shows no gaps
const mostColumnLetters = 44, sampledRows = 300;

// model: table_model.js. open(row, column): a click or Enter. look(row, column): a double click, or Shift+Enter. links(column): whether its cells lead
// somewhere. sorted(): the order is another one.
export function virtualTable(model, {open, look, links, sorted}) {
  const widths = columnWidths(model);
  const head = make("div", {role: "row", class: "row heads", "aria-rowindex": 1}), space = make("div", {class: "rows", role: "rowgroup"});
  const grid = make("div", {class: "grid", role: "grid", tabindex: 0, "aria-label": "Rows of the answer", "aria-rowcount": model.length + 1, "aria-colcount": model.columns.length},
    make("div", {role: "rowgroup", class: "headgroup"}, head), space);
  const fixed = widths.map((letters) => `${letters}ch`).join(" ");
  head.style.gridTemplateColumns = fixed;
  space.style.height = `${model.length * rowHeight}px`;
  space.style.minWidth = head.style.minWidth = `${widths.reduce((sum, letters) => sum + letters, 0)}ch`;
  let active = {place: 0, column: 0}, picked = null, first = -1, last = -1;

  const heads = model.columns.map((column, i) => make("div", {role: "columnheader", class: column.numeric ? "number" : "", "aria-colindex": i + 1},
    make("button", {type: "button", tabindex: -1, title: [column.origin, hintOf(column)].filter(Boolean).join(": ") || null, onclick: () => sort(i)}, column.title)));
  head.append(...heads);

  function sort(column) {
    model.sortBy(column);
    showSorting();
    sorted?.();
    grid.scrollTop = 0;
    fill(true);
  }
  function showSorting() {
    heads.forEach((one, i) => i === model.sortedBy ? one.setAttribute("aria-sort", model.down ? "descending" : "ascending") : one.removeAttribute("aria-sort"));
  }

  function rowAt(place) {
    const row = model.row(place), index = model.order[place];
    const element = make("div", {role: "row", class: "row", "aria-rowindex": place + 2, "aria-selected": String(index === picked)},
      model.columns.map((column, i) => {
        const [words, quiet] = cellWords(column, row[i]);
        return make("div", {role: "gridcell", id: place === active.place && i === active.column ? "ask-cell" : null, "aria-colindex": i + 1,
          class: [column.numeric ? "number" : "", links(column, row[i]) ? "leads" : "", place === active.place && i === active.column ? "at" : "", row[i] === null ? "null" : ""].filter(Boolean).join(" "),
          title: words.length > mostColumnLetters ? words : null}, words, quiet ? make("span", {class: "quiet"}, quiet) : null);
      }));
    element.style.top = `${place * rowHeight}px`;
    element.style.gridTemplateColumns = fixed;
    element.dataset.place = place;
    return element;
  }

  function fill(anew) {
    const from = Math.max(0, Math.floor(grid.scrollTop / rowHeight) - rowsBeyond);
    const to = Math.min(model.length, Math.ceil((grid.scrollTop + grid.clientHeight) / rowHeight) + rowsBeyond);
    if (!anew && from === first && to === last) return;
    [first, last] = [from, to];
    const rows = [];
    for (let place = from; place < to; ++place) rows.push(rowAt(place));
    space.replaceChildren(...rows);
  }

  function moveTo(place, column) {
    active = {place: Math.max(0, Math.min(model.length - 1, place)), column: Math.max(0, Math.min(model.columns.length - 1, column))};
    const top = active.place * rowHeight, headHeight = head.offsetHeight, seen = grid.clientHeight - headHeight;
    if (top < grid.scrollTop) grid.scrollTop = top;
    else if (top + rowHeight > grid.scrollTop + seen) grid.scrollTop = top + rowHeight - seen;
    fill(true);
    const cell = space.querySelector("#ask-cell");
    cell?.scrollIntoView({block: "nearest", inline: "nearest"});
    grid.setAttribute("aria-activedescendant", "ask-cell");
  }

  const cellOf = (event) => {
    const cell = event.target.closest("[role=gridcell]"), row = event.target.closest(".row");  // behind the last cell there is only the row
    return row ? {place: Number(row.dataset.place), column: cell ? Number(cell.getAttribute("aria-colindex")) - 1 : 0} : null;
  };
  const act = (what) => {
    if (!model.length) return;
    picked = model.order[active.place];
    fill(true);
    what(model.row(active.place), active.column);
  };
  space.addEventListener("click", (event) => {
    const cell = cellOf(event);
    if (!cell) return;
    active = cell;
    grid.setAttribute("aria-activedescendant", "ask-cell");
    act(open);
  });
  space.addEventListener("dblclick", (event) => { if (cellOf(event)) act(look); });
  grid.addEventListener("scroll", () => fill(false), {passive: true});
  grid.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.target !== grid) return;
    const page = Math.max(1, Math.floor(grid.clientHeight / rowHeight) - 2), {place, column} = active;
    const moves = {ArrowDown: [place + 1, column], ArrowUp: [place - 1, column], ArrowRight: [place, column + 1], ArrowLeft: [place, column - 1],
      PageDown: [place + page, column], PageUp: [place - page, column], Home: [0, column], End: [model.length - 1, column]};
    if (moves[event.key]) moveTo(...moves[event.key]);
    else if (event.key === "Enter") act(event.shiftKey ? look : open);
    else if (event.key === "s") sort(column);
    else return;
    event.preventDefault();
  });
  const watch = new ResizeObserver(() => fill(true));
  watch.observe(grid);
  return {
    element: grid,
    // Another view sorted it, or an address did.
    refresh() { showSorting(); fill(true); },
    // A row of the answer, as the chart picks them.
    pick(row) { picked = row; moveTo(model.placeOf(row), active.column); },
    close: () => watch.disconnect(),
  };
}

function columnWidths(model) {
  const step = Math.max(1, Math.floor(model.length / sampledRows));
  return model.columns.map((column, i) => {
    let letters = column.title.length + 2;
    for (let row = 0; row < model.length; row += step) {
      const [words, quiet] = cellWords(column, model.rows[row][i]);
      letters = Math.max(letters, words.length + (quiet ? quiet.length + 1 : 0));
    }
    return Math.min(mostColumnLetters, letters) + 3;
  });
}
