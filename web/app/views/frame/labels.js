// SPDX-License-Identifier: Apache-2.0
// Where the names around a chord diagram stand. Few names are written level, and pushed apart where they would lie on each
// other; many stand out from the circle like rays.
export const mostLevelNames = 36;
const lineHeight = 14;

// arcs: {begin, end}; radii: by arc. → [{x, y, anchor, angle}…], angle in degrees, 0 for level names.
export function placeLabels(arcs, radii, height) {
  const places = arcs.map(({begin, end}, i) => {
    const angle = (begin + end) / 2, isLeft = Math.sin(angle) < 0;
    return {angle, isLeft, radius: radii[i], x: Math.sin(angle) * radii[i], y: -Math.cos(angle) * radii[i]};
  });
  if (arcs.length > mostLevelNames) {
    return places.map(({x, y, angle, isLeft}) => ({x, y, anchor: isLeft ? "end" : "start", angle: angle * 180 / Math.PI - 90 + (isLeft ? 180 : 0)}));
  }
  for (const isLeft of [true, false]) spreadOut(places.filter((place) => place.isLeft === isLeft), height);
  return places.map(({x, y, radius, isLeft}) => {
    const onCircle = Math.sqrt(Math.max(0, radius * radius - y * y)), away = Math.max(Math.abs(x), onCircle);
    return {x: isLeft ? -away : away, y, anchor: isLeft ? "end" : "start", angle: 0};
  });
}

// Downwards from the top, then back upwards from the bottom: names keep their order and their distance as far as there is room.
function spreadOut(side, height) {
  side.sort((a, b) => a.y - b.y);
  const step = Math.min(lineHeight, height / Math.max(1, side.length));
  for (let i = 0; i < side.length; ++i) side[i].y = Math.max(side[i].y, i > 0 ? side[i - 1].y + step : -height / 2);
  for (let i = side.length - 1; i >= 0; --i) side[i].y = Math.min(side[i].y, i + 1 < side.length ? side[i + 1].y - step : height / 2);
}
