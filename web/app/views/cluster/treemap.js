// SPDX-License-Identifier: Apache-2.0
// Squarified treemaps (Bruls, Huizing, van Wijk 2000): rectangles with exactly the areas of their values, as square as rows of
// them can be. Forty lines of our own: d3-hierarchy does the same on a tree of its own objects, with all its other layouts.

// The values (0 or more) as {x, y, width, height} within `box`, in the same order. What is 0 has no width.
export function squarify(values, box) {
  const total = values.reduce((sum, value) => sum + value, 0), result = values.map(() => ({x: box.x, y: box.y, width: 0, height: 0}));
  const order = values.map((_, i) => i).filter((i) => values[i] > 0).sort((a, b) => values[b] - values[a] || a - b);
  if (!(total > 0) || !(box.width > 0) || !(box.height > 0)) return result;
  let {x, y, width, height} = box, left = total, at = 0;
  while (at < order.length) {
    const side = Math.min(width, height), scale = width * height / left;
    let sum = values[order[at]], worst = worstOf(sum, sum, sum, side, scale), end = at + 1;
    const largest = sum;
    for (; end < order.length; ++end) {
      const smallest = values[order[end]], next = worstOf(largest, smallest, sum + smallest, side, scale);
      if (next > worst) break;
      worst = next;
      sum += smallest;
    }
    // The last row takes all that is left: no sliver by rounding.
    const isLast = end === order.length, depth = isLast ? Math.max(width, height) : sum * scale / side, isColumn = width >= height;
    let offset = 0;
    for (let i = at; i < end; ++i) {
      const length = i === end - 1 ? side - offset : values[order[i]] / sum * side;
      result[order[i]] = isColumn ? {x, y: y + offset, width: depth, height: length} : {x: x + offset, y, width: length, height: depth};
      offset += length;
    }
    if (isColumn) x += depth, width -= depth;
    else y += depth, height -= depth;
    left -= sum;
    at = end;
  }
  return result;
}

// The worst ratio of sides in a row along `side`.
function worstOf(largest, smallest, sum, side, scale) {
  const depth = sum * scale / side, ratio = (value) => { const length = value * scale / depth; return Math.max(length / depth, depth / length); };
  return Math.max(ratio(largest), ratio(smallest));
}

// For comparison: all in one row.
export function sliceAndDice(values, box) {
  const total = values.reduce((sum, value) => sum + value, 0);
  let offset = 0;
  return values.map((value) => {
    const share = total > 0 ? value / total : 0, isRow = box.width >= box.height, length = share * (isRow ? box.width : box.height);
    const made = isRow ? {x: box.x + offset, y: box.y, width: length, height: box.height} : {x: box.x, y: box.y + offset, width: box.width, height: length};
    offset += length;
    return made;
  });
}

// A tree {value, children} with `box` on each item. Children fill their parent, without margins: so areas can be compared
// anywhere in the picture. Items of no value, and all below them, get no box.
export function layOut(tree, box) {
  tree.box = box;
  const children = tree.children ?? [], boxes = squarify(children.map((child) => child.value), box);
  children.forEach((child, i) => { if (child.value > 0) layOut(child, boxes[i]); else child.box = null; });
}

// The item of `items` next to `from` in that direction: the nearest whose middle lies more that way than to the side.
export function neighbour(items, from, direction) {
  const middle = (item) => [item.box.x + item.box.width / 2, item.box.y + item.box.height / 2], [x, y] = middle(from);
  const [dx, dy] = {left: [-1, 0], right: [1, 0], up: [0, -1], down: [0, 1]}[direction];
  let best = null, least = Infinity;
  for (const item of items) {
    if (item === from) continue;
    const [px, py] = middle(item), ahead = (px - x) * dx + (py - y) * dy, aside = Math.abs((px - x) * dy) + Math.abs((py - y) * dx);
    const distance = ahead + 2 * aside;
    if (ahead > 1e-6 && ahead >= aside * 0.5 && distance < least) [best, least] = [item, distance];
  }
  return best;
}
