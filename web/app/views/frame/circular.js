// SPDX-License-Identifier: Apache-2.0
// The order of units around a circle, with few crossings of the chords between them (Baur and Brandes 2004, with weights, and
// with units of one host side by side, as in GiViP): greedy placement, then sifting.
//
// A crossing of two chords weighs the product of their weights. Weights are those of both directions together.

// weights: n rows of n numbers, or {from, to, amount} with n → a symmetric array of n × n without loops.
export function symmetric(n, entries) {
  const weights = new Float64Array(n * n);
  for (const {from, to, amount} of entries) if (from !== to) {
    weights[from * n + to] += amount;
    weights[to * n + from] += amount;
  }
  return weights;
}

// The weight of all crossings if the units stand in that order, in O(m log n): a chord that ends crosses those that began
// within it and still go on.
export function crossings(order, weights) {
  const n = order.length, tree = new Float64Array(n + 1);
  const add = (at, value) => { for (let i = at + 1; i <= n; i += i & -i) tree[i] += value; };
  const before = (at) => { let sum = 0; for (let i = at; i > 0; i -= i & -i) sum += tree[i]; return sum; };
  let total = 0;
  for (let end = 0; end < n; ++end) {
    const row = order[end] * n;
    for (let begin = 0; begin < end; ++begin) { const weight = weights[row + order[begin]]; if (weight > 0) add(begin, -weight); }
    for (let begin = 0; begin < end; ++begin) {
      const weight = weights[row + order[begin]];
      if (weight > 0) total += weight * (before(end) - before(begin + 1));
    }
    let opened = 0;
    for (let later = end + 1; later < n; ++later) opened += weights[row + order[later]];
    if (opened > 0) add(end, opened);
  }
  return total;
}

// What crossings of chords of u with those of v weigh: [with u just before v, with v just before u]. `after` are the others, in
// their order behind both.
function crossingsOfPair(u, v, after, weights, n) {
  let uBefore = 0, vBefore = 0, first = 0, second = 0;
  for (const x of after) {
    const ofU = weights[u * n + x], ofV = weights[v * n + x];
    first += uBefore * ofV;
    second += vBefore * ofU;
    uBefore += ofU;
    vBefore += ofV;
  }
  return [first, second];
}

// Greedy: next the unit with most weight to those that stand, at the end where its chords cross fewer of the open ones.
function place(members, weights, n) {
  const left = new Set(members), order = [], toPlaced = new Float64Array(n);
  while (left.size > 0) {
    let next = -1, best = -1;
    for (const unit of left) {
      let open = 0;
      for (const other of left) open += weights[unit * n + other];
      const score = toPlaced[unit] > 0 ? toPlaced[unit] / (toPlaced[unit] + open) + 1 : open > 0 ? 0.5 / (1 + open) : 0;
      if (score > best) [next, best] = [unit, score];
    }
    left.delete(next);
    if (order.length > 1) {
      // At the right end its chords cross the open chords of those to the right of their partners; at the left end likewise.
      let right = 0, leftEnd = 0, openRight = 0, openLeft = 0;
      const openOf = (unit) => { let sum = 0; for (const other of left) sum += weights[unit * n + other]; return sum; };
      const open = order.map(openOf);
      for (let i = order.length - 1; i >= 0; --i) { right += weights[next * n + order[i]] * openRight; openRight += open[i]; }
      for (let i = 0; i < order.length; ++i) { leftEnd += weights[next * n + order[i]] * openLeft; openLeft += open[i]; }
      if (leftEnd < right) order.unshift(next);
      else order.push(next);
    } else {
      order.push(next);
    }
    for (const unit of left) toPlaced[unit] += weights[next * n + unit];
  }
  return order;
}

// Moves each unit to its best place among [first, end) of the order, round after round while that gains.
function sift(order, first, end, weights, n, rounds) {
  for (let round = 0; round < rounds; ++round) {
    let gained = false;
    for (const unit of order.slice(first, end)) {
      let at = order.indexOf(unit);
      const swap = () => {  // with the one behind it; what that changes
        const v = order[at + 1], after = [...order.slice(at + 2), ...order.slice(0, at)], [now, then] = crossingsOfPair(unit, v, after, weights, n);
        order[at] = v;
        order[++at] = unit;
        return then - now;
      };
      const start = at;
      // To the front without counting, then through all places.
      order.splice(at, 1);
      order.splice(first, 0, unit);
      at = first;
      const change = [0];
      while (at < end - 1) change.push(change[change.length - 1] + swap());
      const here = change[start - first];
      let best = start - first;
      for (let i = 0; i < change.length; ++i) if (change[i] < change[best] - 1e-9 * (Math.abs(change[best]) + 1)) best = i;
      order.splice(end - 1, 1);
      order.splice(first + best, 0, unit);
      if (change[best] < here) gained = true;
    }
    if (!gained) return;
  }
}

const mostRounds = 12;

// The units 0 to n - 1 in an order around the circle. groups: by unit, its host; those of one host stand side by side.
export function circularOrder(n, entries, groups = null) {
  const weights = symmetric(n, entries), names = groups ? [...new Set(groups)] : [];
  if (names.length < 2) {
    const order = place(Array.from({length: n}, (_, i) => i), weights, n);
    sift(order, 0, n, weights, n, mostRounds);
    return order;
  }
  const group = groups.map((name) => names.indexOf(name));
  const blocks = circularOrder(names.length, entries.map(({from, to, amount}) => ({from: group[from], to: group[to], amount})));
  const order = [], spans = [];
  for (const block of blocks) {
    const members = place(group.map((_, i) => i).filter((i) => group[i] === block), weights, n);
    spans.push([order.length, order.length + members.length]);
    order.push(...members);
  }
  // What one host's units gain by moving depends on where the others' stand: a few times around.
  for (let round = 0; round < 4; ++round) {
    const before = order.join();
    for (const [first, end] of spans) sift(order, first, end, weights, n, mostRounds);
    if (order.join() === before) break;
  }
  return order;
}
