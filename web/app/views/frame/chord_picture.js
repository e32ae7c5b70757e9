// SPDX-License-Identifier: Apache-2.0
// The chord diagram as SVG: few enough shapes that each can be pointed at.
import {draw} from "../../elements.js";
import {shorten} from "../../words.js";
import {isDarkPage, unitColour} from "../cluster/unit_lists.js";
import {arcPath, chordLayout, ribbonPath} from "./chord.js";
import {mostLevelNames, placeLabels} from "./labels.js";

const inner = 196, outer = 216, mostLabel = 24;
const mostNames = 90;  // more names than that lie on each other: the pointer and the keys tell them

// The colour of a unit: by its number, else by its name, so that it is the same in each frame and view.
function colourOf(unit, isDark) {
  if (unit.kind === "others") return "var(--quiet)";
  if (unit.kind !== "unit" && unit.kind !== "vertex") return "var(--edge)";
  return unitColour(unit.number, isDark);
}

// → {element, ribbons, arcs}; each ribbon and arc has its `shape`.
export function chordPicture({order, units, entries, groups}) {
  const {arcs, ribbons} = chordLayout(order, entries, groups), isDark = isDarkPage(), most = Math.max(1e-9, ...arcs.map((arc) => arc.own));
  for (const ribbon of ribbons) ribbon.shape = draw("path", {class: "ribbon", d: ribbonPath(ribbon, inner - 4), fill: colourOf(units[ribbon.entry.from], isDark)});
  const thickness = arcs.map((arc) => outer + (arc.own > 0 ? 4 + 14 * Math.sqrt(arc.own / most) : 0)), areLevel = arcs.length <= mostLevelNames;
  const labels = placeLabels(arcs, thickness.map((one) => (areLevel ? Math.max(...thickness) + 10 : one + 6)), 500);
  arcs.forEach((arc, i) => {
    const thick = thickness[i], {x, y, anchor, angle} = labels[i], middle = (arc.begin + arc.end) / 2, edge = [Math.sin(middle) * (thick + 1), -Math.cos(middle) * (thick + 1)];
    arc.shape = draw("g", {class: "arc"}, draw("path", {d: arcPath(arc.begin, arc.end, inner, thick), fill: colourOf(units[arc.unit], isDark)}),
      arc.middle > arc.begin ? draw("path", {d: arcPath(arc.begin, arc.middle, inner, thick), class: "incoming"}) : null,
      areLevel ? draw("line", {class: "leader", x1: edge[0].toFixed(1), y1: edge[1].toFixed(1), x2: (x - Math.sign(x) * 2).toFixed(1), y2: y.toFixed(1)}) : null,
      arcs.length > mostNames ? null : draw("text", {transform: `translate(${x.toFixed(1)} ${y.toFixed(1)}) rotate(${angle.toFixed(2)})`, "text-anchor": anchor, dx: anchor === "end" ? -2 : 2, dy: "0.35em"}, shorten(units[arc.unit].name, mostLabel)));
  });
  const rings = groups ? hostRings(arcs, groups) : [];
  const element = draw("svg", {viewBox: areLevel ? "-390 -262 780 524" : "-400 -380 800 760", class: areLevel ? "chords" : "chords many", role: "img", "aria-hidden": "true"}, 
    draw("g", {class: "ribbons"}, [...ribbons].map((ribbon) => ribbon.shape)), draw("g", {class: "arcs"}, arcs.map((arc) => arc.shape)), draw("g", {class: "hosts"}, rings));
  return {element, ribbons, arcs};
}

// A line within the arcs of one host.
function hostRings(arcs, groups) {
  const rings = [];
  for (let first = 0; first < arcs.length;) {
    let end = first;
    while (end + 1 < arcs.length && groups[arcs[end + 1].unit] === groups[arcs[first].unit]) ++end;
    if (groups[arcs[first].unit] !== "") rings.push(draw("path", {d: arcPath(arcs[first].begin, arcs[end].end, inner - 3.2, inner - 1.2), class: "host"}));
    first = end + 1;
  }
  return rings;
}
