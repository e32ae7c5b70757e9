// SPDX-License-Identifier: Apache-2.0
// A job's critical path: how many of its threads worked at each moment, which program the path went through, and the
// commands that lengthen the job most.
import {draw, make} from "../../elements.js";
import {numberColumn, sortableTable, textColumn} from "../../tables.js";
import {percent, seconds, trimmed} from "../../words.js";

const pathWidth = 1000, pathHeight = 96, pathBand = 18;
// A colour for each program, in the order in which the path goes through them.
function programColours(path) {
  const hues = new Map();
  for (const bin of path.strip) if (bin.program && !hues.has(bin.program)) hues.set(bin.program, (hues.size * 137 + 210) % 360);
  return (program) => (hues.has(program) ? `hsl(${hues.get(program)} 45% 55%)` : "var(--grid)");
}

function pathStrip(path, colourOf) {
  const bins = path.strip, wide = pathWidth / Math.max(1, bins.length), base = pathHeight;
  const most = Math.max(1, ...bins.map((bin) => Math.ceil(bin.running + bin.ready + bin.disk - 0.05)));
  const bars = bins.map((bin, i) => {
    let y = base;
    const told = `${seconds(path.start_s + (i / bins.length) * path.seconds)}: ${trimmed(bin.running)} running, ${trimmed(bin.ready)} ready, ` +
      `${trimmed(bin.disk)} waiting for disks; others ${trimmed(bin.others)}; on the path: ${bin.program || "nothing"}`;
    const parts = [["running", bin.running], ["ready", bin.ready], ["disk", bin.disk]].map(([kind, threads]) => {
      const high = (threads / most) * (pathHeight - 8);
      y -= high;
      return draw("rect", {class: "width " + kind, x: i * wide, y, width: wide + 0.3, height: high});
    });
    return draw("g", null, draw("title", null, told), parts,
      draw("rect", {x: i * wide, y: base + 4, width: wide + 0.3, height: pathBand, style: {fill: colourOf(bin.program)}}));
  });
  const axis = [0, 0.25, 0.5, 0.75, 1].map((part) => draw("text", {x: part * pathWidth, y: base + pathBand + 18,
    "text-anchor": part === 0 ? "start" : part === 1 ? "end" : "middle"}, seconds(path.start_s + part * path.seconds)));
  return draw("svg", {class: "chart", viewBox: `0 0 ${pathWidth} ${base + pathBand + 22}`, role: "img", "aria-label": "Width of the job over time"},
    draw("rect", {class: "back", x: 0, y: 8, width: pathWidth, height: base - 8}), bars, axis);
}

const pathShareTable = (path) => sortableTable([
  textColumn("Program on the path", (row) => row.program + (row.outside ? " (outside)" : "")), textColumn("state", (row) => row.state),
  numberColumn("time", (row) => row.seconds, seconds), numberColumn("share", (row) => row.share, percent),
  numberColumn("alone", (row) => row.alone_s, seconds),
], path.shares, 2);

const pathCommandTable = (path) => sortableTable([
  textColumn("Command", (row) => (row.command || `${row.program}/${row.pid}`) + (row.outside ? " (outside)" : "")),
  textColumn("directory", (row) => row.directory), numberColumn("on the path", (row) => row.path_s, seconds),
  numberColumn("alone", (row) => row.alone_s, seconds), numberColumn("from", (row) => row.start_s, seconds),
  numberColumn("lived", (row) => row.seconds, seconds),
], path.longest, 2);

// The part of the page; null for a report without such a path.
export function pathPart(report) {
  const path = report.path;
  if (!path || path.strip.length === 0) return null;
  const colourOf = programColours(path);
  const legend = make("p", {class: "quiet"}, "Height: threads of the job at work. Below: the program on the critical path. ",
    [...new Set(path.strip.map((bin) => bin.program).filter(Boolean))].map((program) =>
      make("span", {class: "program"}, make("i", {style: {background: colourOf(program)}}), program)));
  return make("section", {id: "path", class: "card", "aria-label": "Critical path of the job"},
    make("h2", null, "Critical path" + (path.root ? " of " + path.root : "") + `: ${seconds(path.seconds)}`),
    pathStrip(path, colourOf), legend, make("div", {class: "columns"}, make("div", null, pathShareTable(path)), make("div", null, pathCommandTable(path))));
}
