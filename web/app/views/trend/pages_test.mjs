// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import {test} from "node:test";
import {added, barsPath, frameAt, frameOfRange, linePath, oddWords, pageCount, pageOf, spanOf, sum, windowsOfPage} from "./pages.js";

test("pages hold fifty windows and together all of them", () => {
  assert.equal(windowsOfPage, 50);
  for (const windows of [0, 1, 50, 51, 199, 2000]) {
    let told = 0;
    for (let page = 0; page < pageCount(windows); ++page) { const {first, end} = spanOf(page, windows); told += end - first; assert.ok(end - first <= 50); }
    assert.equal(told, windows);
  }
  assert.equal(pageOf(50), 1);
  assert.deepEqual(spanOf(99, 60), {first: 50, end: 60}, "beyond the last page is the last");
});

test("a click finds the window under it", () => {
  const span = spanOf(1, 70);
  assert.equal(frameAt(0, span), 50);
  assert.equal(frameAt(0.11, span), 55);
  assert.equal(frameAt(0.9, span), 69, "behind the last window is the last");
});

test("a range that is a window is found", () => {
  const windows = {from_ns: [0, 10, 20], to_ns: [10, 20, 25]};
  assert.equal(frameOfRange(windows, 10, 20), 1);
  assert.equal(frameOfRange(windows, 10, 25), -1);
});

const heights = (path) => [...path.matchAll(/v(-?[\d.]+)/g)].map(([, height]) => -Number(height));

test("bars are as high as their values", () => {
  const values = [0, 5, 10], size = {width: 500, height: 40};
  assert.deepEqual(heights(barsPath(values, {first: 0, end: 3}, 10, size)), [20, 40], "nothing has no bar");
  assert.ok(heights(barsPath([1e-9], {first: 0, end: 1}, 10, size))[0] > 0, "a little is seen");
  assert.equal(barsPath([0, 0], {first: 0, end: 2}, 0, size), "");
  assert.match(barsPath([5], {first: 0, end: 1}, 10, {...size, base: [5]}), /^M\S+ 20\.00/, "what stands on another begins at its top");
});

test("a line of a shorter recording ends where it does", () => {
  assert.equal(linePath([1, 2], {first: 0, end: 50}, 2, {width: 500, height: 10}).match(/h/g).length, 2);
  assert.equal(linePath([1], {first: 50, end: 60}, 2, {width: 500, height: 10}), "");
});

test("odd windows are told in words", () => {
  assert.equal(oddWords(1000, 100, String), "10 times the median of 100");
  assert.equal(oddWords(50, 100, String), "50 % of the median of 100");
  assert.equal(oddWords(0, 100, String), "nothing, where the median is 100");
  assert.equal(sum(added([1, 2], [3, 4])), 10);
});
