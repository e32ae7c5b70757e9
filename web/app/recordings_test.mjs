// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import {test} from "node:test";
import {watchRecordings} from "./recordings.js";

const recording = (number, state, more = {}) => ({number, name: "r" + number, kind: "stored", state, ...more});

// Answers one list after the other; `turn` lets the next question happen.
function watched(lists) {
  const told = [], waits = [];
  const source = {isLive: false, recordings: async () => { const next = lists.length > 1 ? lists.shift() : lists[0]; if (next instanceof Error) throw next; return next; }};
  const tell = Object.fromEntries(["changed", "reading", "failed", "renewed"].map((name) => [name, (what) => told.push([name, typeof what === "string" ? what : what?.state ?? what?.length])]));
  const recordings = watchRecordings(source, tell, (act, wait_ms) => waits.push({act, wait_ms}));
  return {told, waits, source, recordings, settle: () => new Promise((done) => setTimeout(done, 0)), turn: () => waits.shift().act()};
}

test("a recording that is being read is asked for again, and more rarely while nothing changes", async () => {
  const reading = [recording(0, "reading")], {waits, recordings, turn, settle} = watched([reading, reading, reading, reading, [recording(0, "ready")]]);
  recordings.choose(0);
  await settle();
  const seen = [];
  while (waits.length) {
    seen.push(waits[0].wait_ms);
    await turn();
  }
  assert.equal(seen.length, 4);
  assert.ok(seen[3] > seen[1], seen.join());
});

test("a recording that the server does not have is told, and nothing is asked about it", async () => {
  const {told, recordings, settle} = watched([[recording(0, "ready")]]);
  recordings.choose(7);
  await assert.rejects(recordings.chosenIsServed(), /not served here/);
  await settle();
  assert.equal(told.find(([what]) => what === "failed")[1], "The address names a recording that is not served here.");
  recordings.choose(0);
  await recordings.chosenIsServed();
});

test("a server that does not answer is told", async () => {
  const {told, settle} = watched([new Error("gone")]);
  await settle();
  assert.deepEqual(told, [["failed", "gone"]]);
});

test("another page of the chosen recording is asked for when there is one", async () => {
  const {told, recordings, turn, settle} = watched([[recording(0, "reading", {page: 1})], [recording(0, "reading", {page: 1})], [recording(0, "ready", {page: 2})]]);
  recordings.choose(0);
  await settle();
  await turn();
  assert.equal(told.filter(([what]) => what === "renewed").length, 0);
  await turn();
  assert.equal(told.filter(([what]) => what === "renewed").length, 1);
});

test("whether the recording is live is known to the source", async () => {
  const {source, recordings, settle} = watched([[recording(0, "ready"), recording(1, "ready", {kind: "live"})]]);
  recordings.choose(1);
  await settle();
  assert.equal(source.isLive, true);
  recordings.choose(0);
  assert.equal(source.isLive, false);
});
