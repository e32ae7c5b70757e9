// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import {test} from "node:test";
import {askOr, finder, isWithin, pathOf, selOf} from "./unit_lists.js";

const units = {
  racks: [{name: "r1"}, {name: "r2"}], nodes: [{name: "web", rack: 0}, {name: "db", rack: 1}], containers: [{name: "shop", node: 0}],
  processes: [{name: "front", pid: 10, node: 0, container: 0}, {name: "store", pid: 20, node: 1, container: -1}],
  threads: {id: [0, 5, 7], tid: [10, 20, 21], process: [0, 1, 1], name: ["front", "store", "worker"]},
};
const names = (level, number) => pathOf(units, level, number).map((part) => part.name).join(" › ");

test("a unit's path leads from its rack to itself", () => {
  assert.equal(names("thread", 7), "r2 › db › store › worker");
  assert.equal(names("process", 0), "r1 › web › shop › front");
  assert.equal(names("container", 2), "r2 › db › outside of containers");
  assert.equal(names("node", 0), "r1 › web");
  assert.equal(names("thread", 99), "");
});

test("a filter finds units by what they belong to", () => {
  const finds = finder(units, " DB ");
  assert.ok(finds("process", 1) && finds("thread", 7));
  assert.ok(!finds("process", 0));
  assert.ok(finder(units, "")("process", 0));
  assert.ok(finder(null, "fro")("process", 0, "front/10"), "without the hierarchy by its name alone");
});

test("what is selected holds its parts", () => {
  assert.ok(isWithin(units, "thread", 7, "node:1"));
  assert.ok(isWithin(units, "process", 1, "process:1"));
  assert.ok(!isWithin(units, "process", 1, "node:0"));
  assert.ok(!isWithin(units, "process", 1, null));
  assert.equal(selOf(units, "container", 2), null);
  assert.equal(selOf(units, "container", 0), "container:0");
});

test("a page that does not hold an answer has the usual one", async () => {
  const source = {ask: (endpoint, parameters) => Promise.resolve(parameters.from ? null : {of: parameters.level})};
  assert.deepEqual(await askOr({source}, "amounts", {from: 5}, {level: "process"}), {answer: {of: "process"}, isUsual: true});
  assert.deepEqual(await askOr({source}, "amounts", {level: "node"}, {level: "process"}), {answer: {of: "node"}, isUsual: false});
});
