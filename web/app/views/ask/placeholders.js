// SPDX-License-Identifier: Apache-2.0
// :name in a question stands for a value: of the selection that all views share (:from, :to, :at, :thread, :vertex, :from_vertex,
// :to_vertex), or one that is typed in. They are filled in before the question is asked, so that what is asked is plain SQL that
// gordian query takes, too. And the numbers of a saved question that one may want to change.
import {tokens} from "./tokens.js";

export const ofSelection = ["from", "to", "at", "thread", "vertex", "from_vertex", "to_vertex"];

// Each once, without its colon, in order.
export const placeholdersIn = (sql) => [...new Set(tokens(sql).filter((token) => token.kind === "placeholder").map((token) => token.text.slice(1)))];

// Their values; of the selection those it has. `vertexOf`: (thread's id) → vertex or null.
export function valuesOfSelection(state, selected, end_ns, vertexOf) {
  const values = {from: state.from ?? 0, to: state.to ?? end_ns};
  if (state.at !== null) values.at = state.at;
  if (selected?.kind === "thread" || selected?.kind === "device") {
    values.thread = selected.id;
    const vertex = vertexOf(selected.id);
    if (vertex !== null) values.vertex = vertex;
  }
  if (selected?.kind === "vertex") values.vertex = selected.id;
  if (selected?.kind === "edge") {
    values.from_vertex = values.vertex = selected.from;
    values.to_vertex = selected.to;
  }
  return values;
}

const numeric = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d+)?$/i;
export const literal = (value) => (typeof value === "number" || numeric.test(value) ? String(value) : `'${String(value).replaceAll("'", "''")}'`);

// {sql, missing: names without a value, back: (place in the filled text) → place in the text}
export function filled(sql, values) {
  const missing = [], shifts = [];
  let text = "", end = 0;
  for (const token of tokens(sql)) {
    if (token.kind !== "placeholder") continue;
    const name = token.text.slice(1), value = Object.hasOwn(values, name) ? values[name] : undefined;
    if (value === undefined || value === null || value === "") {
      if (!missing.includes(name)) missing.push(name);
      continue;
    }
    const word = literal(value);
    text += sql.slice(end, token.from);
    shifts.push({from: text.length, length: word.length, origin: token.from, originLength: token.to - token.from});
    text += word;
    end = token.to;
  }
  text += sql.slice(end);
  const back = (place) => {
    let moved = 0;
    for (const shift of shifts) {
      if (place < shift.from) break;
      if (place < shift.from + shift.length) return shift.origin;
      moved = shift.origin + shift.originLength - shift.from - shift.length;
    }
    return place + moved;
  };
  return {sql: text, missing, back};
}

// Numbers that stand behind LIMIT or in a function of the schema, and texts that something is compared with: {from, to, name, text}.
export function valuesIn(sql, schema) {
  const list = tokens(sql).filter((token) => token.kind !== "comment"), found = [];
  const tables = new Map(schema.tables.filter((table) => table.is_function).map((table) => [table.name, table.columns.filter((column) => column.is_given)]));
  const openCalls = [];
  for (let i = 0; i < list.length; ++i) {
    const token = list[i], before = list[i - 1], call = openCalls.at(-1);
    if (token.text === "(") openCalls.push({given: tables.get(before?.text.toLowerCase()) ?? null, place: 0});
    else if (token.text === ")") openCalls.pop();
    else if (token.text === "," && call) ++call.place;
    if (token.kind !== "number" && token.kind !== "text") continue;
    const value = {from: token.from, to: token.to, text: token.kind === "text" ? token.text.slice(1, -1).replaceAll("''", "'") : token.text};
    if (token.kind === "number" && /^limit$/i.test(before?.text ?? "")) found.push({...value, name: "rows"});
    else if (call?.given) found.push({...value, name: call.given[call.place]?.name ?? `value ${call.place + 1}`});
    else if (/^([=<>]|like)$/i.test(before?.text ?? "")) {
      const name = list.slice(0, i - 1).reverse().find((one) => one.kind === "word");
      if (name) found.push({...value, name: name.text});
    }
  }
  return found;
}

export const withValue = (sql, value, text) => sql.slice(0, value.from) + literal(text) + sql.slice(value.to);
