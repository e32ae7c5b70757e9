// SPDX-License-Identifier: Apache-2.0
// The answer of /api/R/matrix as units and entries, as far as they are shown.
export const mostChordUnits = 64;  // beyond that chords cannot be told apart

// A unit is the same in each frame by its kind and number, or, without one, by its name.
export const unitKey = (unit) => (unit.number >= 0 ? `${unit.kind}:${unit.number}` : `${unit.kind}:${unit.name}`);

// weigh: "own", or "cascaded": of waits, with those behind them. finds(unit): whether it passes the filter; an entry stays if
// one of its ends does. → {units: [{kind, number, name, node, key, out, in}…], entries: [{from, to, amount, count}…]}
export function entriesOf(answer, {weigh = "own", finds = () => true} = {}) {
  const told = answer.units, all = told.kind.map((kind, i) => ({kind, number: told.number[i], name: told.name[i], node: told.node[i]}));
  const amounts = answer.what === "waits" && weigh === "cascaded" ? answer.entries.weight_ns : answer.entries.amount;
  const keeps = all.map(finds), rows = answer.entries.from.map((_, i) => i).filter((i) => amounts[i] > 0 && (keeps[answer.entries.from[i]] || keeps[answer.entries.to[i]]));
  const number = new Map(), units = [];
  const numberOf = (i) => {
    if (!number.has(i)) { number.set(i, units.length); units.push({...all[i], key: unitKey(all[i]), out: 0, in: 0}); }
    return number.get(i);
  };
  // In the order of the answer, so that equal frames have equal numbers.
  for (const i of [...new Set(rows.flatMap((row) => [answer.entries.from[row], answer.entries.to[row]]))].sort((a, b) => a - b)) numberOf(i);
  const entries = rows.map((row) => ({from: numberOf(answer.entries.from[row]), to: numberOf(answer.entries.to[row]), amount: amounts[row], count: answer.entries.count[row]}));
  for (const {from, to, amount} of entries) { units[from].out += amount; units[to].in += amount; }
  return {units, entries};
}

// One order for all frames: the units of a frame in the order that the whole has; those that it does not know stand last.
export function inOrderOf(whole, units) {
  const place = new Map(whole.map((key, i) => [key, i]));
  return units.map((_, i) => i).sort((a, b) => (place.get(units[a].key) ?? whole.length) - (place.get(units[b].key) ?? whole.length) || a - b);
}

// To draw: [drawn, left out], the heaviest first.
export function heaviest(entries, most) {
  const sorted = [...entries].sort((a, b) => b.amount - a.amount);
  return [sorted.slice(0, most), sorted.slice(most)];
}
