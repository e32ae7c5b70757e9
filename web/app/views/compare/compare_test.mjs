// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import test from "node:test";
import {edgesChanged, findingsBy, rate, signedRate, usesBy} from "./model.js";

const use = (name, before, after, in_scope = true) => ({name, in_scope, before: {run: before, wait: 0}, after: {run: after, wait: 0}});

test("what changed most comes first, and what is nothing is left out", () => {
  const uses = [use("a", 0.5, 0.4), use("b", 0.1, 0.9), use("c", 0, 0), use("kernel", 1, 0, false)];
  assert.deepEqual(usesBy(uses, "run").map((one) => one.name), ["b", "a"]);
  assert.deepEqual(usesBy(uses, "run", {onlyScope: false}).map((one) => one.name), ["kernel", "b", "a"]);
  assert.deepEqual(usesBy(uses, "run", {filter: "A"}).map((one) => one.name), ["a"]);
  assert.deepEqual(usesBy(uses, "wait"), []);
});
test("waits that hardly changed are noise", () => {
  const edge = (from, change, in_scope = true) => ({from, to: "disk", change, in_scope});
  assert.deepEqual(edgesChanged([edge("a", -0.5), edge("b", 0.0001), edge("c", 0.2, false)]).map((one) => one.from), ["a"]);
});
test("rates are told in a second's parts", () => {
  assert.deepEqual([0, 0.00001, 0.0042, 0.12, 3.4].map(rate), ["0", "0", "4.2 ms/s", "120 ms/s", "3.40 s/s"]);
  assert.deepEqual([0.1, -0.1, 0].map(signedRate), ["+100 ms/s", "−100 ms/s", "0"]);
});
test("findings are told by what became of them", () => {
  const told = findingsBy([{change: "new"}, {change: "gone"}, {change: "new"}]);
  assert.deepEqual(told.map((part) => [part.change, part.findings.length]), [["gone", 1], ["new", 2], ["stays", 0]]);
});
