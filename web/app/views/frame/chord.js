// SPDX-License-Identifier: Apache-2.0
// The geometry of a chord diagram with bimodal arcs (GiViP): each unit's arc has its incoming end first, then its outgoing one,
// clockwise; a ribbon leads from the sender's outgoing end to the receiver's incoming one. What a unit has with itself thickens
// its arc instead.
const fullTurn = 2 * Math.PI;

// order: units around the circle. groups: by unit, its host. → {arcs, ribbons}: angles in radians, clockwise from the top.
export function chordLayout(order, entries, groups = null) {
  const n = order.length, place = new Map(order.map((unit, i) => [unit, i]));
  const into = new Map(), out = new Map(), own = new Map(), add = (map, unit, amount) => map.set(unit, (map.get(unit) ?? 0) + amount);
  const drawn = entries.filter((entry) => place.has(entry.from) && place.has(entry.to) && entry.amount > 0);
  for (const {from, to, amount} of drawn) {
    if (from === to) add(own, from, amount);
    else { add(out, from, amount); add(into, to, amount); }
  }
  const total = drawn.reduce((sum, {from, to, amount}) => sum + (from === to ? 0 : 2 * amount), 0);
  // Between hosts a wider gap; each unit has room to be seen even if nothing leads to it.
  const isBorder = (i) => n > 1 && groups !== null && groups[order[i]] !== groups[order[(i + 1) % n]];
  const borders = order.filter((_, i) => isBorder(i)).length, gap = n > 1 ? Math.min(0.02, 0.35 / (n + 2 * borders)) : 0, least = Math.min(0.012, 0.5 / Math.max(1, n));
  const room = fullTurn - gap * (n + 2 * borders) - least * n, scale = total > 0 ? room / total : 0;
  const arcs = [];
  let angle = gap / 2;
  order.forEach((unit, i) => {
    const incoming = (into.get(unit) ?? 0) * scale, outgoing = (out.get(unit) ?? 0) * scale, begin = angle, middle = begin + least / 2 + incoming, end = begin + least + incoming + outgoing;
    arcs.push({unit, begin, middle, end, inside: [begin, begin + incoming], outside: [end - outgoing, end], incoming: into.get(unit) ?? 0, outgoing: out.get(unit) ?? 0, own: own.get(unit) ?? 0});
    angle = end + gap * (isBorder(i) ? 3 : 1);
  });
  return {arcs, ribbons: ribbonsOf(drawn.filter(({from, to}) => from !== to), place, arcs, scale)};
}

// Within an end, ribbons stand so that none of them cross there: clockwise, first those that lead to the unit just before, and
// last those to the unit just behind, around the circle.
function ribbonsOf(entries, place, arcs, scale) {
  const n = arcs.length, behind = (of, other) => (place.get(other) - place.get(of) + n) % n;
  const ends = (key, partner, side) => {
    const by = new Map();
    for (const entry of entries) (by.get(entry[key]) ?? by.set(entry[key], []).get(entry[key])).push(entry);
    const spans = new Map();
    for (const [unit, list] of by) {
      list.sort((a, b) => behind(unit, b[partner]) - behind(unit, a[partner]));
      let angle = arcs[place.get(unit)][side][0];
      for (const entry of list) { spans.set(entry, [angle, angle + entry.amount * scale]); angle += entry.amount * scale; }
    }
    return spans;
  };
  const sources = ends("from", "to", "outside"), targets = ends("to", "from", "inside");
  return entries.map((entry) => ({entry, source: sources.get(entry), target: targets.get(entry)})).sort((a, b) => b.entry.amount - a.entry.amount);
}

const point = (angle, radius) => `${(Math.sin(angle) * radius).toFixed(2)} ${(-Math.cos(angle) * radius).toFixed(2)}`;
const isLarge = (begin, end) => (end - begin > Math.PI ? 1 : 0);

export function arcPath(begin, end, inner, outer) {
  return `M${point(begin, outer)}A${outer} ${outer} 0 ${isLarge(begin, end)} 1 ${point(end, outer)}L${point(end, inner)}A${inner} ${inner} 0 ${isLarge(begin, end)} 0 ${point(begin, inner)}z`;
}
export function ribbonPath({source, target}, radius) {
  return `M${point(source[0], radius)}A${radius} ${radius} 0 ${isLarge(...source)} 1 ${point(source[1], radius)}Q0 0 ${point(target[0], radius)}` +
    `A${radius} ${radius} 0 ${isLarge(...target)} 1 ${point(target[1], radius)}Q0 0 ${point(source[0], radius)}z`;
}
