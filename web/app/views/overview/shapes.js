// SPDX-License-Identifier: Apache-2.0
// What the picture is made of: vertices in the shape of their kind, and edges as wide as the waiting they carry.
import {draw, pressable} from "../../elements.js";
import {percent, seconds, share, shorten, trimmed} from "../../words.js";
import {isThread, key} from "./data.js";
import {arrowHead, boxHeight, boxWidth, curve, loop} from "./layout.js";

const labelledShare = 0.1;

function bodyOf(kind) {
  const w = boxWidth / 2, h = boxHeight / 2;
  const box = (radius) => draw("rect", {class: "body", x: -w, y: -h, width: boxWidth, height: boxHeight, rx: radius});
  switch (kind) {
    case "disk":
      return draw("g", null,
        draw("path", {class: "body", d: `M${-w} ${-h}a${w} 7 0 0 1 ${boxWidth} 0v${boxHeight}a${w} 7 0 0 1 ${-boxWidth} 0z`}),
        draw("path", {class: "body lid", d: `M${-w} ${-h}a${w} 7 0 0 0 ${boxWidth} 0`}));
    case "nic":
      return draw("path", {class: "body", d: `M${-w} 0L${-w + 18} ${-h}H${w - 18}L${w} 0L${w - 18} ${h}H${-w + 18}z`});
    case "timer":
      return box(h);
    case "irq":
      return draw("path", {class: "body", d: `M${-w + 14} ${-h}H${w}L${w - 14} ${h}H${-w}z`});
    case "remote":
      return draw("path", {class: "body", d: `M${-w} ${h}V${-h + 12}L0 ${-h - 4}L${w} ${-h + 12}V${h}z`});
    case "group":
      return draw("g", null, draw("rect", {class: "body", x: -w + 5, y: -h - 5, width: boxWidth, height: boxHeight, rx: 7}), box(7));
    default:
      return box(7);
  }
}

const roughly = (part) => (part > 0 && part < 0.01 ? "<1" : (part * 100).toFixed(0)) + " %";

function smallWords({recording}, vertex) {
  const whole = recording.seconds;
  if (vertex.kind === "disk" || vertex.kind === "nic") return vertex.kind + ", busy " + percent(share(vertex.busy_s, whole));
  if (!isThread(vertex)) return vertex.kind.replace("_", " ");
  if (vertex.kind === "group") {
    const run = share(vertex.run_s, whole);
    return vertex.members.length + (vertex.members.length === 1 ? " thread, " : " threads, ") + (run < 1 ? "runs " + roughly(run) : trimmed(run) + " CPUs");
  }
  return "runs " + roughly(share(vertex.run_s, whole)) + ", waits " + roughly(share(vertex.wait_s, whole));
}

const classes = (marks) => Object.entries(marks).filter(([, is]) => is).map(([name]) => name).join(" ");

// marks: {knot, outside, picked, faded}
export function drawVertex(data, id, at, marks, pick) {
  const vertex = data.vertices.get(id), name = data.nameOf(id), small = marks.outside ? "outside the target" : smallWords(data, vertex);
  return draw("g", {class: classes({node: true, ...marks}), transform: `translate(${at.x} ${at.y})`, ...pressable(pick), "data-vertex": id,
                    "aria-label": `${name}: ${small}`, "aria-pressed": String(marks.picked)},
    draw("title", null, name + (vertex.process ? " of " + vertex.process : "")),
    bodyOf(vertex.kind),
    draw("text", {y: -1}, shorten(vertex.kind === "group" ? name.replace(/ \(\d+ threads?\)$/, "") : name, 17)),
    draw("text", {y: 15, class: "small"}, small));
}

// heaviest: the weight of the widest edge.
export function drawEdge(data, edge, place, heaviest, marks, pick) {
  const width = Math.max(1, 11 * Math.sqrt(share(edge.weight_s, heaviest)));
  const from = place.get(edge.from);
  const line = edge.from === edge.to ? loop(from, width) : curve(from, place.get(edge.to), width);
  const label = `${data.nameOf(edge.from)} waits for ${data.nameOf(edge.to)}: ${seconds(edge.weight_s)}, own ${seconds(edge.own_s)}`;
  // Many light edges: their numbers show when one points at them.
  const words = seconds(edge.weight_s), half = 4 + words.length * 3.4, light = !marks.knot && edge.weight_s < heaviest * labelledShare;
  return draw("g", {class: classes({edge: true, ...marks, light}), ...pressable(pick), "aria-label": label, "aria-pressed": String(marks.picked), "data-edge": key(edge.from, edge.to)},
    draw("title", null, label),
    draw("path", {d: line.path, "stroke-width": width}),
    draw("path", {d: line.path, class: "grip"}),
    draw("polygon", {points: arrowHead(line)}),
    draw("rect", {class: "plate", x: line.label.x - half, y: line.label.y - 9, width: 2 * half, height: 18, rx: 4}),
    draw("text", {x: line.label.x, y: line.label.y + 4}, words));
}
