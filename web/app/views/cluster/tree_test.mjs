// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import {test} from "node:test";
import {ancestors, find, leaves, treeOf, waitingShare} from "./tree.js";

const units = {
  racks: [{name: "all nodes"}], nodes: [{name: "web", rack: 0}, {name: "db", rack: 0}], containers: [{name: "shop", node: 0}],
  processes: [{name: "front", pid: 10, node: 0, container: 0}, {name: "store", pid: 20, node: 1, container: -1}, {name: "log", pid: 11, node: 0, container: -1}],
  threads: {id: [], tid: [], process: [], name: []},
};
const amounts = {level: "process", units: {number: [0, 1, 2], name: ["web: front/10", "db: store/20", "web: log/11"],
  run_ns: [60, 25, 5], ready_ns: [0, 5, 0], wait_ns: [40, 170, 95], spin_ns: [0, 0, 0], unknown_ns: [0, 0, 0], threads: [1, 2, 1],
  sent_bytes: [1900, 10000, 0], received_bytes: [10000, 1900, 0], participation: [0.7, 0.25, 0.05]}};

test("each part is the sum of its parts", () => {
  for (const [what, sum] of [["cpu", 90], ["waits", 305], ["bytes", 23800], ["participation", 1], ["threads", 4]]) {
    const tree = treeOf(units, amounts, what);
    assert.ok(Math.abs(tree.value - sum) < 1e-9);
    const web = find(tree, "node:0");
    assert.equal(web.value, web.children.reduce((total, part) => total + part.value, 0));
  }
});

test("the tree has nodes and containers, and no rack if there is one", () => {
  const tree = treeOf(units, amounts, "cpu"), front = find(tree, "process:0");
  assert.deepEqual(ancestors(front).map((item) => item.key), ["", "node:0", "container:0", "process:0"]);
  assert.equal(leaves(tree).length, 3);
  assert.equal(waitingShare(front), 0.4);
});

test("without the hierarchy all units hang below the whole", () => {
  const tree = treeOf(null, amounts, "cpu");
  assert.deepEqual(tree.children.map((item) => item.name), ["web: front/10", "db: store/20", "web: log/11"]);
  assert.equal(tree.value, 90);
});

test("of nothing there is an empty tree", () => {
  const nothing = {level: "process", units: Object.fromEntries(Object.keys(amounts.units).map((name) => [name, []]))};
  assert.equal(treeOf(units, nothing, "cpu").value, 0);
});
