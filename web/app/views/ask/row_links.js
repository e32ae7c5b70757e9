// SPDX-License-Identifier: Apache-2.0
// What a row is about, as a selection that all views share. The server tells what columns mean (query/column_meaning.h); of
// several threads in a row the clicked one counts, else the one whose turn it was.

const usualThread = ["thread", "to_thread", "id", "waker", "from_thread"];
const number = (value) => typeof value === "number" && Number.isInteger(value) && value >= 0;

// Of this recording alone: b.thread has other numbers.
const columnsOf = (columns, means) => columns.map((column, i) => ({...column, i})).filter((column) => column.means === means && !column.of_second);

function threadOf(columns, row, clicked, known) {
  const threads = columnsOf(columns, "thread").filter((column) => number(row[column.i]));
  const chosen = threads.find((column) => column.i === clicked)
    ?? usualThread.map((name) => threads.find((column) => column.origin.endsWith("." + name) || column.title === name)).find(Boolean) ?? threads[0];
  if (chosen) return row[chosen.i];
  for (const column of columnsOf(columns, "tid")) {
    const thread = known.threadOfTid?.(row[column.i], nodeOf(columns, row), momentsOf(columns, row).at);
    if (number(thread)) return thread;
  }
  return null;
}

function nodeOf(columns, row) {
  const column = columnsOf(columns, "node")[0];
  return column ? row[column.i] : null;
}

// By two labels or two numbers of vertices.
function edgeOf(columns, row, known) {
  const ends = {};
  for (const column of [...columnsOf(columns, "label"), ...columnsOf(columns, "vertex")]) {
    const value = column.means === "vertex" ? row[column.i] : known.vertexOfLabel?.(row[column.i]);
    const name = `${column.origin} ${column.title}`;
    if (!number(value)) continue;
    if (/\bfrom_(label|vertex)\b/.test(name)) ends.from = value;
    else if (/\bto_(label|vertex)\b/.test(name)) ends.to = value;
  }
  return number(ends.from) && number(ends.to) ? ends : null;
}

function vertexOf(columns, row, clicked, known) {
  const all = [...columnsOf(columns, "vertex"), ...columnsOf(columns, "label")];
  for (const column of all.filter((one) => one.i === clicked).concat(all)) {
    const value = column.means === "vertex" ? row[column.i] : known.vertexOfLabel?.(row[column.i]);
    if (number(value)) return value;
  }
  return null;
}

// {at, from, to}: the moment, and the stretch if the row tells one.
export function momentsOf(columns, row) {
  const moments = columnsOf(columns, "moment").filter((column) => number(row[column.i]));
  const named = (...names) => names.map((name) => moments.find((column) => column.title === name || column.origin.endsWith("." + name))).find(Boolean);
  const begin = named("begin_ns", "from_ns"), end = named("end_ns", "to_ns"), told = {at: null, from: null, to: null};
  if (begin && end && row[end.i] > row[begin.i]) Object.assign(told, {from: row[begin.i], to: row[end.i]});
  const isEdge = begin?.origin === "edge.from_ns" || begin?.title === "from_ns";
  const at = isEdge ? end ?? begin : begin ?? named("ns") ?? end ?? moments[0];
  if (at) told.at = row[at.i];
  return told;
}

const around = 4;  // a stretch fills a quarter of the view: what led to it and what followed stand beside it
const around_ns = 100_000;  // of a moment alone

// {sel, at} and, to look at it closely, {from, to}; null if the row is about nothing that can be shown. `known`: threadOfTid(tid,
// node, at), vertexOfLabel(label), processOfPid(pid, node), containerOf(name), nodeOf(name), end_ns.
export function selectionOf(columns, row, clicked, known) {
  const {at, from, to} = momentsOf(columns, row);
  const selection = {sel: selOf(columns, row, clicked, known), at};
  if (selection.sel === null && at === null) return null;
  if (at === null) return {...selection, closely: null};
  const length = from === null ? around_ns : to - from, middle = from === null ? at : (from + to) / 2;
  const begin = Math.max(0, Math.round(middle - (length * around) / 2));
  return {...selection, closely: {from: begin, to: Math.max(begin + 1, Math.min(known.end_ns ?? Infinity, Math.round(middle + (length * around) / 2)))}};
}

function selOf(columns, row, clicked, known) {
  const means = columns[clicked]?.of_second ? "" : columns[clicked]?.means;
  const simple = {pid: ["process", known.processOfPid], container: ["container", known.containerOf], node: ["node", known.nodeOf]};
  if (simple[means]) {
    const [kind, find] = simple[means], id = find?.(row[clicked], nodeOf(columns, row));
    if (number(id)) return `${kind}:${id}`;
  }
  if (means === "thread" && number(row[clicked])) return `thread:${row[clicked]}`;
  const edge = edgeOf(columns, row, known);
  if (edge) return `edge:${edge.from}>${edge.to}`;
  const thread = threadOf(columns, row, clicked, known);
  if (thread !== null) return `thread:${thread}`;
  const vertex = vertexOf(columns, row, clicked, known);
  if (vertex !== null) return `vertex:${vertex}`;
  for (const [kind, name] of [["process", "pid"], ["container", "container"], ["node", "node"]]) {
    const column = columnsOf(columns, name)[0], id = column ? simple[name][1]?.(row[column.i], nodeOf(columns, row)) : null;
    if (number(id)) return `${kind}:${id}`;
  }
  return null;
}
