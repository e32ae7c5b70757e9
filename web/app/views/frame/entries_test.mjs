// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import {test} from "node:test";
import {entriesOf, heaviest, inOrderOf, unitKey} from "./entries.js";

const answer = {what: "waits", units: {kind: ["unit", "unit", "thing"], number: [0, 4, 9], name: ["front/10", "store/20", "disk"], node: [0, 1, 1]},
  entries: {from: [0, 1, 1], to: [1, 2, 1], amount: [30, 5, 2], weight_ns: [30, 25, 2], count: [10, 3, 1]}};

test("rows and columns add up", () => {
  const {units, entries} = entriesOf(answer);
  assert.deepEqual(units.map((unit) => [unit.name, unit.out, unit.in]), [["front/10", 30, 0], ["store/20", 7, 32], ["disk", 0, 5]]);
  assert.equal(entries.length, 3);
  assert.deepEqual(entriesOf(answer, {weigh: "cascaded"}).units.map((unit) => unit.out), [30, 27, 0]);
});

test("a filter keeps what one of its ends passes", () => {
  const {units, entries} = entriesOf(answer, {finds: (unit) => unit.name.startsWith("front")});
  assert.deepEqual(units.map((unit) => unit.name), ["front/10", "store/20"]);
  assert.deepEqual(entries, [{from: 0, to: 1, amount: 30, count: 10}]);
});

test("a frame's units stand in the order of the whole", () => {
  const units = [{kind: "unit", number: 1, name: "b"}, {kind: "unit", number: 0, name: "a"}, {kind: "outside", number: -1, name: "new"}].map((unit) => ({...unit, key: unitKey(unit)}));
  assert.deepEqual(inOrderOf(["unit:0", "unit:7", "unit:1"], units).map((i) => units[i].name), ["a", "b", "new"]);
});

test("the heaviest entries are drawn", () => {
  const [drawn, rest] = heaviest([{amount: 1}, {amount: 9}, {amount: 5}], 2);
  assert.deepEqual([drawn.map((one) => one.amount), rest.map((one) => one.amount)], [[9, 5], [1]]);
});
