// SPDX-License-Identifier: Apache-2.0
// The chord diagram as SVG: few enough shapes that each can be pointed at.
import {draw} from "../../elements.js";
import {shorten} from "../../words.js";
import {isDarkPage, unitColour} from "../cluster/unit_lists.js";
import {arcPath, chordLayout, labelPlace, ribbonPath} from "./chord.js";

const inner = 196, outer = 216, mostLabel = 22;

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
  for (const arc of arcs) {
    const thick = outer + (arc.own > 0 ? 4 + 14 * Math.sqrt(arc.own / most) : 0), colour = colourOf(units[arc.unit], isDark), text = labelPlace(arc, thick + 7);
    arc.shape = draw("g", {class: "arc"}, draw("path", {d: arcPath(arc.begin, arc.end, inner, thick), fill: colour}),
      arc.middle > arc.begin ? draw("path", {d: arcPath(arc.begin, arc.middle, inner, thick), class: "incoming"}) : null,
      draw("text", {transform: text.transform, "text-anchor": text.anchor, dy: "0.35em"}, shorten(units[arc.unit].name, mostLabel)));
  }
  const rings = groups ? hostRings(arcs, groups) : [];
  const element = draw("svg", {viewBox: "-420 -345 840 690", class: "chords", role: "img", "aria-hidden": "true"}, 
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
