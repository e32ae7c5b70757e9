// SPDX-License-Identifier: Apache-2.0
// The answer to a question: how many rows, their picture, and the rows themselves.
import {button, chooser, make, nothing} from "../../elements.js";
import {count, counted} from "../../words.js";
import {chartOf, chartWords, chosenChart} from "./chart_choice.js";
import {drawChart} from "./charts.js";
import {selectionOf} from "./row_links.js";
import {csvOf, tableModel} from "./table_model.js";
import {virtualTable} from "./virtual_table.js";

const cutWords = {rows: "There are more rows than are shown. A WHERE or a LIMIT asks for fewer.", bytes: "The rest would be too much for a page. Ask for fewer rows or columns."};

// known: known.js, or a promise's later result by `know`. The result is {element, update(state), know(known), close}.
export function showAnswer(answer, took_ms, app, known) {
  const model = tableModel(answer);
  const toTimeline = app.has("timeline"), canLead = model.columns.some((column) => column.means && !column.of_second);
  let chart = null, drawn = null;

  const selectionOfRow = (row, column) => selectionOf(model.columns, row, column, known);
  function open(row, column) {
    const found = selectionOfRow(row, column);
    if (!found) return app.announce("This row is about nothing that another view shows.");
    app.set({sel: found.sel ?? app.state.sel, at: found.at});
  }
  function look(row, column) {
    const found = selectionOfRow(row, column);
    if (!found) return;
    app.go(toTimeline ? "timeline" : "overview", {sel: found.sel ?? app.state.sel, at: found.at, ...(found.closely ?? {})});
  }
  const leads = (column, cell) => cell !== null && Boolean(column.means) && !column.of_second && column.means !== "moment" && column.means !== "finding";
  const table = model.length ? virtualTable(model, {open, look, links: leads, sorted: () => {
    app.set({"ask.sort": model.sortedBy === null ? null : `${model.sortedBy}:${model.down ? "down" : "up"}`}, {replace: true});
    if (chart?.kind === "bars") draw();
  }}) : null;
  const pick = (row) => { table.pick(row); open(model.rows[row], null); };

  const said = make("span", {role: "status"}, `${counted(model.length, "row")} in ${took_ms < 10 ? took_ms.toFixed(1) : count(Math.round(took_ms))} ms`);
  const copied = make("span", {class: "quiet", role: "status"}), spare = make("textarea", {class: "spare", readonly: "", "aria-label": "The rows as CSV", hidden: ""});
  const copy = button("Copy as CSV", async () => {
    const csv = csvOf(model);
    try {
      await navigator.clipboard.writeText(csv);
      copied.textContent = "copied";
    } catch {
      copied.textContent = "select it here";
      spare.hidden = false;
      spare.value = csv;
      spare.select();
    }
  });
  const place = make("div", {class: "picture"}), tools = make("div", {class: "tools"});
  const notes = [cutWords[answer.cut], answer.cut_cells ? `${counted(answer.cut_cells, "text")} longer than 4 KiB ${answer.cut_cells === 1 ? "is" : "are"} cut.` : ""].filter(Boolean);

  function draw() {
    drawn?.close();
    drawn = chart ? drawChart(model, chart, app, pick) : null;
    place.replaceChildren(...(drawn ? [drawn.element] : []));
    place.hidden = !drawn;
  }
  function showTools() {
    const usual = chartOf(model), amounts = model.columns.map((column, i) => [i, column]).filter(([, column]) => column.kind === "number");
    if (!amounts.length || model.length < 2) return tools.replaceChildren();
    const set = (changes) => app.set({"ask.chart": chartWords({...(chart ?? usual ?? {kind: "bars", x: 0, y: amounts[0][0]}), ...changes})}, {replace: true});
    tools.replaceChildren(chooser("Picture", [["none", "none"], ["bars", "bars"], ["lines", "line"], ["points", "points"]], chart?.kind ?? "none", (kind) => set({kind}), {id: "ask-kind"}),
      ...(chart ? [chooser("of", amounts.map(([i, column]) => [i, column.title]), chart.y, (y) => set({y: Number(y)}), {id: "ask-y"}),
        chooser("by", model.columns.map((column, i) => [i, column.title]), chart.x, (x) => set({x: Number(x)}), {id: "ask-x"})] : []));
  }
  function update(state) {
    const wanted = chosenChart(model, state["ask.chart"]), next = wanted === undefined ? chartOf(model) : wanted;
    if (drawn === null || chartWords(next) !== chartWords(chart)) {
      chart = next;
      draw();
    }
    showTools();
    const match = /^(\d{1,3}):(up|down)$/.exec(state["ask.sort"] ?? ""), by = match ? Number(match[1]) : null;
    if (table && by !== null && by < model.columns.length && (model.sortedBy !== by || model.down !== (match[2] === "down"))) {
      model.sortBy(by);
      if (model.down !== (match[2] === "down")) model.sortBy(by);
      table.refresh();
      if (chart?.kind === "bars") draw();
    }
  }
  const element = make("div", {class: "card answered"},
    make("div", {class: "told"}, said, ...(model.length ? [copy, copied] : []), tools),
    notes.map((note) => make("p", {class: "note"}, note)), spare, place,
    table ? [table.element, make("p", {class: "quiet hint"}, canLead ? `A click or Enter selects what a row is about${toTimeline ? "; a double click or Shift+Enter shows it on the timeline" : ""}. s sorts by the column.` : "s sorts by the column.")]
      : nothing("No rows. The question was understood; nothing in the recording fits it."));
  return {
    element, update, length: model.length,
    know(more) { known = more; },
    close() { drawn?.close(); table?.close(); },
  };
}
