// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import {test} from "node:test";
import {selectionPath, verticesOf} from "./selection.js";

const page = {report: {
  vertices: [{id: 4, name: "worker", label: "worker (2 threads)", members: [7, 8]}, {id: 5, name: "vda", label: "", members: []}],
  threads: [{id: 7, name: "worker", tid: 101}], phases: [{id: 0, path: "/Job", parent: null}, {id: 1, path: "/Job/Step[2]", parent: 0}]}};
const units = {
  racks: [{name: "r1", nodes: [0]}], nodes: [{name: "web", rack: 0}], containers: [{name: "box", node: 0}],
  processes: [{name: "postgres", pid: 17, node: 0, container: 0}],
  threads: {id: [7, 8], tid: [101, 102], process: [0, 0], name: ["worker", "<b>"], vertex: [4, 4]},
  devices: [{id: 3, kind: "disk", name: "vda", node: 0, vertex: 5}]};
const words = (sel, ...of) => selectionPath(sel, ...of).map((part) => part.words).join(" > ");

test("a selection is told from the whole to the part, and each part can be selected", () => {
  assert.equal(words("thread:8", page, units), "web > box > postgres 17 > <b> 102");
  assert.equal(words("device:3", page, units), "web > disk vda");
  assert.equal(words("edge:4>5", page, units), "worker (2 threads) > waits for vda");
  assert.equal(words("phase:1", page, units), "Job > Step[2]");
  assert.deepEqual(selectionPath("process:0", page, units).map((part) => part.sel), ["node:0", "container:0", "process:0"]);
});

test("while the recording is still being read a selection has plain words", () => {
  for (const sel of ["thread:8", "device:3", "edge:4>5", "vertex:4", "phase:1", "request:9", "rack:0"]) {
    assert.equal(selectionPath(sel, null, null).at(-1).sel, sel);
    assert.equal(selectionPath(sel, page, null).at(-1).sel, sel);
  }
  assert.deepEqual(selectionPath(null, page, units), []);
});

test("what this recording does not have is told by its number", () => {
  for (const sel of ["thread:99", "process:99", "node:99", "phase:99", "device:99"]) assert.equal(words(sel, page, units), sel.replace(":", " "));
  assert.equal(words("edge:98>99", page, units), "#98 > waits for #99");
});

test("whatever is selected is found in the wait-for graph", () => {
  assert.deepEqual(verticesOf("thread:7", page, null), [4]);
  assert.deepEqual(verticesOf("device:3", page, units), [5]);
  for (const sel of ["process:0", "container:0", "node:0", "rack:0"]) assert.deepEqual(verticesOf(sel, page, units), [4], sel);
  assert.deepEqual(verticesOf("edge:4>99", page, units), [4]);
  assert.deepEqual(verticesOf("phase:1", page, units), []);
});
