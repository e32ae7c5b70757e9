// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import {test} from "node:test";
import {centreOf, edgesAmong, knotEdges, neighbours, surroundings} from "./choice.js";
import {indexed, key} from "./data.js";
import {arrowHead, boxHeight, boxWidth, curve, layOut, loop, ringOrder} from "./layout.js";

const edge = (from, to, weight_s = 1) => ({from, to, weight_s, own_s: weight_s, count: 1});
const vertex = (id, more = {}) => ({id, name: "v" + id, label: "", kind: "thread", members: [id], process: "", target: true, ...more});
const finding = (members, more = {}) => ({kind: "knot", members, edges: [], outside: [], rank: 1, title: "", ...more});
const pageOf = (vertices, edges, findings = []) => indexed({report: {vertices, edges, findings, threads: [], recording: {seconds: 10, nodes: []}}, histories: []});

test("members of a knot are a ring, waiters stand left of it, and what it waits for stands right", () => {
  const drawn = [edge(1, 2), edge(2, 3), edge(3, 1), edge(4, 1), edge(5, 4), edge(3, 6)];
  const place = layOut([1, 2, 3, 4, 5, 6], drawn, [1, 2, 3]);
  const left = Math.min(...[1, 2, 3].map((id) => place.get(id).x)), right = Math.max(...[1, 2, 3].map((id) => place.get(id).x));
  assert.ok(place.get(4).x < left && place.get(5).x < place.get(4).x);
  assert.ok(place.get(6).x > right);
});

test("two that wait for themselves stand side by side, so that their loops are free", () => {
  const place = layOut([1, 2], [edge(1, 1), edge(2, 2), edge(1, 2), edge(2, 1)], [1, 2]), [a, b] = [place.get(1), place.get(2)];
  assert.equal(a.y, b.y);
  for (const [at, other] of [[a, b], [b, a]]) assert.ok(Math.abs(loop(at, 5).label.x - other.x) > boxWidth);
});

test("the ring goes along the heaviest edges, and has everybody once", () => {
  assert.deepEqual(ringOrder([1, 2, 3, 4], [edge(1, 3, 9), edge(3, 2, 9), edge(2, 4, 9), edge(1, 2, 1)]), [1, 3, 2, 4]);
  assert.deepEqual(ringOrder([7], []), [7]);
});

// Whatever the graph: everybody has a place, and no two boxes lie on each other.
test("no box lies on another", () => {
  let seed = 5;
  const random = (most) => (seed = (seed * 1103515245 + 12345) % 2147483648) % most;
  for (let round = 0; round < 60; ++round) {
    const number = 1 + random(40), ids = Array.from({length: number}, (_, i) => i), centre = ids.slice(0, 1 + random(Math.min(number, 24)));
    const drawn = Array.from({length: random(80)}, () => edge(random(number), random(number), 1 + random(100)));
    const place = layOut(ids, drawn, centre), points = [...place.entries()];
    assert.equal(points.length, number);
    for (let a = 0; a < points.length; ++a) for (let b = 0; b < a; ++b) {
      const dx = Math.abs(points[a][1].x - points[b][1].x), dy = Math.abs(points[a][1].y - points[b][1].y);
      assert.ok(dx >= boxWidth || dy >= boxHeight * 0.75, `round ${round}: ${points[a][0]} and ${points[b][0]} at ${dx}, ${dy}`);
    }
  }
});

test("an edge and its answer part, and arrows point at whom they mean", () => {
  const a = {x: 0, y: 0}, b = {x: 300, y: 40}, there = curve(a, b, 4), back = curve(b, a, 4);
  assert.ok(Math.hypot(there.label.x - back.label.x, there.label.y - back.label.y) > 30);
  assert.ok(Math.abs(there.tip.x - b.x) <= boxWidth / 2 + 3 && Math.abs(there.tip.y - b.y) <= boxHeight / 2 + 3);
  for (const shape of [there, back, loop(a, 3)]) assert.doesNotMatch(shape.path + arrowHead(shape), /NaN|undefined/);
});

test("the middle is the finding, or what is waited for most", () => {
  const data = pageOf([vertex(1), vertex(2), vertex(3)], [edge(1, 2, 5), edge(3, 2, 5), edge(2, 3, 7)]);
  assert.deepEqual(centreOf(data, finding([3, 1, 99])), [3, 1]);
  assert.deepEqual(centreOf(data, null), [2]);
  assert.deepEqual(centreOf(pageOf([], []), null), []);
});

test("neighbours come heaviest first, and light ones only on demand", () => {
  const data = pageOf([1, 2, 3, 4].map((id) => vertex(id)), [edge(2, 1, 5), edge(1, 3, 8), edge(4, 1, 0.001)]);
  assert.deepEqual(neighbours(data, [1], 5, 0), [3, 2, 4]);
  assert.deepEqual(surroundings(data, [1]), [1, 3, 2]);
});

test("edges of the finding are shown however light they are", () => {
  const knot = finding([1, 2]), data = pageOf([vertex(1), vertex(2), vertex(3)], [edge(1, 2, 0.0001), edge(2, 1, 0.0001), edge(3, 1, 100), edge(3, 2, 0.001)], [knot]);
  assert.deepEqual([...knotEdges(data, knot)].sort(), ["1>2", "2>1"]);
  assert.deepEqual(edgesAmong(data, [1, 2, 3], knotEdges(data, knot)).map((one) => key(one.from, one.to)).sort(), ["1>2", "2>1", "3>1"]);
});

test("edges to nobody are left out, and vertices without a name have a number", () => {
  const data = pageOf([vertex(1, {name: ""})], [edge(1, 99)]);
  assert.equal(data.edges.length, 0);
  assert.equal(data.nameOf(1), "#1");
  assert.equal(data.nameOf(99), "?");
});
