// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import test from "node:test";
import {extent, linear, logarithmic, logTicks, padded, ticks} from "./axes.js";
import {chartOf, chartWords, chosenChart} from "./chart_choice.js";
import {completed, completionsAt} from "./completion.js";
import {placeOf, placeOfByte} from "./error_place.js";
import {filled, placeholdersIn, valuesIn, valuesOfSelection, withValue} from "./placeholders.js";
import {momentsOf, selectionOf} from "./row_links.js";
import {csvOf, tableModel} from "./table_model.js";
import {tokens} from "./tokens.js";

const column = (name, means = "", about = "") => ({name, means, about, type: "integer"});
const schema = {tables: [
  {name: "thread", about: "Threads", is_function: false, columns: [column("id", "thread"), column("name"), column("wait_ns")]},
  {name: "segment", about: "What each did", is_function: false, columns: [column("thread", "thread"), column("begin_ns", "moment"), column("kind")]},
  {name: "wait_graph", about: "The graph", is_function: true, columns: [column("from_label", "label"), column("own_ns"),
    {...column("from_ns", "moment"), is_given: true}, {...column("to_ns", "moment"), is_given: true}]},
]};
const at = (text) => ({sql: text.replace("|", ""), caret: text.indexOf("|")});
const words = (text, asked) => {
  const {sql, caret} = at(text);
  return completionsAt(sql, caret, schema, asked).items.map((item) => item.word);
};

test("ticks are round, within the range, and no more than asked for", () => {
  assert.deepEqual(ticks(0, 10, 5), [0, 2, 4, 6, 8, 10]);
  assert.deepEqual(ticks(0.13, 0.31, 4), [0.15, 0.2, 0.25, 0.3]);
  for (let i = 0; i < 500; ++i) {
    const low = (Math.random() - 0.5) * 10 ** (Math.random() * 20 - 10), high = low + Math.max(1e-9, Math.abs(low) * 1e-6) * 10 ** (Math.random() * 9), all = ticks(low, high, 6);
    assert.ok(all.length <= 8, `${low} ${high}: ${all.length}`);
    for (const one of all) assert.ok(one >= low - (high - low) * 1e-6 && one <= high + (high - low) * 1e-6);
  }
});
test("a range of nothing has a tick and a middle", () => {
  assert.deepEqual(ticks(3, 3), [3]);
  assert.equal(linear(3, 3, 0, 10)(3), 5);
  assert.deepEqual(extent([NaN, null, Infinity]), {low: 0, high: 1});
  assert.ok(padded({low: 0, high: 0}).high > 0);
});
test("logarithmic ticks are powers of ten, finer where these are few", () => {
  assert.deepEqual(logTicks(1e3, 1e7), [1e3, 1e4, 1e5, 1e6, 1e7]);
  assert.deepEqual(logTicks(1.5e6, 1.2e7), [2e6, 5e6, 1e7]);
  assert.deepEqual(logTicks(0, 5), [0]);
  const place = logarithmic(1, 100, 0, 10);
  assert.equal(place(10), 5);
  assert.equal(place(0), 0, "below the axis");
});

test("SQL falls into its parts, whatever is in them", () => {
  assert.deepEqual(tokens("SELECT 'a''b', \"x\" -- :no\n FROM t WHERE a=:yes").map((token) => [token.kind, token.text]),
    [["word", "SELECT"], ["text", "'a''b'"], ["mark", ","], ["quoted", '"x"'], ["comment", "-- :no"], ["word", "FROM"], ["word", "t"], ["word", "WHERE"],
     ["word", "a"], ["mark", "="], ["placeholder", ":yes"]]);
  for (let i = 0; i < 300; ++i) {
    const text = Array.from({length: 40}, () => "'\"`[]-/*:ab1. \n😀"[Math.floor(Math.random() * 17)]).join("");
    let end = 0;
    for (const token of tokens(text)) {
      assert.ok(token.from >= end && token.to > token.from && token.to <= text.length);
      assert.equal(text.slice(token.from, token.to), token.text);
      end = token.to;
    }
  }
});

test("behind FROM come tables", () => assert.deepEqual(words("SELECT * FROM seg|"), ["segment"]));
test("behind an alias' dot come its columns alone", () => {
  assert.deepEqual(words("SELECT s.| FROM segment s"), ["thread", "begin_ns", "kind"]);
  assert.deepEqual(words("SELECT s.be| FROM thread t, segment AS s"), ["begin_ns"]);
  assert.deepEqual(words("SELECT segment.k| FROM segment"), ["kind"]);
  assert.deepEqual(words("SELECT w.o| FROM wait_graph(0, (1 + 2)) w"), ["own_ns"]);
  assert.deepEqual(words("SELECT nobody.| FROM segment s"), []);
});
test("of the other recording there are the same tables", () => {
  assert.deepEqual(words("SELECT * FROM b.thr|"), ["thread"]);
  assert.deepEqual(words("SELECT x.na| FROM b.thread x"), ["name"]);
});
test("columns of the named tables come first", () => {
  assert.equal(words("SELECT wa| FROM thread")[0], "wait_ns");
  assert.equal(words("SELECT na|")[0], "name", "of all tables while none is named");
});
test("nothing is told in comments, texts, or before a letter, unless it is asked for", () => {
  assert.deepEqual(words("SELECT 'na|' FROM thread"), []);
  assert.deepEqual(words("SELECT 'na| FROM thread"), []);
  assert.deepEqual(words("-- na|"), []);
  assert.deepEqual(words("SELECT | FROM thread"), []);
  assert.equal(words("SELECT | FROM thread", true)[0], "id");
});
test("a word takes the place of what was begun, in the case in which one types keywords", () => {
  const {sql, caret} = at("select na|x FROM thread");
  const found = completionsAt(sql, caret, schema);
  assert.deepEqual(completed(sql, found, found.items[0], "na"), {text: "select name FROM thread", caret: 11});
  assert.equal(completed("sel", {from: 0, to: 3}, {word: "SELECT", kind: "keyword"}, "sel").text, "select");
});

test("placeholders are filled in where they stand, and nowhere else", () => {
  const sql = "SELECT ':no', :a -- :no\nFROM t WHERE x = :b AND y = :a";
  assert.deepEqual(placeholdersIn(sql), ["a", "b"]);
  assert.equal(filled(sql, {a: 7, b: "it's"}).sql, "SELECT ':no', 7 -- :no\nFROM t WHERE x = 'it''s' AND y = 7");
  assert.deepEqual(filled(sql, {a: 7}).missing, ["b"]);
  assert.equal(filled("SELECT :a", {a: "1; DROP"}).sql, "SELECT '1; DROP'", "what is typed in stays a value");
  assert.equal(filled("SELECT :constructor", {}).missing[0], "constructor");
});
test("a place in the filled text is found in the text again", () => {
  const {sql, back} = filled("SELECT :thread, bad FROM t", {thread: 123456789});
  assert.equal(back(sql.indexOf("bad")), "SELECT :thread, ".length);
  assert.equal(back(0), 0);
  assert.equal(back(sql.indexOf("3456")), 7);
});
test("the selection gives values", () => {
  const state = {from: 5, to: null, at: 9};
  assert.deepEqual(valuesOfSelection(state, {kind: "thread", id: 3}, 100, () => 8), {from: 5, to: 100, at: 9, thread: 3, vertex: 8});
  assert.deepEqual(valuesOfSelection({from: null, to: null, at: null}, {kind: "edge", from: 1, to: 2}, 100, () => null),
    {from: 0, to: 100, vertex: 1, from_vertex: 1, to_vertex: 2});
});
test("numbers and texts of a saved question can be changed", () => {
  const sql = "SELECT 1 FROM wait_graph(0, 1000) WHERE kind = 'run' ORDER BY 2 LIMIT 20;", values = valuesIn(sql, schema);
  assert.deepEqual(values.map(({name, text}) => [name, text]), [["from_ns", "0"], ["to_ns", "1000"], ["kind", "run"], ["rows", "20"]]);
  assert.equal(withValue(sql, values[2], "o'k"), sql.replace("'run'", "'o''k'"));
  assert.equal(withValue(sql, values[3], "5"), sql.replace("20;", "5;"));
});

test("places of errors count bytes as SQLite does", () => {
  const sql = "SELECT 'ä😀',\n  nobody";
  const place = placeOfByte(sql, new TextEncoder().encode(sql.slice(0, sql.indexOf("nobody"))).length);
  assert.deepEqual(placeOf(sql, place), {line: 2, column: 3, from: sql.indexOf("nobody"), to: sql.length});
  assert.equal(placeOfByte(sql, -1), -1);
  assert.equal(placeOfByte(sql, 1e6), sql.length);
});

const answer = (titles, rows) => ({columns: titles.map((title) => (typeof title === "string" ? {title, origin: "", means: ""} : title)), rows});
const moved = (model) => Array.from(model.order);

test("rows are sorted by numbers as numbers, nulls last, equal ones as they came", () => {
  const model = tableModel(answer(["name", "n"], [["b", 10], ["a", null], ["c", 9], ["d", 10], ["e", {whole: "9223372036854775807"}]]));
  model.sortBy(1);
  assert.deepEqual(moved(model), [4, 0, 3, 2, 1], "the largest first");
  model.sortBy(1);
  assert.deepEqual(moved(model), [2, 0, 3, 4, 1]);
  model.sortBy(1);
  assert.deepEqual(moved(model), [0, 1, 2, 3, 4], "and as they came");
  model.sortBy(0);
  assert.deepEqual(moved(model), [1, 0, 2, 3, 4]);
  assert.equal(model.placeOf(2), 2);
});
test("100,000 rows are sorted before one notices", () => {
  const rows = Array.from({length: 100_000}, (_, i) => [`thread ${(i * 7919) % 100_003}`, (i * 104_729) % 1_000_003]), model = tableModel(answer(["name", "n"], rows));
  model.sortBy(1);
  for (let i = 1; i < model.length; ++i) assert.ok(model.row(i - 1)[1] >= model.row(i)[1]);
  model.sortBy(0);
  for (let i = 1; i < model.length; ++i) assert.ok(model.row(i - 1)[0] <= model.row(i)[0]);
});
test("CSV is quoted where it must be, in the order that is shown", () => {
  const model = tableModel(answer(["na,me", "n"], [['say "hi"', 1], ["plain", null], ["a,b", 0.1 + 0.2]]));
  assert.equal(csvOf(model), '"na,me",n\n"say ""hi""",1\nplain,\n"a,b",0.3\n');
  model.sortBy(1);
  assert.match(csvOf(model), /^"na,me",n\n"say/);
});

const moment = {title: "begin_ns", origin: "segment.begin_ns", means: "moment"};
test("a chart follows the kinds of the columns", () => {
  assert.deepEqual(chartOf(tableModel(answer(["name", "tid", "wait_ns"].map((title) => (title === "tid" ? {title, origin: "", means: "tid"} : title)), [["a", 7, 1], ["b", 8, 2]]))),
    {kind: "bars", x: 0, y: 2});
  assert.deepEqual(chartOf(tableModel(answer([moment, "n"], [[1, 5], [2, 6]]))), {kind: "lines", x: 0, y: 1});
  assert.deepEqual(chartOf(tableModel(answer([moment, "n"], [[2, 5], [1, 6]]))), {kind: "points", x: 0, y: 1});
  assert.deepEqual(chartOf(tableModel(answer(["name", "run_ns", "wait_ns"], [["a", 5, 9], ["b", 7, 8], ["c", 6, 1]]))), {kind: "bars", x: 0, y: 2}, "by what they are sorted");
  assert.equal(chartOf(tableModel(answer(["name"], [["a"], ["b"]]))), null);
  assert.equal(chartOf(tableModel(answer(["n"], [[1]]))), null);
  assert.equal(chartOf(tableModel(answer(["name", "n"], [["a", null], ["b", null]]))), null);
});
test("an address chooses another chart, if the answer has such columns", () => {
  const model = tableModel(answer(["name", "n"], [["a", 1], ["b", 2]]));
  assert.deepEqual(chosenChart(model, "points:1:1"), {kind: "points", x: 1, y: 1});
  assert.equal(chosenChart(model, chartWords(null)), null);
  for (const words of ["bars:0:0", "bars:0:9", "pies:0:1", "", undefined]) assert.equal(chosenChart(model, words), undefined);
});

const threadColumn = (title, origin = "segment.thread") => ({title, origin, means: "thread"});
const known = {end_ns: 1000, vertexOfLabel: (label) => ({web: 4, db: 5})[label], threadOfTid: (tid) => ({77: 12})[tid], processOfPid: (pid) => ({9: 3})[pid]};
test("a row is about its thread at its moment", () => {
  const columns = [threadColumn("thread"), moment, {title: "end_ns", origin: "segment.end_ns", means: "moment"}];
  assert.deepEqual(selectionOf(columns, [3, 100, 200], 0, known), {sel: "thread:3", at: 100, closely: {from: 0, to: 350}});
  assert.deepEqual(selectionOf(columns, [3, 900, 990], 1, known).closely, {from: 765, to: 1000}, "no further than the recording");
  assert.deepEqual(selectionOf([threadColumn("thread")], [3], 0, known), {sel: "thread:3", at: null, closely: null});
});
test("of several threads the clicked one counts", () => {
  const columns = [threadColumn("waker", "segment.waker"), threadColumn("thread")];
  assert.equal(selectionOf(columns, [1, 2], 0, known).sel, "thread:1");
  assert.equal(selectionOf(columns, [1, 2], null, known).sel, "thread:2");
  assert.equal(selectionOf(columns, [null, 2], 0, known).sel, "thread:2");
});
test("an edge is shown at its end, where its thread went on", () => {
  const columns = [threadColumn("from_thread", "edge.from_thread"), {title: "from_ns", origin: "edge.from_ns", means: "moment"}, threadColumn("to_thread", "edge.to_thread"),
    {title: "to_ns", origin: "edge.to_ns", means: "moment"}];
  const told = selectionOf(columns, [1, 10, 2, 30], null, known);
  assert.deepEqual([told.sel, told.at], ["thread:2", 30]);
});
test("labels are graph nodes, two of them a wait", () => {
  const label = (title) => ({title, origin: "wait_graph." + title, means: "label"});
  assert.equal(selectionOf([label("from_label"), label("to_label")], ["web", "db"], 0, known).sel, "edge:4>5");
  assert.equal(selectionOf([label("from_label")], ["web"], 0, known).sel, "vertex:4");
  assert.equal(selectionOf([label("from_label")], ["<b>"], 0, known), null);
});
test("the kernel's numbers are found by what is known of the recording", () => {
  assert.equal(selectionOf([{title: "tid", origin: "thread.tid", means: "tid"}], [77], 0, known).sel, "thread:12");
  assert.equal(selectionOf([{title: "pid", origin: "thread.pid", means: "pid"}], [9], 0, known).sel, "process:3");
  assert.equal(selectionOf([{title: "tid", origin: "thread.tid", means: "tid"}], [78], 0, known), null);
});
test("rows of the other recording select nothing here", () => {
  assert.equal(selectionOf([{...threadColumn("thread"), of_second: true}, {...moment, of_second: true}], [3, 4], 0, known), null);
});
test("what no row should hold selects nothing", () => {
  for (const value of [-1, 1.5, "7", null, {whole: "9007199254740993"}]) assert.equal(selectionOf([threadColumn("thread")], [value], 0, known), null);
  assert.deepEqual(momentsOf([moment], ["soon"]), {at: null, from: null, to: null});
});
