// SPDX-License-Identifier: Apache-2.0
// The order of a matrix' rows and columns: units of one rack, then of one node, stand together; among them those that have most
// to do with each other stand side by side, so that heavy entries gather near the diagonal.
//
// What is made small is Σ weight · |distance from the diagonal|, the weight of both directions. A chain of nearest neighbours
// begins, then units move to the middle of their partners, then neighbours change places while that helps.

export function spread(order, entries) {
  const place = new Uint32Array(order.length);
  order.forEach((unit, i) => { place[unit] = i; });
  return entries.reduce((sum, {from, to, amount}) => sum + amount * Math.abs(place[from] - place[to]), 0);
}

// n × n weights of both directions, without the diagonal.
function symmetric(n, entries) {
  const weights = new Float64Array(n * n);
  for (const {from, to, amount} of entries) if (from !== to) {
    weights[from * n + to] += amount;
    weights[to * n + from] += amount;
  }
  return weights;
}

// Begins with the unit of least weight, an end of the chain; goes on with the one that has most to do with the last ones.
function chain(n, weights) {
  const total = new Float64Array(n), pull = new Float64Array(n), done = new Uint8Array(n), order = [];
  for (let unit = 0; unit < n; ++unit) for (let i = unit * n; i < (unit + 1) * n; ++i) total[unit] += weights[i];
  for (let step = 0; step < n; ++step) {
    let next = -1;
    for (let unit = 0; unit < n; ++unit) {
      if (done[unit]) continue;
      if (next < 0 || pull[unit] > pull[next] || (pull[unit] === pull[next] && total[unit] < total[next])) next = unit;
    }
    done[next] = 1;
    order.push(next);
    const row = next * n;
    for (let unit = 0; unit < n; ++unit) pull[unit] = pull[unit] / 2 + weights[row + unit];  // who was placed long ago pulls less
  }
  return order;
}

// Of an order: its sum, the middle of each unit's partners, and by how much the sum grows if a unit moves one to the right.
function lookAt(order, weights) {
  const n = order.length, middle = new Float64Array(n), slope = new Float64Array(n), row = new Float64Array(n);
  let sum = 0;
  for (let i = 0; i < n; ++i) {
    const unit = order[i], first = unit * n;
    for (let j = 0; j < n; ++j) row[j] = weights[first + order[j]];
    let all = 0, places = 0, left = 0;
    for (let j = 0; j < n; ++j) { all += row[j]; places += row[j] * j; }
    for (let j = 0; j < i; ++j) { left += row[j]; sum += row[j] * (i - j); }
    slope[unit] = 2 * left - all;
    middle[unit] = all > 0 ? (places / all + i) / 2 : i;
  }
  return {sum, middle, slope};
}

// Neighbours change places while that gains. Each change costs a step, as only the two units' slopes change.
function changePlaces(order, weights, slope, passes) {
  const n = order.length;
  let gain = 0;
  for (let pass = 0; pass < passes; ++pass) {
    const before = gain;
    for (let i = 0; i + 1 < n; ++i) {
      const a = order[i], b = order[i + 1], between = weights[a * n + b], change = slope[a] - slope[b] + 2 * between;
      if (change >= -1e-9) continue;
      order[i] = b;
      order[i + 1] = a;
      slope[a] += 2 * between;
      slope[b] -= 2 * between;
      gain -= change;
    }
    if (gain === before) break;
  }
  return gain;
}

const mostPasses = 100, rounds = 5;

// An order of 0 to n - 1 for entries among them: O(n²) for each of ten looks at an order.
function orderOf(n, entries) {
  const named = Array.from({length: n}, (_, i) => i);
  if (n < 3) return named;
  const weights = symmetric(n, entries);
  let best = null, least = Infinity;
  for (const start of [chain(n, weights), named]) {
    let order = start;
    for (let round = 0; round < rounds; ++round) {
      const {sum, middle, slope} = lookAt(order, weights), place = new Int32Array(n), settled = [...order], cost = sum - changePlaces(settled, weights, slope, mostPasses);
      if (cost < least) [best, least] = [settled, cost];
      settled.forEach((unit, i) => { place[unit] = i; });
      order = [...settled].sort((a, b) => middle[a] - middle[b] || place[a] - place[b]);
    }
  }
  return best;
}

// keys: by unit, from the whole to the part: ["rack 1", "node 3"]. Units of one key stand together on each level.
export function matrixOrder(n, entries, keys = null) {
  const depth = keys && n > 0 ? keys[0].length : 0, number = new Int32Array(n);
  // `among`: the entries between `units`.
  const sorted = (units, among, level) => {
    if (level === depth) {
      units.forEach((unit, i) => { number[unit] = i; });
      return orderOf(units.length, renumbered(among, number)).map((i) => units[i]);
    }
    const names = new Map();
    for (const unit of units) {
      if (!names.has(keys[unit][level])) names.set(keys[unit][level], names.size);
      number[unit] = names.get(keys[unit][level]);
    }
    if (names.size === 1) return sorted(units, among, level + 1);
    const groups = Array.from(names, () => ({units: [], entries: []})), between = [];
    for (const unit of units) groups[number[unit]].units.push(unit);
    for (const entry of among) {
      if (number[entry.from] === number[entry.to]) groups[number[entry.from]].entries.push(entry);
      else between.push(entry);
    }
    const order = orderOf(groups.length, renumbered(between, number));
    return order.flatMap((i) => sorted(groups[i].units, groups[i].entries, level + 1));
  };
  return sorted(Array.from({length: n}, (_, i) => i), entries, 0);
}

const renumbered = (entries, number) => entries.map(({from, to, amount}) => ({from: number[from], to: number[to], amount}));
