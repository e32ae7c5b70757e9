// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import {test} from "node:test";
import {matrixOrder, spread} from "./matrix_order.js";

let seed = 11;
const random = () => (seed = (seed * 48271) % 2147483647) / 2147483647;
const named = (n) => Array.from({length: n}, (_, i) => i);
const shuffled = (n) => named(n).map((i) => [random(), i]).sort((a, b) => a[0] - b[0]).map(([, i]) => i);
const orders = (items) => (items.length < 2 ? [items] : items.flatMap((item, i) => orders(items.filter((_, other) => other !== i)).map((rest) => [item, ...rest])));

test("small matrices are within a tenth of the best order there is", () => {
  let found = 0, best = 0;
  for (let round = 0; round < 20; ++round) {
    const n = 7, entries = [];
    for (let i = 0; i < 12; ++i) entries.push({from: Math.floor(random() * n), to: Math.floor(random() * n), amount: 1 + Math.floor(random() * 9)});
    const one = spread(matrixOrder(n, entries), entries), least = Math.min(...orders(named(n)).map((order) => spread(order, entries)));
    assert.ok(one >= least && one <= spread(named(n), entries));
    found += one;
    best += least;
  }
  assert.ok(found <= 1.1 * best, `${found}, and ${best} at best`);
});

test("a chain whose names were mixed up is a chain again", () => {
  const n = 60, name = shuffled(n), entries = named(n - 1).map((i) => ({from: name[i], to: name[i + 1], amount: 1}));
  assert.equal(spread(matrixOrder(n, entries), entries), n - 1);
});

test("blocks of units that talk among themselves stand together", () => {
  const n = 60, block = shuffled(n).map((i) => i % 4), entries = [];
  for (let a = 0; a < n; ++a) for (let b = 0; b < n; ++b) if (a !== b) entries.push({from: a, to: b, amount: block[a] === block[b] ? 50 : 1});
  const order = matrixOrder(n, entries), changes = order.filter((unit, i) => i > 0 && block[unit] !== block[order[i - 1]]).length;
  assert.equal(changes, 3);
});

test("racks stand together, in them nodes, and each unit once", () => {
  const n = 40, keys = named(n).map(() => ["r" + Math.floor(random() * 2), "n" + Math.floor(random() * 3)]), entries = [];
  for (let i = 0; i < 300; ++i) entries.push({from: Math.floor(random() * n), to: Math.floor(random() * n), amount: random()});
  const order = matrixOrder(n, entries, keys), changes = (level) => order.filter((unit, i) => i > 0 && keys[unit].slice(0, level + 1).join() !== keys[order[i - 1]].slice(0, level + 1).join()).length;
  assert.deepEqual([...order].sort((a, b) => a - b), named(n));
  assert.equal(changes(0), new Set(keys.map(([rack]) => rack)).size - 1);
  assert.equal(changes(1), new Set(keys.map((key) => key.join())).size - 1);
});

test("empty and tiny matrices have an order", () => {
  assert.deepEqual(matrixOrder(0, []), []);
  assert.deepEqual(matrixOrder(1, []), [0]);
  assert.deepEqual([...matrixOrder(3, [])].sort(), [0, 1, 2]);
});
