// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import {test} from "node:test";
import {questionOf} from "./question.js";
import {gone, servedSource} from "./source_served.js";
import {staticSource} from "./source_static.js";

const answerOf = (status, body) => ({ok: status === 200, status, json: async () => body, arrayBuffer: async () => body});
const noPause = async () => {};

test("a question is written the same way whoever asks", () => {
  assert.equal(questionOf("tiles", {to: 9, from: 0, filter: null, what: ""}), "tiles?from=0&to=9");
  assert.equal(questionOf("units"), "units");
  assert.equal(questionOf("query", {sql: "select 1 & 2"}), "query?sql=select%201%20%26%202");
});

test("a static page answers what it holds and nothing else", async () => {
  const source = staticSource({report: {recording: {name: "trace"}}}, {"tiles?from=0&to=9": [1, 2], "raw": {base64: "AQL/"}});
  assert.deepEqual(await source.ask("tiles", {to: 9, from: 0}), [1, 2]);
  assert.equal(await source.ask("tiles", {to: 8, from: 0}), null);
  assert.equal(await source.ask("__proto__"), null);
  assert.deepEqual([source.holds(["frame", "tiles"]), source.holds(["til"]), source.holds([])], [true, false, false]);
  assert.deepEqual([...new Uint8Array(await source.ask("raw", {}, {binary: true}))], [1, 2, 255]);
  assert.equal((await source.recordings())[0].name, "trace");
});

test("a recording that is still being read is asked again", async () => {
  const states = [503, 503, 200];
  const source = servedSource(async () => answerOf(states.shift(), {seen: true}), noPause);
  assert.deepEqual(await source.ask("page"), {seen: true});
  assert.equal(states.length, 0);
});

test("what goes wrong is told in one line", async () => {
  const failing = (get) => assert.rejects.bind(null, servedSource(get, noPause).ask("tiles", {}));
  await failing(async () => answerOf(400, {error: "from: 'x' is no number"}))({message: "from: 'x' is no number"});
  await failing(async () => answerOf(500, {}))(/gordian serve answers 500/);
  await failing(async () => answerOf(403, {}))(/Open the address/);
  await failing(async () => { throw new TypeError("Failed to fetch"); })(/Is it still running/);
});

// Answers when it is told to, or fails when it is aborted.
function waiting() {
  const asked = [];
  const get = (address, {signal}) => new Promise((done, fail) => {
    asked.push({address, answer: () => done(answerOf(200, address))});
    signal.addEventListener("abort", () => fail(new DOMException("", "AbortError")));
  });
  return {asked, source: servedSource(get, noPause)};
}

test("a later question by the same name ends the earlier one", async () => {
  const {asked, source} = waiting();
  const first = source.ask("tiles", {from: 0}, {instead: "tl.tiles"}), other = source.ask("units");
  const second = source.ask("tiles", {from: 5}, {instead: "tl.tiles"});
  await assert.rejects(first, gone);
  asked.forEach((one) => one.answer());
  assert.equal(await second, "api/0/tiles?from=5");
  assert.equal(await other, "api/0/units");
});

test("a signal ends a question", async () => {
  const {source} = waiting(), end = new AbortController();
  const question = source.ask("tiles", {}, {signal: end.signal});
  end.abort();
  await assert.rejects(question, gone);
});

test("questions go to the shown recording, or to the one that is named", async () => {
  const {asked, source} = waiting();
  source.recording = 3;
  const both = [source.ask("page"), source.ask("page", {}, {recording: 5})];
  asked.forEach((one) => one.answer());
  assert.deepEqual(await Promise.all(both), ["api/3/page", "api/5/page"]);
});

test("all questions about a live recording are about the moment that is looked at", async () => {
  const {asked, source} = waiting();
  Object.assign(source, {isLive: true, pin: 7});
  const both = [source.ask("tiles", {from: 1}), source.ask("page", {}, {recording: 2})];
  asked.forEach((one) => one.answer());
  assert.deepEqual(await Promise.all(both), ["api/0/tiles?from=1&pin=7", "api/2/page"]);
});
