// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import test from "node:test";
import {askedOf, axisOf, changesOf, changesText, comparisonWords, gainWords, groupsOfReport, intervalOf, leastWords, partsOf} from "./model.js";

const interval = (low, high, expected = (low + high) / 2) => ({low, high, expected, readings: []});

test("an address holds some changes, and nothing else", () => {
  assert.deepEqual(changesOf("async:db->disk vda\ncpus:8"), ["async:db->disk vda", "cpus:8"]);
  assert.deepEqual(changesOf("<b>\n:x\nlock:\nSCALE:x"), []);
  assert.deepEqual(changesOf(undefined), []);
  assert.equal(changesOf(changesText(Array(9).fill("cpus:8"))).length, 4);
});
test("changes become parameters", () => assert.deepEqual(askedOf(["a:1", "b:2"], "io"), {change: "a:1", change2: "b:2", progress: "io"}));
test("gains are told as the program tells them", () => assert.deepEqual([1.04, 12.4, 101].map(gainWords), ["1.0 times", "12 times", "more than 100 times"]));
test("the command line's quotes are taken off", () => {
  assert.deepEqual(partsOf("--async 'B->disk vda'"), {option: "async", argument: "B->disk vda"});
  assert.deepEqual(partsOf("--lock 'it'\\''s->x'"), {option: "lock", argument: "it's->x"});
  assert.deepEqual(partsOf("--cpus 8"), {option: "cpus", argument: "8"});
});
test("a report without a server holds the questions of its findings", () => {
  const groups = groupsOfReport({findings: [{rank: 1, title: "t", predictions: [{change: "--cpus 8", condition: "with 8 CPUs", low: 1, high: 2, expected: 1.5}]},
    {rank: 2, title: "u", predictions: [], no_prediction_because: "this job ends"}, {rank: 3, title: "v", predictions: [], apart: true, no_prediction_because: "x"}]});
  assert.equal(groups.length, 2);
  assert.equal(groups[0].questions[0].option, "cpus");
  assert.equal(groups[1].none_because, "this job ends");
});
test("the axis holds all intervals and what is now", () => {
  for (const all of [[interval(1.8, 2.2)], [interval(0.5, 0.9)], [interval(1, 1)], [interval(2, 90), interval(1.1, 1.2)], []]) {
    const axis = axisOf(all, 10, 110);
    assert.equal(axis.isLog, all.some((one) => one.high > 8));
    for (const value of [1, ...all.flatMap((one) => [one.low, one.high])]) {
      assert.ok(axis.low <= value && value <= axis.high);
      assert.ok(axis.place(value) >= 10 && axis.place(value) <= 110);
    }
    for (let i = 1; i < axis.ticks.length; ++i) assert.ok(axis.place(axis.ticks[i]) > axis.place(axis.ticks[i - 1]));
  }
});
test("readings of a prediction stand on its axis", () => {
  const told = intervalOf({low: 1, high: 3, expected: 2, at_least: true, wait_alone: {gain: 1.5}, with_path: {gain: 2.5}, other_paths: [{gain: NaN}]});
  assert.deepEqual(told.readings.map((one) => one.gain), [1.5, 2.5]);
  assert.ok(told.atLeast);
});
test("readings of threads are not drawn where requests answer", () => {
  assert.deepEqual(intervalOf({low: 1, high: 3, expected: 2, wait_alone: {gain: 0.5}, requests: {rate: 1}}).readings, []);
});
test("at least as much as before is no promise", () => {
  assert.equal(leastWords({low: 1.5, expected: 2}), "at least 1.5 times");
  assert.equal(leastWords({low: 1.01, expected: 2}), "likely 2.0 times");
});
test("one fix gains more only if the intervals are apart", () => {
  assert.match(comparisonWords(interval(2, 3), interval(1, 1.5)), /^The first gains more: 2\.5 times/);
  assert.match(comparisonWords(interval(1, 1.5), interval(2, 3)), /^The second/);
  assert.match(comparisonWords(interval(1, 2), interval(1.5, 3)), /overlap/);
});
