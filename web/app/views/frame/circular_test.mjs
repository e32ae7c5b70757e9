// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import {test} from "node:test";
import {circularOrder, crossings, symmetric} from "./circular.js";

let seed = 7;
const random = () => (seed = (seed * 48271) % 2147483647) / 2147483647;
const shuffled = (n) => {
  const order = Array.from({length: n}, (_, i) => i);
  for (let i = n - 1; i > 0; --i) { const j = Math.floor(random() * (i + 1)); [order[i], order[j]] = [order[j], order[i]]; }
  return order;
};
const graph = (pairs) => pairs.map(([from, to, amount = 1]) => ({from, to, amount}));
const complete = (n) => graph(Array.from({length: n * n}, (_, i) => [Math.floor(i / n), i % n]).filter(([a, b]) => a < b));
const chooseFour = (n) => n * (n - 1) * (n - 2) * (n - 3) / 24;

// By the definition: each pair of chords.
function crossingsOf(order, entries) {
  const place = [];
  order.forEach((unit, at) => { place[unit] = at; });
  const chords = entries.filter(({from, to}) => from !== to).map(({from, to, amount}) => [...[place[from], place[to]].sort((a, b) => a - b), amount]);
  let total = 0;
  for (const [a, b, w] of chords) for (const [c, d, v] of chords) if (a < c && c < b && b < d) total += w * v;
  return total;
}

test("a complete graph has C(n, 4) crossings in any order", () => {
  for (const n of [4, 5, 8, 13]) {
    const weights = symmetric(n, complete(n));
    for (let i = 0; i < 5; ++i) assert.equal(crossings(shuffled(n), weights), chooseFour(n));
    assert.equal(crossings(circularOrder(n, complete(n)), weights), chooseFour(n));
  }
});

test("weighted crossings are those of each pair of chords", () => {
  for (let round = 0; round < 30; ++round) {
    const n = 4 + Math.floor(random() * 14), entries = [];
    for (let i = 0; i < 3 * n; ++i) entries.push({from: Math.floor(random() * n), to: Math.floor(random() * n), amount: 1 + Math.floor(random() * 9)});
    const order = shuffled(n);
    assert.equal(crossings(order, symmetric(n, entries)), crossingsOf(order, entries));
  }
});

test("of a graph that can be drawn without crossings none are left", () => {
  const relabelled = (n, pairs) => { const name = shuffled(n); return graph(pairs.map(([a, b]) => [name[a], name[b]])); };
  for (const n of [5, 8, 16, 40]) {
    const ring = Array.from({length: n}, (_, i) => [i, (i + 1) % n]);
    const star = Array.from({length: n - 1}, (_, i) => [0, i + 1]);
    for (const pairs of [ring, star]) {
      const entries = relabelled(n, pairs);
      assert.equal(crossings(circularOrder(n, entries), symmetric(n, entries)), 0);
    }
  }
  for (const rungs of [3, 5, 8, 14]) {
    const pairs = [];
    for (let i = 0; i < rungs; ++i) { pairs.push([i, rungs + i]); if (i > 0) pairs.push([i - 1, i], [rungs + i - 1, rungs + i]); }
    const entries = relabelled(2 * rungs, pairs);
    assert.equal(crossings(circularOrder(2 * rungs, entries), symmetric(2 * rungs, entries)), 0, `a ladder of ${rungs}`);
  }
});

test("sifting is near the best order of small graphs, and better than the order of names", () => {
  const orders = (items) => (items.length < 2 ? [items] : items.flatMap((item, i) => orders(items.filter((_, other) => other !== i)).map((rest) => [item, ...rest])));
  let found = 0, best = 0, named = 0;
  for (let round = 0; round < 10; ++round) {
    const n = 7, entries = [];
    for (let i = 0; i < 11; ++i) entries.push({from: Math.floor(random() * n), to: Math.floor(random() * n), amount: 1 + Math.floor(random() * 5)});
    const weights = symmetric(n, entries), one = crossings(circularOrder(n, entries), weights);
    const least = Math.min(...orders([1, 2, 3, 4, 5, 6]).map((rest) => crossings([0, ...rest], weights)));
    assert.ok(one >= least);
    found += one;
    best += least;
    named += crossings([0, 1, 2, 3, 4, 5, 6], weights);
  }
  assert.ok(found <= 1.15 * best + 2, `${found}, and ${best} at best`);
  assert.ok(found < named);
});

test("units of one host stand side by side, and each unit once", () => {
  for (let round = 0; round < 10; ++round) {
    const n = 24, groups = Array.from({length: n}, () => "host" + Math.floor(random() * 5)), entries = [];
    for (let i = 0; i < 80; ++i) entries.push({from: Math.floor(random() * n), to: Math.floor(random() * n), amount: random()});
    const order = circularOrder(n, entries, groups);
    assert.deepEqual([...order].sort((a, b) => a - b), Array.from({length: n}, (_, i) => i));
    const changes = order.filter((unit, i) => groups[unit] !== groups[order[(i + 1) % n]]).length;
    assert.equal(changes, new Set(groups).size);
  }
});

test("the same entries give the same order", () => {
  const entries = complete(12).map((entry, i) => ({...entry, amount: (i * 7) % 5}));
  assert.deepEqual(circularOrder(12, entries), circularOrder(12, entries));
});
