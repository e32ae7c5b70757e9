// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import {test} from "node:test";
import {askedRows} from "./asked_rows.js";

const settle = () => new Promise((done) => setTimeout(done, 0));

// Nodes answer when they are told to.
function nodesThat(count) {
  const asked = [], open = [];
  const source = {ask: (endpoint, parameters, {recording}) => new Promise((answer, fail) => {
    asked.push(endpoint + recording + (parameters?.again ? " again" : ""));
    open.push({answer, fail});
  })};
  const shown = [], rows = askedRows(source, (row) => shown.push({...row}));
  for (let i = 0; i < count; ++i) rows.add({number: i, name: "n" + i});
  return {asked, shown, rows, turn: async (what) => { open.shift().answer(what); await settle(); }, fail: async (words) => { open.shift().fail(new Error(words)); await settle(); }};
}

test("a node is asked what its session does, then what its recording says", async () => {
  const {asked, shown, rows, turn} = nodesThat(1);
  rows.ask(0);
  await turn({state: "complete"});
  await turn({words: "db waits for its disk"});
  assert.deepEqual(asked, ["state0", "brief0"]);
  assert.equal(shown.at(-1).brief.words, "db waits for its disk");
});

test("a few nodes are asked at a time, and the others wait", async () => {
  const {asked, rows, turn} = nodesThat(5);
  for (let i = 0; i < 5; ++i) rows.ask(i);
  assert.deepEqual(asked, ["state0", "state1", "state2"]);
  await turn({state: "complete"});
  assert.deepEqual(asked, ["state0", "state1", "state2", "brief0"]);
});

test("a node that does not answer is told, and the next is asked", async () => {
  const {asked, shown, rows, fail} = nodesThat(4);
  for (let i = 0; i < 4; ++i) rows.ask(i);
  await fail("n0: no daemon listens");
  assert.equal(shown.at(-2).error, "n0: no daemon listens");
  assert.deepEqual(asked, ["state0", "state1", "state2", "state3"]);
});

test("who may not ask about the recording sees what the session does", async () => {
  const {shown, rows, turn, fail} = nodesThat(1);
  rows.ask(0);
  await turn({state: "recording"});
  await fail("n0: you may not ask about sessions");
  assert.equal(shown.at(-1).state.state, "recording");
  assert.match(shown.at(-1).error, /may not/);
});

test("what is asked again is read again, and before others", async () => {
  const {asked, rows, turn} = nodesThat(5);
  for (let i = 0; i < 5; ++i) rows.ask(i);
  rows.askAgain(0);
  for (let i = 0; i < 12; ++i) await turn({});
  assert.equal(asked[6], "state0");
  assert.ok(asked.includes("brief0 again"), asked.join());
});
