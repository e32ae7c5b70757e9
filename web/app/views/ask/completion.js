// SPDX-License-Identifier: Apache-2.0
// What may come next in a question: tables behind FROM, the columns of what an alias stands for behind its dot, and else the
// columns of the tables that the question names, before all others.
import {nameOf, tokens} from "./tokens.js";

const keywords = ["SELECT", "FROM", "WHERE", "GROUP BY", "ORDER BY", "LIMIT", "JOIN", "LEFT JOIN", "ON", "AS", "AND", "OR", "NOT", "IN", "BETWEEN", "LIKE",
  "IS NULL", "IS NOT NULL", "HAVING", "DISTINCT", "DESC", "ASC", "CASE", "WHEN", "THEN", "ELSE", "END", "WITH", "UNION ALL", "USING", "EXISTS"];
const functions = ["count", "sum", "avg", "min", "max", "total", "round", "abs", "coalesce", "iif", "length", "lower", "upper", "substr", "instr", "printf",
  "row_number", "rank", "lag", "lead", "ntile", "group_concat"];
const mostShown = 12;
// Words that end a table's name: what follows it is no alias.
const noAlias = new Set(["where", "group", "order", "limit", "join", "left", "inner", "cross", "natural", "on", "using", "union", "having", "as", "window"]);

// {alias or name → table} of all that stands behind FROM, JOIN, or a comma between these.
export function tablesIn(list, schema) {
  const known = new Map(schema.tables.map((table) => [table.name, table])), found = new Map();
  for (let i = 0; i < list.length; ++i) {
    const isName = list[i].kind === "word" || list[i].kind === "quoted";
    if (!isName || !known.has(nameOf(list[i])) || list[i + 1]?.text === ".") continue;
    let before = i - 1;
    if (list[before]?.text === "." && nameOf(list[before - 1] ?? {text: ""}) === "b") before -= 2;
    if (!/^(from|join|,)$/i.test(list[before]?.text ?? "")) continue;
    const table = known.get(nameOf(list[i]));
    let next = i + 1;
    if (list[next]?.text === "(") {
      for (let depth = 0; next < list.length; ++next) {
        if (list[next].text === "(") ++depth;
        if (list[next].text === ")" && --depth === 0) break;
      }
      ++next;
    }
    if (/^as$/i.test(list[next]?.text ?? "")) ++next;
    const alias = list[next];
    const isAlias = alias && (alias.kind === "word" || alias.kind === "quoted") && !noAlias.has(nameOf(alias));
    found.set(isAlias ? nameOf(alias) : table.name, table);
  }
  return found;
}

const columnItem = (table) => (column) => ({word: column.name, kind: "column", of: table.name, about: column.about});
const tableItem = (table) => ({word: table.name, kind: table.is_function ? "function" : "table", about: table.about});

function matching(items, begun) {
  const wanted = begun.toLowerCase(), seen = new Set(), first = [], later = [];
  for (const item of items) {
    const word = item.word.toLowerCase();
    if (seen.has(word) || word === wanted) continue;
    seen.add(word);
    if (word.startsWith(wanted)) first.push(item);
    else if (wanted.length > 1 && word.includes(wanted)) later.push(item);
  }
  return [...first, ...later].slice(0, mostShown);
}

// {from, to, items: [{word, kind, of, about}]}: `from` to `to` is what a chosen word takes the place of. asked: somebody wants to
// see what there is; else nothing is told before a letter is typed.
export function completionsAt(sql, caret, schema, asked = false) {
  const list = tokens(sql).filter((token) => token.kind !== "comment"), none = {from: caret, to: caret, items: []};
  if (tokens(sql).some((token) => (token.kind === "comment" || token.kind === "text") && token.from < caret && caret <= token.to - (token.kind === "text" ? 1 : 0))) return none;
  const at = list.findIndex((token) => token.kind === "word" && token.from < caret && caret <= token.to);
  const place = at >= 0 ? at : list.filter((token) => token.to <= caret).length;
  const begun = at >= 0 ? sql.slice(list[at].from, caret) : "", from = at >= 0 ? list[at].from : caret, to = at >= 0 ? list[at].to : caret;
  const before = list[place - 1], named = tablesIn(list, schema);
  const told = (items) => ({from, to, items: matching(items, begun)});
  if (before?.text === "." && list[place - 2]) {
    const owner = nameOf(list[place - 2]);
    if (named.has(owner)) return told(named.get(owner).columns.map(columnItem(named.get(owner))));
    return owner === "b" || owner === "main" ? told(schema.tables.map(tableItem)) : none;
  }
  if (!begun && !asked) return none;
  if (/^(from|join)$/i.test(before?.text ?? "")) return told(schema.tables.map(tableItem));
  const aliases = [...named].filter(([name, table]) => name !== table.name).map(([name, table]) => ({word: name, kind: "alias", about: `stands for ${table.name}`}));
  return told([
    ...aliases, ...[...named.values()].flatMap((table) => table.columns.filter((column) => !column.is_given).map(columnItem(table))),
    ...keywords.map((word) => ({word, kind: "keyword", about: ""})), ...functions.map((word) => ({word, kind: "function", about: "of SQL"})),
    ...schema.tables.map(tableItem), ...(named.size ? [] : schema.tables.flatMap((table) => table.columns.map(columnItem(table)))),
  ]);
}

// The text and the caret with the word in its place. Keywords follow the case in which one types.
export function completed(sql, found, item, begun) {
  const small = item.kind === "keyword" && /^[a-z]/.test(begun);
  const word = small ? item.word.toLowerCase() : item.word;
  return {text: sql.slice(0, found.from) + word + sql.slice(found.to), caret: found.from + word.length};
}
