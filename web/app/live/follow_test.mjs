// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import test from "node:test";
import {makeFollower} from "./follow.js";
import {keyOf, selectionOf} from "./same.js";
import {coloursOfLimits, makeStrip, mostSeconds} from "./strip.js";

const frameOf = (number) => ({number, from_ns: number, to_ns: number + 10, frame: {at: "", strip: [{to_s: number, limit: "db", kind: "knot", share: 0.5, cpus: 1}]}});

// A server whose recording has a frame for each second; time passes when a test says so.
function fakeServer() {
  const server = {newest: 1, ended: false, asked: [], failing: false};
  server.source = {
    async ask(endpoint, parameters = {}) {
      server.asked.push([endpoint, parameters]);
      if (server.failing) throw new Error("gordian serve does not answer. Is it still running?");
      if (endpoint === "live_strip") return {seconds: []};
      const state = {newest: server.newest, oldest: 1, ended: server.ended, told: [], window_ns: 10};
      if (parameters.number) return {...state, frame: frameOf(parameters.number)};
      return {...state, frame: server.newest > parameters.after ? frameOf(server.newest) : null};
    },
  };
  return server;
}
function follow(server, page) {
  let waiting = null;
  const taken = [];
  const follower = makeFollower(server.source, {pin: () => page.pin, took: async (frame) => { taken.push(frame.number); }, changed() {}},
    (act) => { waiting = act; });
  const settle = () => new Promise((done) => setImmediate(done));
  return {follower, taken, settle, async turn() { await settle(); const act = waiting; waiting = null; act?.(); await settle(); }, waits: () => waiting !== null};
}

test("each new frame is shown once", async () => {
  const server = fakeServer(), run = follow(server, {pin: null});
  await run.settle();
  await run.turn();
  server.newest = 2;
  await run.turn();
  await run.turn();
  assert.deepEqual(run.taken, [1, 2]);
});

test("a paused page is shown its own frame, and hears of newer ones", async () => {
  const server = fakeServer(), page = {pin: null}, run = follow(server, page);
  await run.settle();
  server.newest = 5;
  page.pin = 3;
  run.follower.wake();
  await run.settle();
  server.newest = 9;
  await run.turn();
  assert.deepEqual(run.taken, [1, 3]);
  assert.equal(run.follower.state().newest, 9);
  page.pin = null;
  run.follower.wake();
  await run.settle();
  assert.deepEqual(run.taken, [1, 3, 9]);
});

test("eight hours take no more memory than a quarter of an hour", async () => {
  const server = fakeServer(), run = follow(server, {pin: null});
  await run.settle();
  for (let second = 2; second <= 8 * 3600; second++) {
    server.newest = second;
    server.asked.length = 0;
    run.taken.length = 0;
    await run.turn();
  }
  assert.equal(run.follower.state().frame.number, 8 * 3600);
  assert.equal(run.follower.state().seconds.length, mostSeconds);
  assert.equal(run.follower.state().seconds.at(-1).number, 8 * 3600);
});

test("nothing is asked any more once the recording has ended and its last frame is shown, unless the page goes back", async () => {
  const server = fakeServer(), page = {pin: null}, run = follow(server, page);
  server.newest = 4;
  server.ended = true;
  await run.settle();
  assert.deepEqual(run.taken, [4]);
  assert.equal(run.waits(), false);
  page.pin = 2;
  run.follower.wake();
  await run.settle();
  assert.deepEqual(run.taken, [4, 2]);
});

test("a server that does not answer is asked again, and the page says so", async () => {
  const server = fakeServer(), run = follow(server, {pin: null});
  await run.settle();
  server.failing = true;
  await run.turn();
  assert.match(run.follower.state().failure, /does not answer/);
  server.failing = false;
  server.newest = 2;
  await run.turn();
  assert.equal(run.follower.state().failure, "");
  assert.deepEqual(run.taken, [1, 2]);
});

test("a stopped follower asks no more", async () => {
  const server = fakeServer(), run = follow(server, {pin: null});
  await run.settle();
  run.follower.stop();
  server.asked.length = 0;
  await run.turn();
  assert.deepEqual(server.asked, []);
});

test("the strip keeps the newest seconds, in order, and finds them", () => {
  const strip = makeStrip();
  for (const number of [3, 5, 5, 4, 9]) strip.add({number});
  assert.deepEqual(strip.list().map((one) => one.number), [3, 5, 9]);
  assert.equal(strip.at(4).number, 3);
  assert.equal(strip.at(9).number, 9);
  assert.equal(strip.at(2), null);
});

test("limits that lasted longest have colours of their own", () => {
  const seconds = ["a", "b", "b", "c", "c", "c", ""].map((limit) => ({limit}));
  assert.deepEqual([...coloursOfLimits(seconds, 2)], [["c", 0], ["b", 1], ["a", 1]]);
});

const windowOf = (shift) => ({
  page: {report: {vertices: [{id: 1 + shift, label: "web"}, {id: 2 + shift, label: "db"}]}},
  units: {nodes: [{name: "n0"}], racks: [{name: "r"}], containers: [{name: "c", node: 0}],
    processes: shift ? [{name: "other", pid: 9, node: 0}, {name: "web", pid: 7, node: 0}] : [{name: "web", pid: 7, node: 0}],
    threads: {id: [10 + shift], tid: [71], process: [shift ? 1 : 0], name: [shift ? "renamed" : "web"]}, devices: [{id: 30 + shift, kind: "disk", name: "vda", node: 0}]},
});

test("what is selected is found again in another window, by names", () => {
  const before = windowOf(0), after = windowOf(100);
  const moved = (sel) => selectionOf(keyOf(sel, before.page, before.units), after.page, after.units);
  assert.equal(moved("thread:10"), "thread:110");
  assert.equal(moved("process:0"), "process:1");
  assert.equal(moved("container:0"), "container:0");
  assert.equal(moved("device:30"), "device:130");
  assert.equal(moved("vertex:2"), "vertex:102");
  assert.equal(moved("edge:1>2"), "edge:101>102");
  assert.equal(moved("thread:11"), null);
  assert.equal(moved("phase:1"), null);
  assert.equal(moved(null), null);
  assert.equal(selectionOf(keyOf("thread:10", before.page, before.units), after.page, null), null);
});

test("a group of threads is the same one with more of them, unless two have that name", () => {
  const page = (...labels) => ({report: {vertices: labels.map((label, id) => ({id, label}))}});
  const moved = (after) => selectionOf(keyOf("vertex:0", page("web (4 threads)"), null), after, null);
  assert.equal(moved(page("db", "web (5 threads)")), "vertex:1");
  assert.equal(moved(page("web #2 (5 threads)")), "vertex:0");
  assert.equal(moved(page("web (5 threads)", "web #2 (3 threads)")), null);
});
