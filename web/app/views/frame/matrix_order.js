// SPDX-License-Identifier: Apache-2.0
// The order of a matrix' rows and columns: units of one rack, then of one node, stand together; among them those that have most
// to do with each other stand side by side, so that heavy entries gather near the diagonal.
//
// What is made small is Σ weight · |distance from the diagonal|, the weight of both directions. A chain of nearest neighbours
// begins, then units move to the middle of their partners, then neighbours change places while that helps.

// A sparse symmetric graph: for each unit its partners and weights.
function partnersOf(n, entries) {
  const at = new Uint32Array(n + 1);
  for (const {from, to} of entries) if (from !== to) { ++at[from + 1]; ++at[to + 1]; }
  for (let i = 0; i < n; ++i) at[i + 1] += at[i];
  const other = new Uint32Array(at[n]), weight = new Float64Array(at[n]), next = at.slice(0, n);
  for (const {from, to, amount} of entries) if (from !== to) {
    other[next[from]] = to;
    weight[next[from]++] = amount;
    other[next[to]] = from;
    weight[next[to]++] = amount;
  }
  return {at, other, weight};
}

export function spread(order, entries) {
  const place = new Uint32Array(order.length);
  order.forEach((unit, i) => { place[unit] = i; });
  return entries.reduce((sum, {from, to, amount}) => sum + amount * Math.abs(place[from] - place[to]), 0);
}

// Begins with the unit of least weight, an end of the chain; goes on with the one that has most to do with the last ones.
function chain(n, {at, other, weight}) {
  const total = new Float64Array(n), pull = new Float64Array(n), done = new Uint8Array(n), order = [];
  for (let unit = 0; unit < n; ++unit) for (let i = at[unit]; i < at[unit + 1]; ++i) total[unit] += weight[i];
  for (let step = 0; step < n; ++step) {
    let next = -1;
    for (let unit = 0; unit < n; ++unit) {
      if (done[unit]) continue;
      if (next < 0 || pull[unit] > pull[next] || (pull[unit] === pull[next] && total[unit] < total[next])) next = unit;
    }
    done[next] = 1;
    order.push(next);
    for (let unit = 0; unit < n; ++unit) pull[unit] *= 0.5;  // who was placed long ago pulls less
    for (let i = at[next]; i < at[next + 1]; ++i) pull[other[i]] += weight[i];
  }
  return order;
}

function toTheMiddle(order, {at, other, weight}) {
  const n = order.length, place = new Float64Array(n), middle = new Float64Array(n);
  order.forEach((unit, i) => { place[unit] = i; });
  for (let unit = 0; unit < n; ++unit) {
    let sum = 0, all = 0;
    for (let i = at[unit]; i < at[unit + 1]; ++i) { sum += weight[i] * place[other[i]]; all += weight[i]; }
    middle[unit] = all > 0 ? (sum / all + place[unit]) / 2 : place[unit];
  }
  return [...order].sort((a, b) => middle[a] - middle[b] || place[a] - place[b]);
}

// Neighbours change places while that gains; at most `passes` times through all.
function changePlaces(order, {at, other, weight}, passes) {
  const n = order.length, place = new Float64Array(n);
  order.forEach((unit, i) => { place[unit] = i; });
  // By how much the sum grows if the unit moves one to the right, those two apart.
  const slope = (unit, apart) => {
    let change = 0;
    for (let i = at[unit]; i < at[unit + 1]; ++i) if (other[i] !== apart) change += place[other[i]] > place[unit] ? -weight[i] : weight[i];
    return change;
  };
  for (let pass = 0; pass < passes; ++pass) {
    let gained = false;
    for (let i = 0; i + 1 < n; ++i) {
      const a = order[i], b = order[i + 1];
      if (slope(a, b) - slope(b, a) >= -1e-9) continue;
      [order[i], order[i + 1]] = [b, a];
      place[a] = i + 1;
      place[b] = i;
      gained = true;
    }
    if (!gained) break;
  }
  return order;
}

// An order of 0 to n - 1 for entries among them.
function orderOf(n, entries) {
  if (n < 3) return Array.from({length: n}, (_, i) => i);
  const graph = partnersOf(n, entries), named = Array.from({length: n}, (_, i) => i);
  let best = null, least = Infinity;
  for (const start of [chain(n, graph), named]) {
    let order = start;
    for (let round = 0; round < 4; ++round) {
      const settled = changePlaces([...order], graph, round < 3 ? 2 : 6), cost = spread(settled, entries);
      if (cost < least) [best, least] = [settled, cost];
      order = toTheMiddle(settled, graph);
    }
  }
  return best;
}

// keys: by unit, from the whole to the part: ["rack 1", "node 3"]. Units of one key stand together on each level.
export function matrixOrder(n, entries, keys = null) {
  const depth = keys && n > 0 ? keys[0].length : 0;
  const sorted = (units, level) => {
    if (level < depth) {
      const names = [...new Set(units.map((unit) => keys[unit][level]))];
      if (names.length > 1) {
        const group = new Map();
        for (const unit of units) group.set(unit, names.indexOf(keys[unit][level]));
        const among = entries.filter(({from, to}) => group.has(from) && group.has(to)).map(({from, to, amount}) => ({from: group.get(from), to: group.get(to), amount}));
        return orderOf(names.length, among).flatMap((index) => sorted(units.filter((unit) => group.get(unit) === index), level + 1));
      }
      return sorted(units, level + 1);
    }
    const number = new Int32Array(n).fill(-1);
    units.forEach((unit, i) => { number[unit] = i; });
    const among = [];
    for (const {from, to, amount} of entries) if (number[from] >= 0 && number[to] >= 0) among.push({from: number[from], to: number[to], amount});
    return orderOf(units.length, among).map((i) => units[i]);
  };
  return sorted(Array.from({length: n}, (_, i) => i), 0);
}
