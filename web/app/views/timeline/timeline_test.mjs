// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import test from "node:test";
import {lastAtMost, readSegments, readTiles, sumsWithin} from "./answers.js";
import {paintCells, paletteOf, pixelOf} from "./paint.js";
import {hierarchyOf, openFor, placesOf, rowsOf, takeParticipation, threadsOf} from "./rows.js";
import {askedRange, leastSpan_ns, panned, resolutionFor, shownAt, stepFor, ticks, timeAt, within, xOf, zoomed} from "./scale.js";
import {sheetsWithin} from "./sheets.js";

const units = {
  racks: [{name: "r", nodes: [0]}], nodes: [{name: "web", rack: 0, cpus: 4}], containers: [],
  processes: [{name: "server", pid: 10, node: 0, container: -1}, {name: "db", pid: 20, node: 0, container: -1}],
  threads: {id: [3, 5, 9], tid: [10, 11, 20], process: [0, 0, 1], name: ["server", "worker", "db"], begin_ns: [0, 5, 2], end_ns: [100, 100, 100],
    run_ns: [10, 50, 20], runnable_ns: [0, 0, 0], wait_ns: [90, 45, 78], spin_ns: [0, 0, 0], unknown_ns: [0, 0, 0], vertex: [0, 1, 2]},
  devices: [{id: 12, kind: "disk", name: "vda", node: 0, vertex: 4}],
};
const rows = (more) => rowsOf(hierarchyOf(units), {level: "thread", filter: "", sort: "busy", open: new Set(), ...more});
const labels = (all) => all.map((row) => "  ".repeat(row.depth) + row.label);

test("rows are CPUs, devices, and the units of a level", () => {
  assert.deepEqual(labels(rows()), ["CPUs in use", "vda", "worker 11", "db 20", "server 10"]);
  assert.deepEqual(labels(rows({level: "process"})).slice(2), ["server 10", "db 20"]);
  assert.deepEqual(labels(rows({level: "node", open: new Set(["n0", "p1"])})).slice(2), ["web", "  server 10", "  db 20", "    db 20"]);
  assert.deepEqual(labels(rows({level: "container"})).slice(2), []);
});
test("rows are sorted by what is asked, and filtered by names", () => {
  assert.deepEqual(labels(rows({sort: "wait"})).slice(2), ["server 10", "db 20", "worker 11"]);
  assert.deepEqual(labels(rows({sort: "name"})).slice(2), ["db 20", "server 10", "worker 11"]);
  assert.deepEqual(labels(rows({sort: "first"})).slice(2), ["server 10", "db 20", "worker 11"]);
  const hierarchy = hierarchyOf(units);
  takeParticipation(hierarchy, {number: [9, 3, 4711], participation: [0.7, 0.3, 1]});
  const byPart = (level) => labels(rowsOf(hierarchy, {level, filter: "", sort: "part", open: new Set()})).slice(2);
  assert.deepEqual(byPart("thread"), ["db 20", "server 10", "worker 11"]);
  assert.deepEqual(byPart("process"), ["db 20", "server 10"]);
  assert.deepEqual(labels(rows({filter: "WORK"})), ["worker 11"]);
  assert.deepEqual(labels(rows({filter: "server"})), ["worker 11", "server 10"]);
  assert.deepEqual(labels(rows({level: "process", filter: "worker", open: new Set(["p0"])})), ["server 10", "  worker 11"]);
});
test("a thread is shown by its row, or by what it belongs to", () => {
  const hierarchy = hierarchyOf(units), processes = rows({level: "process"}), at = placesOf(hierarchy, processes);
  assert.equal(processes[at(5)].label, "server 10");
  assert.equal(processes[at(12)].label, "vda");
  assert.equal(at(4711), -1);
  assert.deepEqual(openFor(hierarchy, 5, "process"), ["p0"]);
  assert.deepEqual(openFor(hierarchy, 5, "rack"), ["p0", "n0", "r0"]);
  assert.deepEqual(threadsOf(hierarchy, "process", 0, 10), [3, 5]);
  assert.deepEqual(threadsOf(hierarchy, "rack", 0, 2), [3, 5]);
});

test("zooming keeps the moment under the pointer, and never leaves the recording", () => {
  let range = {from: 0, to: 3.6e12};
  for (let i = 0; i < 200; ++i) {
    const before = timeAt(range, 1000, 300), next = zoomed(range, 1000, 300, 0.8, 3.6e12);
    assert.ok(Math.abs(timeAt(next, 1000, 300) - before) <= 1);
    assert.ok(next.from >= 0 && next.to <= 3.6e12 && Number.isInteger(next.from));
    range = next;
  }
  assert.equal(range.to - range.from, leastSpan_ns);
  assert.deepEqual(zoomed(range, 1000, 0, 1e30, 3.6e12), {from: 0, to: 3.6e12});
  assert.deepEqual(panned({from: 10, to: 60}, -100, 100), {from: 0, to: 50});
  assert.deepEqual(within({from: -5, to: 500}, 100), {from: 0, to: 100});
  assert.deepEqual(shownAt({from: 0, to: 100}, 50, 1000), {from: 0, to: 100});
  assert.deepEqual(shownAt({from: 0, to: 100}, 500, 1000), {from: 450, to: 550});
  assert.equal(xOf({from: 10, to: 20}, 100, 15), 50);
});
test("ticks lie on round moments from nanoseconds to days", () => {
  for (let span = 20; span < 1e15; span *= 3.7) {
    const {step, times} = ticks({from: span, to: 2 * span}, 1000);
    assert.ok(times.length >= 1 && times.length <= 10, `${times.length} ticks in ${span}`);
    assert.ok(times.every((time) => time % step === 0));
  }
  assert.equal(stepFor(3), 5);
  assert.equal(stepFor(0.1), 1);
  assert.equal(stepFor(7e9), 10e9);
  assert.equal(stepFor(40e9), 60e9);
});
test("a little zooming asks for the same sheet", () => {
  assert.equal(resolutionFor({from: 0, to: 1000}, 1000), 1);
  assert.equal(resolutionFor({from: 0, to: 1900}, 1000), resolutionFor({from: 0, to: 1100}, 1000));
  const asked = askedRange({from: 5000, to: 15000}, 8, 100000);
  assert.ok(asked.from <= 2500 && asked.to >= 17500 && asked.from % 2048 === 0);
  assert.equal(asked.pixels, Math.ceil((asked.to - asked.from) / 8));
  assert.deepEqual(askedRange({from: 0, to: 100}, 1, 100), {from: 0, to: 100, pixels: 100});
});

const sheet = (from, to, pixels, keys) => ({from, to, pixels, rows: keys, shares: new Uint8Array(5 * pixels * keys.length), waker: new Uint32Array(pixels * keys.length), cause: new Uint8Array(pixels * keys.length)});
test("the best sheets that are there are drawn, the coarse below the sharp", () => {
  const sheets = sheetsWithin();
  sheets.add({...sheet(0, 1000, 10, ["t1"]), name: "whole"});
  sheets.add({...sheet(200, 400, 100, ["t1"]), name: "sharp"});
  const names = (range, resolution) => sheets.layers("t1", range, resolution).map((one) => one.name);
  assert.deepEqual(names({from: 0, to: 1000}, 100), ["whole"]);
  assert.deepEqual(names({from: 150, to: 300}, 2), ["whole", "sharp"]);
  assert.deepEqual(names({from: 250, to: 300}, 2), ["sharp"]);
  assert.deepEqual(sheets.layers("t2", {from: 0, to: 10}, 1), []);
  assert.ok(sheets.has("t1", {from: 200, to: 400}, 2) && !sheets.has("t1", {from: 200, to: 401}, 2) && !sheets.has("t2", {from: 0, to: 1}, 1));
  assert.equal(sheets.cellAt("t1", 301).to, 302);
  assert.equal(sheets.cellAt("t1", 700).to, 800);
  assert.equal(sheets.cellAt("t3", 700), null);
});
test("sheets are kept within a bound", () => {
  const sheets = sheetsWithin(1000);
  sheets.add({...sheet(0, 1000, 100, ["t1"]), stays: true});
  for (let i = 0; i < 50; ++i) sheets.add(sheet(i, i + 10, 100, ["t1"]));
  assert.ok(sheets.cells <= 1000);
  assert.ok(sheets.has("t1", {from: 0, to: 1000}, 10), "the whole stays");
});

function tilesAnswer() {
  const bytes = new ArrayBuffer(32 + 8 * 2 + 2 * 10), view = new DataView(bytes);
  [..."GTL1"].forEach((letter, i) => view.setUint8(i, letter.charCodeAt(0)));
  view.setUint32(4, 2, true);
  view.setUint32(8, 1, true);
  view.setFloat64(24, 40, true);
  view.setUint32(36, 5, true);   // row 1 is a device …
  view.setUint32(44, 45, true);  // … 45
  view.setUint8(32 + 16 + 8 + 1, 255);
  return bytes;
}
test("answers are read as columns, and foreign ones refused", () => {
  const tiles = readTiles(tilesAnswer());
  assert.deepEqual(tiles.rows, ["t0", "d45"]);
  assert.equal(tiles.to, 40);
  assert.equal(tiles.shares[1], 255);
  assert.throws(() => readTiles(tilesAnswer().slice(0, 50)), /cut off/);
  assert.throws(() => readSegments(tilesAnswer()), /one version/);
  assert.throws(() => readTiles(new ArrayBuffer(3)), /one version/);
});
test("sums of a range are exact", () => {
  const segments = {start: [0, 10, 30], end: [10, 30, 50], kind: [1, 3, 1]};
  assert.deepEqual(sumsWithin(segments, 5, 40), {waits: 1, ns: [0, 15, 0, 20, 0]});
  assert.equal(lastAtMost([0, 10, 30], 10, 0, 3), 1);
  assert.equal(lastAtMost([5, 10], 4, 0, 2), -1);
});
test("a cell is a stack of its states, and what was there is seen", () => {
  const palette = paletteOf(() => "#102030");
  assert.equal(pixelOf("#102030"), 0xff302010);
  palette.run.plain = 1;
  palette.wait.plain = 2;
  const shares = new Uint8Array([0, 128, 0, 127, 0, 0, 1, 0, 254, 0]), pixels = new Uint32Array(2 * 10);
  paintCells(pixels, {width: 2, height: 10, shares, cause: new Uint8Array([0, 0]), rows: ["t1"]}, palette);
  const column = (x) => Array.from({length: 10}, (_, y) => pixels[2 * y + x]);
  assert.deepEqual(column(0), [2, 2, 2, 2, 2, 1, 1, 1, 1, 1]);
  assert.deepEqual(column(1), [2, 2, 2, 2, 2, 2, 2, 2, 2, 1]);
});
