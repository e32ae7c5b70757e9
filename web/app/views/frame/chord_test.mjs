// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import {test} from "node:test";
import {arcPath, chordLayout, ribbonPath} from "./chord.js";

let seed = 3;
const random = () => (seed = (seed * 48271) % 2147483647) / 2147483647;
const someEntries = (n, count) => {
  const entries = new Map();
  for (let i = 0; i < count; ++i) { const from = Math.floor(random() * n), to = Math.floor(random() * n); entries.set(`${from} ${to}`, {from, to, amount: 1 + random() * 9}); }
  return [...entries.values()];
};
const near = (a, b) => Math.abs(a - b) < 1e-9;

test("incoming and outgoing ends lie apart, and are as wide as the amounts", () => {
  const entries = someEntries(12, 60), {arcs, ribbons} = chordLayout([...Array(12).keys()], entries);
  const moved = entries.filter(({from, to}) => from !== to), first = ribbons[0], scale = (first.source[1] - first.source[0]) / first.entry.amount;
  for (const arc of arcs) {
    const into = moved.filter(({to}) => to === arc.unit).reduce((sum, {amount}) => sum + amount, 0), out = moved.filter(({from}) => from === arc.unit).reduce((sum, {amount}) => sum + amount, 0);
    assert.ok(near(arc.inside[1] - arc.inside[0], into * scale) && near(arc.outside[1] - arc.outside[0], out * scale));
    assert.ok(arc.inside[1] <= arc.outside[0] + 1e-12 && arc.begin <= arc.inside[0] && near(arc.outside[1], arc.end));
  }
  for (const {source, target, entry} of ribbons) {
    assert.ok(near(source[1] - source[0], entry.amount * scale) && near(target[1] - target[0], entry.amount * scale));
    const [from, to] = [arcs.find((arc) => arc.unit === entry.from), arcs.find((arc) => arc.unit === entry.to)];
    assert.ok(source[0] >= from.outside[0] - 1e-9 && source[1] <= from.outside[1] + 1e-9, "from the sender's outgoing end");
    assert.ok(target[0] >= to.inside[0] - 1e-9 && target[1] <= to.inside[1] + 1e-9, "to the receiver's incoming end");
  }
});

test("arcs fill the circle in order, without overlap", () => {
  for (const n of [1, 2, 7, 64]) {
    const {arcs} = chordLayout([...Array(n).keys()].reverse(), someEntries(n, 5 * n), Array.from({length: n}, (_, i) => i % 3));
    arcs.forEach((arc, i) => assert.ok(arc.begin >= (i ? arcs[i - 1].end : 0) - 1e-12 && arc.end > arc.begin));
    assert.ok(arcs.at(-1).end <= 2 * Math.PI + 1e-9);
  }
});

test("ribbons of one end do not cross each other", () => {
  const n = 9, {ribbons} = chordLayout([...Array(n).keys()], someEntries(n, 70));
  const middle = ([a, b]) => (a + b) / 2;
  const cross = (a, b, c, d) => { const inside = (x) => x > Math.min(a, b) && x < Math.max(a, b); return inside(c) !== inside(d); };
  for (const one of ribbons) for (const other of ribbons) if (one !== other && one.entry.from === other.entry.from)
    assert.ok(!cross(middle(one.source), middle(one.target), middle(other.source), middle(other.target)), "of one sender");
});

test("what a unit has with itself is no ribbon", () => {
  const {arcs, ribbons} = chordLayout([0, 1], [{from: 0, to: 0, amount: 5}, {from: 0, to: 1, amount: 1}]);
  assert.equal(ribbons.length, 1);
  assert.equal(arcs[0].own, 5);
});

test("paths are made of numbers", () => {
  const {arcs, ribbons} = chordLayout([0, 1, 2], someEntries(3, 9));
  for (const path of [...arcs.map((arc) => arcPath(arc.begin, arc.end, 90, 100)), ...ribbons.map((one) => ribbonPath(one, 90))]) assert.doesNotMatch(path, /NaN|undefined|Infinity/);
  assert.deepEqual(chordLayout([], []), {arcs: [], ribbons: []});
});
