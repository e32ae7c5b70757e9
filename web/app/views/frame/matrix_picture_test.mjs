// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import {test} from "node:test";
import {cellAt, darkness, matrixPlace} from "./matrix_picture.js";

test("all cells lie in the canvas and each is found where it is", () => {
  for (const n of [1, 10, 65, 500]) {
    const place = matrixPlace(n, 900, 600);
    assert.ok(place.left + n * place.cell <= 900 && place.top + n * place.cell <= 600, `${n}`);
    assert.deepEqual(cellAt(place.left + (n - 0.5) * place.cell, place.top + 0.5 * place.cell, n, place), [0, n - 1]);
    assert.equal(cellAt(place.left - 1, place.top + 1, n, place), null);
  }
  assert.ok(matrixPlace(10, 900, 600).hasNames && !matrixPlace(500, 900, 600).hasNames);
});

test("more is darker, and a little is still seen", () => {
  assert.equal(darkness(0, 10), 0);
  assert.equal(darkness(10, 10), 1);
  assert.ok(darkness(1, 10) < 1 && darkness(1, 10) > darkness(0.1, 10));
  assert.ok(darkness(1e-12, 10) > 0.1);
});
