// SPDX-License-Identifier: Apache-2.0
// Which picture shows an answer: bars of names, lines over time, or points of two numbers. A guess that one may overrule.
import {numberOf} from "./table_model.js";

// Numbers that stand for something are no amounts.
const identities = new Set(["thread", "vertex", "tid", "pid", "finding"]);
const identityNames = /^(id|tid|pid|cpu|rank|depth|number|stack|object|flow|port|line|sector|sequence|node_number)$/i;

export const isAmount = (column) => column.kind === "number" && !identities.has(column.means) && column.means !== "moment" && !identityNames.test(column.title);
export const isMoment = (column) => column.kind === "number" && column.means === "moment";
export const isName = (column) => column.kind === "text";
const mostBars = 60;

// {kind: bars, lines, points; x, y: columns} or null where there is nothing to draw.
export function chartOf(model) {
  const {columns} = model, find = (fits) => columns.findIndex(fits);
  if (model.length < 2) return null;
  const amount = amountOf(model), moment = find(isMoment), name = find(isName);
  const second = columns.findIndex((column, i) => i !== amount && isAmount(column));
  if (moment >= 0 && amount >= 0) return {kind: risesBy(model, moment) ? "lines" : "points", x: moment, y: amount};
  if (name >= 0 && amount >= 0 && model.length <= mostBars) return {kind: "bars", x: name, y: amount};
  if (amount >= 0 && second >= 0 && model.length > mostBars) return {kind: "points", x: amount, y: second};
  if (name >= 0 && amount >= 0) return {kind: "bars", x: name, y: amount};
  const number = columns.findIndex((column, i) => column.kind === "number" && i !== amount && !isAmount(column));
  if (amount >= 0 && number >= 0) return model.length <= mostBars ? {kind: "bars", x: number, y: amount} : {kind: "points", x: number, y: amount};
  if (amount >= 0 && second >= 0) return {kind: "points", x: amount, y: second};
  return null;
}

// The one by which the rows fall from the first on: they were sorted for its sake. Else the first.
function amountOf(model) {
  const amounts = model.columns.map((column, i) => (isAmount(column) ? i : -1)).filter((i) => i >= 0);
  const falls = (i) => model.rows.every((row, at) => at === 0 || numberOf(row[i]) <= numberOf(model.rows[at - 1][i]));
  const varies = (i) => numberOf(model.rows[0][i]) !== numberOf(model.rows.at(-1)[i]);
  return amounts.find((i) => varies(i) && falls(i)) ?? amounts[0] ?? -1;
}

// Whether that column rises from row to row, as the answer has them: then a line joins neighbours.
function risesBy(model, column) {
  let before = -Infinity;
  for (const row of model.rows) {
    const value = numberOf(row[column]);
    if (!(value > before)) return false;
    before = value;
  }
  return true;
}

// What an address says about the chart: "bars:0:2"; null if the answer has no such columns.
export function chosenChart(model, words) {
  const match = /^(bars|lines|points|none):(\d{1,3}):(\d{1,3})$/.exec(words ?? "");
  if (!match) return undefined;
  const [, kind, x, y] = match;
  if (kind === "none") return null;
  const isThere = Number(x) < model.columns.length && model.columns[Number(y)]?.kind === "number";
  return isThere ? {kind, x: Number(x), y: Number(y)} : undefined;
}
export const chartWords = (chart) => (chart ? `${chart.kind}:${chart.x}:${chart.y}` : "none:0:0");
