// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import {test} from "node:test";
import {differences, levels, measures, merged, readAddress, selected, writeAddress} from "./state.js";

const usual = readAddress("");

test("an address without words is the usual state, and the usual state has no words", () => {
  assert.equal(usual.view, "overview");
  assert.equal(usual.level, "thread");
  assert.equal(usual.from, null);
  assert.equal(writeAddress(usual), "");
});

test("an address is readable", () => {
  const state = merged(usual, {view: "timeline", from: 2_500_000_000, to: 5_000_000_000, sel: "thread:12", filter: "post gres", "tl.sort": "cpu"});
  assert.equal(writeAddress(state), "view=timeline&filter=post+gres&from=2500000000&to=5000000000&sel=thread:12&tl.sort=cpu");
});

// Not chosen by hand: whatever the fields are, what is written is read again.
test("every state comes back from its address", () => {
  let seed = 7;
  const random = (most) => (seed = (seed * 1103515245 + 12345) % 2147483648) % most;
  const texts = ["", "a&b=c", "<img src=x onerror=alert(1)>", "100 % + ½ #hash", "édge>1", "SELECT \"a\" FROM 'b';\n--", "\u0000\u202e", "😀"];
  const sels = [null, "thread:12", "process:0", "container:3", "node:1", "rack:2", "device:999999", "vertex:4", "phase:5", "request:6", "edge:1>2"];
  for (let round = 0; round < 500; ++round) {
    const from = random(2) ? random(1e9) : null;
    const state = merged(usual, {
      view: ["overview", "timeline", "phases"][random(3)], recording: random(4), compared: random(2) ? random(4) : null,
      level: levels[random(levels.length)], filter: texts[random(texts.length)], from, to: from === null ? null : from + 1 + random(1e9),
      frame: random(2) ? random(100) : null, window: random(2) ? random(1e9) : null, what: measures[random(measures.length)],
      sel: sels[random(sels.length)], at: random(2) ? random(1e15) : null, phase: random(2) ? random(50) : null,
      "ask.sql": texts[random(texts.length)]});
    const back = readAddress("#" + writeAddress(state));
    assert.deepEqual(differences(back, state), new Set());
    // As a browser keeps it: with its own escapes.
    assert.deepEqual(differences(readAddress(new URL("http://h/#" + writeAddress(state)).hash), state), new Set());
  }
});

test("unknown and hostile words are ignored", () => {
  for (const fragment of ["nonsense", "level=planet", "from=-1&to=nan", "from=1e99", "sel=thread:x", "sel=<script>", "sel=edge:1", "view=../../x",
    "recording=1.5", "__proto__=1", "constructor=2", "what=", "phase=99999999999999999999", "at=Infinity", "%E0%A4%A", "tl.=1", ".x=1", "TL.sort=1"])
    assert.deepEqual(differences(readAddress(fragment), usual), new Set(), fragment);
  assert.equal({}.polluted, undefined);
  assert.equal(readAddress("tl.sort=" + "x".repeat(9000))["tl.sort"], undefined);
});

test("many private words are cut off", () => {
  const many = Array.from({length: 500}, (_, i) => `v.a${i}=1`).join("&");
  assert.equal(Object.keys(readAddress(many)).length - Object.keys(usual).length, 40);
});

test("a range that is none is no range", () => {
  assert.equal(readAddress("from=5&to=5").from, null);
  assert.equal(readAddress("from=9&to=5").to, null);
  assert.equal(readAddress("from=5").from, 5);
});

test("changes of no value change nothing, null is as usual", () => {
  const state = merged(usual, {level: "node", sel: "vertex:3"});
  assert.equal(merged(state, {level: "planet"}).level, "node");
  assert.equal(merged(state, {level: null}).level, "thread");
  assert.equal(merged(state, {sel: null}).sel, null);
  assert.equal(merged(state, {from: 1.4, to: 7.6}).to, 8);
  assert.equal(merged(state, {from: Number.NaN}).from, null);
});

test("where the address names no view the page's own first view is shown", () => {
  const state = readAddress("sel=phase:3", "phases");
  assert.equal(state.view, "phases");
  assert.equal(writeAddress(state, "phases"), "sel=phase:3");
  assert.equal(writeAddress(merged(state, {view: "overview"}), "phases"), "view=overview&sel=phase:3");
  assert.equal(readAddress("view=overview", "phases").view, "overview");
});

test("differences name what changed", () => {
  assert.deepEqual(differences(usual, merged(usual, {from: 1, to: 2, "tl.sort": "x"})), new Set(["from", "to", "tl.sort"]));
});

test("a selection has a kind and numbers", () => {
  assert.deepEqual(selected("thread:12"), {kind: "thread", id: 12});
  assert.deepEqual(selected("edge:3>4"), {kind: "edge", from: 3, to: 4});
  assert.equal(selected("planet:1"), null);
  assert.equal(selected(null), null);
});
