// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import {test} from "node:test";
import {mostLevelNames, placeLabels} from "./labels.js";

const ring = (n, first = 0, turn = 2 * Math.PI) => Array.from({length: n}, (_, i) => ({begin: first + i * turn / n, end: first + (i + 1) * turn / n}));

test("level names do not lie on each other, even of arcs that are thin", () => {
  for (const arcs of [ring(8), ring(mostLevelNames), [...ring(7, 0, 0.1), ...ring(2, 0.1, 6.1)]]) {
    const places = placeLabels(arcs, arcs.map(() => 230), 520);
    for (const anchor of ["start", "end"]) {
      const rows = places.filter((place) => place.anchor === anchor).map((place) => place.y).sort((a, b) => a - b);
      for (let i = 1; i < rows.length; ++i) assert.ok(rows[i] - rows[i - 1] > 13.9, `${rows[i] - rows[i - 1]}`);
      for (const y of rows) assert.ok(Math.abs(y) <= 260 + 1e-9);
    }
    places.forEach(({x, y}) => assert.ok(Math.hypot(x, y) >= 230 - 1e-6, "outside of the circle"));
  }
});

test("many names stand out like rays", () => {
  const places = placeLabels(ring(60), Array(60).fill(230), 520);
  assert.ok(places.some(({angle}) => angle !== 0));
  places.forEach(({x, y}) => assert.ok(Math.abs(Math.hypot(x, y) - 230) < 1e-9));
});
