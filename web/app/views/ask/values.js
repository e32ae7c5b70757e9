// SPDX-License-Identifier: Apache-2.0
// The values of answers in words: numbers in groups, and lengths of time also as one would say them.
import {count, nanoseconds, nanosecondsIn} from "../../words.js";
import {isLarge, textOf} from "./table_model.js";

export const isLength = (column) => /(^|_)ns$/.test(column.title) && column.means !== "moment";
const plain = new Set(["tid", "pid", "thread", "vertex", "finding"]);

function numberWords(column, value) {
  if (plain.has(column.means) || /(^|_)(id|tid|pid|port|line|sector|sequence)$/.test(column.title)) return String(value);
  return Number.isInteger(value) ? count(value) : String(Number(value.toPrecision(6)));
}

// [what stands in a cell, what stands behind it in grey]
export function cellWords(column, cell) {
  if (cell === null || cell === undefined) return ["", ""];
  if (isLarge(cell)) return [textOf(cell).replace(/\B(?=(\d{3})+$)/g, ","), ""];
  if (typeof cell !== "number") return [cell, ""];
  return [numberWords(column, cell), isLength(column) && cell >= 1000 ? nanoseconds(cell) : ""];
}

// On an axis and beside a bar.
export function amountWords(column, value, step) {
  if (column.means === "moment") return nanosecondsIn(value, step ?? 1);
  if (isLength(column)) return value < 0 ? "−" + nanoseconds(-value) : nanoseconds(value);
  if (step) return count(Number(value.toPrecision(12)));
  return numberWords(column, value);
}

export const hintOf = (column) => ({thread: "leads to the thread", vertex: "leads to the graph's node", label: "leads to the graph's node", moment: "nanoseconds since the recording's start",
  tid: "leads to the thread", pid: "leads to the process", container: "leads to the container", node: "leads to the node"})[column.means] ?? "";

// A row's name: its texts together.
export function rowName(model, row) {
  const texts = model.columns.map((column, i) => (column.kind === "text" ? textOf(row[i]) : "")).filter(Boolean);
  return [...new Set(texts)].slice(0, 3).join(" · ");
}
