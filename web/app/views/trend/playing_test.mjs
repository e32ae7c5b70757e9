// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import {test} from "node:test";
import {makePlayer} from "./playing.js";

function slowTimers() {
  const waiting = [];
  return {waiting, set: (act, ms) => { const entry = {act, ms}; waiting.push(entry); return entry; }, clear: (entry) => { const at = waiting.indexOf(entry); if (at >= 0) waiting.splice(at, 1); },
    async run() { const entry = waiting.shift(); await entry.act(); return entry.ms; }};
}

test("playing goes on until there is no next window", async () => {
  const timers = slowTimers();
  let frame = 0, changes = 0;
  const player = makePlayer(() => ++frame < 3, () => ++changes, timers);
  player.start();
  player.setSpeed(4);
  assert.equal(await timers.run(), 0);
  assert.equal(await timers.run(), 250, "four in a second");
  await timers.run();
  assert.equal(frame, 3);
  assert.ok(!player.isPlaying && timers.waiting.length === 0);
  assert.equal(changes, 2, "begun and ended");
});

test("stopping leaves no timer", async () => {
  const timers = slowTimers(), player = makePlayer(() => true, () => {}, timers);
  player.start();
  await timers.run();
  player.stop();
  assert.equal(timers.waiting.length, 0);
});

test("stopping while a window is being fetched ends it as well", async () => {
  const timers = slowTimers();
  let arrive;
  const player = makePlayer(() => new Promise((resolve) => { arrive = resolve; }), () => {}, timers);
  player.start();
  const running = timers.run();
  player.stop();
  arrive(true);
  await running;
  assert.equal(timers.waiting.length, 0);
});

test("unknown speeds change nothing", () => {
  const player = makePlayer(() => true);
  player.setSpeed(1000);
  assert.equal(player.speed, 2);
});
