// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import {test} from "node:test";
import {layOut, neighbour, sliceAndDice, squarify} from "./treemap.js";

let seed = 1;
const random = () => (seed = (seed * 48271) % 2147483647) / 2147483647;
const many = (count) => Array.from({length: count}, () => Math.exp(6 * random()));
const box = {x: 3, y: 5, width: 640, height: 400};
const area = (one) => one.width * one.height;
const worst = (boxes) => Math.max(...boxes.filter((one) => area(one) > 0).map((one) => Math.max(one.width / one.height, one.height / one.width)));

test("areas are the values, to a billionth", () => {
  for (const values of [[1], [6, 6, 4, 3, 2, 2, 1], many(5), many(200), many(5000), [5, 0, 1]]) {
    const total = values.reduce((a, b) => a + b, 0);
    squarify(values, box).forEach((one, i) => {
      const meant = values[i] / total * area(box);
      assert.ok(Math.abs(area(one) - meant) <= 1e-9 * area(box), `${area(one)} for ${meant}`);
    });
  }
});

test("all lie within the box and none overlaps another", () => {
  const boxes = squarify(many(150), box), slack = 1e-6;
  for (const one of boxes) {
    assert.ok(one.x >= box.x - slack && one.y >= box.y - slack);
    assert.ok(one.x + one.width <= box.x + box.width + slack && one.y + one.height <= box.y + box.height + slack);
  }
  for (let i = 0; i < boxes.length; ++i) for (let j = 0; j < i; ++j) {
    const [a, b] = [boxes[i], boxes[j]];
    const wide = Math.min(a.x + a.width, b.x + b.width) - Math.max(a.x, b.x), high = Math.min(a.y + a.height, b.y + b.height) - Math.max(a.y, b.y);
    assert.ok(wide < slack || high < slack, `${i} and ${j} overlap`);
  }
});

test("the paper's example has the paper's rows", () => {
  const boxes = squarify([6, 6, 4, 3, 2, 2, 1], {x: 0, y: 0, width: 6, height: 4});
  assert.deepEqual(boxes.slice(0, 2).map((one) => [one.width, one.height]), [[3, 2], [3, 2]]);
  assert.ok(Math.abs(boxes[2].width - 12 / 7) < 1e-9 && Math.abs(boxes[2].height - 7 / 3) < 1e-9);
});

test("rectangles are more square than those of slice and dice", () => {
  for (const values of [many(10), many(80), many(1000)]) assert.ok(worst(squarify(values, box)) < worst(sliceAndDice(values, box)) / 3);
});

test("of nothing there is nothing", () => {
  assert.deepEqual(squarify([], box), []);
  assert.equal(area(squarify([0, 0], box)[1]), 0);
});

test("a tree's items lie within their parents and fill them", () => {
  const tree = {value: 10, children: [{value: 6, children: [{value: 4}, {value: 2}]}, {value: 4}, {value: 0, children: [{value: 0}]}]};
  layOut(tree, box);
  const [first, , empty] = tree.children, [left, right] = first.children;
  assert.ok(Math.abs(area(left.box) + area(right.box) - area(first.box)) < 1e-6);
  assert.ok(Math.abs(area(left.box) - 0.4 * area(box)) < 1e-6, "also across levels");
  assert.equal(empty.box, null);
});

test("the arrow keys lead to each rectangle and back", () => {
  const tree = {value: 4, children: [{value: 1}, {value: 1}, {value: 1}, {value: 1}]};
  layOut(tree, {x: 0, y: 0, width: 100, height: 100});
  const items = tree.children, reached = new Set([items[0]]), waiting = [items[0]];
  while (waiting.length) {
    const at = waiting.pop();
    for (const way of ["left", "right", "up", "down"]) {
      const next = neighbour(items, at, way);
      if (next && !reached.has(next)) { reached.add(next); waiting.push(next); }
    }
  }
  assert.equal(reached.size, 4);
  const right = neighbour(items, items[0], "right");
  if (right) assert.equal(neighbour(items, right, "left"), items[0]);
});
