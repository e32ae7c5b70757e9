// SPDX-License-Identifier: Apache-2.0
// What is under the pointer, in words.
import {stateWords} from "../../colours.js";
import {nanoseconds, nanosecondsIn, percent} from "../../words.js";
import {kinds, lastAtMost, nobody} from "./answers.js";
import {stateName} from "./paint.js";

// Of a thread or device, by its id; null if the page does not know it.
function entityName({units, place}, id) {
  const i = place.get(id);
  if (i !== undefined) return `${units.threads.name[i]} ${units.threads.tid[i]}`;
  return units.devices.find((one) => one.id === id)?.name ?? null;
}

function cellWords(row, cell, waker) {
  const isDevice = row.kind === "device";
  const parts = [1, 4, 2, 3, 0].filter((kind) => cell.shares[kind] > 0).map((kind) => {
    const words = isDevice ? (kind === 1 ? "busy" : "idle") : stateWords[stateName(kind, cell.cause)] ?? kinds[kind];
    return `${words} ${percent(cell.shares[kind] / 255)}`;
  });
  return `${row.label}: ${parts.join(", ")}${waker && !isDevice ? `; longest for ${waker}` : ""}`;
}

// step: nanoseconds of a pixel. Empty if nothing is known of that moment.
export function wordsAt({row, time, step, hierarchy, exact, sheets}) {
  const at = nanosecondsIn(time, step), own = row.kind === "thread" ? exact.get(row.id) : null;
  if (own && time >= own.from && time < own.to) {
    const {columns} = own, i = lastAtMost(columns.start, time, own.begin, own.end);
    if (i < own.begin || columns.end[i] <= time) return "";
    const waker = columns.waker[i] === nobody ? null : entityName(hierarchy, columns.waker[i]);
    return `${row.label} ${stateWords[stateName(columns.kind[i], columns.cause[i])]} for ${nanoseconds(columns.end[i] - columns.start[i])}${waker ? `, until ${waker} ended it` : ""}\n${at}`;
  }
  const cell = sheets.cellAt(row.key, time);
  if (!cell) return "";
  return `${cellWords(row, cell, cell.waker === nobody ? null : entityName(hierarchy, cell.waker))}\n${at}, of ${nanoseconds(cell.to - cell.from)}`;
}
