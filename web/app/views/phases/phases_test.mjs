// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import {test} from "node:test";
import {readAddress} from "../../state.js";
import {boxOf, quantile} from "./boxes.js";
import {lanesOf, runningOver} from "./lanes.js";
import {modelOf, parentOf, phasesWithin, shortType, typesUnder} from "./model.js";
import {isWhole, moveTo, shownOf} from "./shown.js";

const type = (id, parent, path, repeat = "concurrent") => ({id, parent, path, name: path.slice(path.lastIndexOf("/") + 1), repeat, count: 1, mean_s: 1});
const phase = (id, parent, kind, path, start_s, end_s, more = {}) => ({id, parent, type: kind, path, start_s, end_s, node: "n", pid: 1, tid: 0, critical: false, ...more});
const report = (phases) => ({phases, threads: [{id: 31, tid: 5, pid: 1}], phase_types: [type(0, null, "/Job", "once"), type(1, 0, "/Job/Step", "sequential"), type(2, 1, "/Job/Step/Task")],
  resources: [], series: [], bottleneck_intervals: [], bottlenecks: [], attribution: [], issues: []});
const small = () => modelOf(report([phase(0, null, 0, "/Job", 0, 10), phase(1, 0, 1, "/Job/Step[0]", 0, 4), phase(2, 0, 1, "/Job/Step[1]", 4, 10),
  phase(3, 1, 2, "/Job/Step[0]/Task[0]", 0, 3), phase(4, 2, 2, "/Job/Step[1]/Task[0]", 5, 9)]));
// As phases.js mounts it; `sets` collects what goes into the state.
const mounted = (address) => {
  const job = small(), sets = [];
  return {...job, sets, app: {state: readAddress(address), set: (changes) => sets.push(changes)}, shown: shownOf(job, readAddress(address))};
};

test("every way up ends, also in a job that says otherwise", () => {
  const job = modelOf(report([phase(0, 1, 0, "/a", 0, 1), phase(1, 0, 0, "/b", 0, 1), phase(2, 2, 0, "/c", 0, 1), phase(3, 99, 0, "/d", 0, 1)]));
  for (const one of job.phases) {
    let steps = 0;
    for (let at = one; at; at = parentOf(job, at)) assert.ok(++steps < 10);
  }
});

test("a kind has what is below it, and as short a name as tells it apart", () => {
  const job = small();
  assert.deepEqual([...typesUnder(job, 1)], [1, 2]);
  assert.equal(shortType(job, 2), "Task");
  assert.deepEqual(phasesWithin(job, job.phaseOf.get(0), 2).map((one) => one.id), [3, 4]);
});

test("an address of another job shows all of this one", () => {
  const all = shownOf(small(), readAddress("phase=99&ph.type=77&ph.even=x&ph.nodes=%3Dnobody&from=1&to=2&sel=phase:98"));
  assert.equal(all.focus.id, 0);
  assert.deepEqual([all.type, all.even, all.nodes, all.picked], [null, null, "each", null]);
});

test("a range of another view is cut to the phase that is open, or is all of it if it is elsewhere", () => {
  const of = (address) => { const shown = shownOf(small(), readAddress(address)); return [shown.focus.id, shown.from, shown.to]; };
  assert.deepEqual(of("from=2000000000&to=6000000000"), [0, 2, 6]);
  assert.deepEqual(of("phase=1&from=2000000000&to=6000000000"), [1, 2, 4]);
  assert.deepEqual(of("phase=1&from=6000000000&to=7000000000"), [1, 0, 4]);
  assert.deepEqual(of("from=3000000000"), [0, 3, 10]);
});

test("a phase that is selected elsewhere is shown among its neighbours", () => {
  const shown = shownOf(small(), readAddress("sel=phase:4"));
  assert.deepEqual([shown.focus.id, shown.picked.id], [2, 4]);
});

test("a thread that is selected elsewhere is known here", () => {
  assert.equal(shownOf(small(), readAddress("sel=thread:31")).thread.tid, 5);
  assert.equal(shownOf(small(), readAddress("sel=thread:32")).thread, null);
});

test("one cannot move out of a phase, nor nearer than a millionth of it", () => {
  const job = mounted("phase=1");
  moveTo(job, -5, -3);
  assert.deepEqual(job.sets.pop(), {from: 0, to: 2e9});
  moveTo(job, 2, 2);
  const {from, to} = job.sets.pop();
  assert.ok(to - from >= 1 && to - from <= 4e3, `${to - from} ns`);
  const whole = mounted("");
  moveTo(whole, -1, 20);
  assert.deepEqual(whole.sets.pop(), {from: null, to: null});
  assert.ok(isWhole(whole.shown.focus, whole.shown.from, whole.shown.to));
});

// Whatever the phases: those of one lane follow each other, and each is in one lane.
test("phases that overlap lie in different lanes", () => {
  let seed = 3;
  const random = (most) => (seed = (seed * 1103515245 + 12345) % 2147483648) % most;
  for (let round = 0; round < 40; ++round) {
    const list = Array.from({length: 30 + random(200)}, (_, i) => { const start = random(1000); return phase(i + 1, 0, 2, `/Job/Task[${i}]`, start, start + 1 + random(100), {node: "n" + random(3)}); })
      .sort((a, b) => a.start_s - b.start_s);
    const job = {...small(), shown: {type: null, focus: phase(0, null, 0, "/Job", 0, 2000)}}, lanes = lanesOf(job, list);
    assert.equal(lanes.reduce((all, lane) => all + lane.phases.length, 0), list.length);
    for (const lane of lanes) lane.phases.forEach((one, i) => i > 0 && assert.ok(one.start_s >= lane.phases[i - 1].end_s - 1e-6));
  }
});

test("how many run at once is exact", () => {
  const sums = runningOver([phase(1, 0, 2, "/a", 0, 4), phase(2, 0, 2, "/b", 1.5, 3)], 0, 4, 4);
  assert.deepEqual([...sums].map((value) => Math.round(value * 1e9) / 1e9), [1, 1.5, 2, 1]);
});

test("a box has its quarters, and what lies far beyond them is an outlier", () => {
  assert.equal(quantile([1, 2, 3, 4], 0.5), 2.5);
  const lengths = [1, 1.1, 1.2, 1.3, 9], box = boxOf("x", lengths.map((length, i) => phase(i, 0, 2, "/t", 0, length)), null);
  assert.deepEqual([box.median, box.outliers.length, box.high], [1.2, 1, 1.3]);
});
