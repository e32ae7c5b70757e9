// SPDX-License-Identifier: Apache-2.0
// Where the vertices stand. Waiting flows from left to right: those who wait for the centre stand left of it, a column
// for each step, and what the centre itself waits for stands right. The centre (a knot's members) is a ring, so that a
// circle of waits looks like one. Edges within a column or over several columns are rare enough to be drawn as they fall.
export const boxWidth = 150, boxHeight = 46, rowGap = 34, columnGap = 130;

// Steps over the drawn edges until the centre is reached (against their direction: negative), or from it (positive).
export function columnsOf(ids, drawn, centre) {
  const column = new Map(centre.map((id) => [id, 0]));
  const spread = (step, near, far) => {
    let ring = centre;
    for (let distance = step; ring.length > 0; distance += step) {
      const next = [];
      for (const id of ring) {
        for (const edge of drawn) {
          if (edge[near] !== id || column.has(edge[far])) continue;
          column.set(edge[far], distance);
          next.push(edge[far]);
        }
      }
      ring = next;
    }
  };
  spread(-1, "to", "from");
  spread(1, "from", "to");
  const last = Math.max(0, ...column.values());
  for (const id of ids) if (!column.has(id)) column.set(id, last + 1);
  return column;
}

// The ring's order follows the heaviest edges around, so that neighbours wait for each other.
export function ringOrder(centre, drawn) {
  const left = new Set(centre);
  const order = [];
  let at = centre[0];
  while (at !== undefined) {
    order.push(at);
    left.delete(at);
    const here = at;
    const next = drawn.filter((edge) => edge.from === here && left.has(edge.to)).sort((a, b) => b.weight_s - a.weight_s)[0];
    at = next ? next.to : left.values().next().value;
  }
  return order;
}

// `loops`: some wait for themselves. Those waits are drawn above them, so that two of them stand side by side.
function placeRing(order, loops, place) {
  const number = order.length;
  if (number === 1) place.set(order[0], {x: 0, y: 0});
  if (number === 2) order.forEach((id, i) => place.set(id, loops ? {x: i === 0 ? -160 : 160, y: 0} : {x: 0, y: i === 0 ? -66 : 66}));
  if (number < 3) return;
  const across = Math.max(160, number * 44), down = Math.max(115, number * 34);
  order.forEach((id, i) => {
    const angle = -Math.PI / 2 + (2 * Math.PI * i) / number;
    place.set(id, {x: across * Math.cos(angle), y: down * Math.sin(angle)});
  });
}

// Columns that would be higher than a dozen boxes are broken into several.
function placeColumn(members, x, side, drawn, place) {
  const middle = (id) => {
    const ys = drawn.filter((edge) => edge.from === id || edge.to === id)
      .map((edge) => place.get(edge.from === id ? edge.to : edge.from)).filter(Boolean).map((point) => point.y);
    return ys.length > 0 ? ys.reduce((sum, y) => sum + y, 0) / ys.length : 1e6;
  };
  const order = members.map((id, i) => [middle(id), i, id]).sort((a, b) => a[0] - b[0] || a[1] - b[1]).map((entry) => entry[2]);
  const perColumn = 10;
  const perRow = boxHeight + rowGap;
  for (let begin = 0; begin < order.length; begin += perColumn) {
    const part = order.slice(begin, begin + perColumn);
    // Every second column stands half a row lower: its edges pass between the boxes of the one before.
    const lower = (begin / perColumn) % 2 === 1 ? perRow / 2 : 0;
    part.forEach((id, i) => place.set(id, {x, y: lower + (i - (part.length - 1) / 2) * perRow}));
    x += side * (boxWidth + 30);
  }
  return x;
}

export function layOut(ids, drawn, centre) {
  const place = new Map();
  placeRing(ringOrder(centre, drawn), drawn.some((edge) => edge.from === edge.to && centre.includes(edge.from)), place);
  const reach = Math.max(0, ...[...place.values()].map((point) => Math.abs(point.x)));
  const column = columnsOf(ids, drawn, centre);
  for (const side of [-1, 1]) {
    let x = side * (reach + boxWidth + columnGap);
    // Ends: past the last column there is nobody.
    for (let distance = side; ; distance += side) {
      const members = ids.filter((id) => column.get(id) === distance);
      if (members.length === 0) break;
      x = placeColumn(members, x, side, drawn, place) + side * (columnGap - 30);
    }
  }
  return place;
}

// ---- curves

const between = (a, b, part) => ({x: a.x + (b.x - a.x) * part, y: a.y + (b.y - a.y) * part});

// Where the way from a box's middle towards `target` leaves the box.
function leave(middle, target, margin) {
  const dx = target.x - middle.x, dy = target.y - middle.y;
  const part = Math.min((boxWidth / 2 + margin) / Math.max(1e-9, Math.abs(dx)), (boxHeight / 2 + margin) / Math.max(1e-9, Math.abs(dy)));
  return {x: middle.x + dx * part, y: middle.y + dy * part};
}

// From box to box, bent to its own left, so that an edge and its answer part.
export function curve(from, to, width) {
  const dx = to.x - from.x, dy = to.y - from.y, length = Math.hypot(dx, dy) || 1;
  // Past a box of the same column it goes around.
  const around = Math.abs(dx) < boxWidth / 2 && Math.abs(dy) > 140;
  const bend = around ? boxWidth + 60 : Math.min(60, 22 + length * 0.08);
  const control = {x: (from.x + to.x) / 2 + (dy / length) * bend, y: (from.y + to.y) / 2 - (dx / length) * bend};
  const head = 7 + width * 1.3;
  const start = leave(from, control, 1), tip = leave(to, control, 2);
  const back = Math.hypot(control.x - tip.x, control.y - tip.y) || 1;
  const end = between(tip, control, head / back);
  const label = between(between(start, control, 0.5), between(control, end, 0.5), 0.5);
  return {path: `M${start.x} ${start.y}Q${control.x} ${control.y} ${end.x} ${end.y}`, tip, end, head, label};
}

// A vertex that waits for itself: the members of a group for each other.
export function loop(at, width) {
  const head = 7 + width * 1.3, top = at.y - boxHeight / 2;
  const tip = {x: at.x + 22, y: top - 2}, end = {x: at.x + 26, y: top - 2 - head};
  return {
    path: `M${at.x - 22} ${top - 1}C${at.x - 48} ${top - 62} ${at.x + 50} ${top - 62} ${end.x} ${end.y}`,
    tip, end, head, label: {x: at.x, y: top - 50},
  };
}

export function arrowHead({tip, end, head}) {
  const dx = (tip.x - end.x) / head, dy = (tip.y - end.y) / head, half = head * 0.5;
  return [[tip.x, tip.y], [end.x - dy * half, end.y + dx * half], [end.x + dy * half, end.y - dx * half]].map((point) => point.join(",")).join(" ");
}
