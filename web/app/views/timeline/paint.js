// SPDX-License-Identifier: Apache-2.0
// How states look. A cell is a stack from the bottom up: runs, spins, ready, waits by their cause, unknown. Waits for disks are
// striped, those for the network dotted, unknown time cross-striped: colour alone tells nothing.
import {causes, run, runnable, spin, unknown, wait} from "./answers.js";

export const waitName = (cause) => ({disk: "disk", nic: "net", link: "net", timer: "timer", spin: "lock"}[causes[cause]] ?? "wait");
export const stateName = (kind, cause) => (kind === run ? "run" : kind === runnable ? "ready" : kind === spin ? "spin" : kind === wait ? waitName(cause) : "unknown");

// "#rrggbb" as a pixel of a picture's memory.
export function pixelOf(colour) {
  const number = parseInt(colour.slice(1, 7), 16);
  return (0xff000000 | ((number & 0xff) << 16) | (number & 0xff00) | (number >> 16)) >>> 0;
}

// `hex`: (name) => "#rrggbb". For each state two pixels, of the pattern's ground and of its ink.
export function paletteOf(hex) {
  const ink = pixelOf(hex("--card")), palette = {};
  for (const state of ["run", "ready", "wait", "disk", "net", "lock", "timer", "spin", "unknown"]) palette[state] = {plain: pixelOf(hex("--state-" + state)), ink};
  palette.busy = {plain: pixelOf(hex("--bar")), ink};
  return palette;
}

const patterns = {
  disk: (x, y) => (x + y) % 6 < 2,
  net: (x, y) => x % 4 < 1 && y % 4 < 2,
  unknown: (x, y) => (x + y) % 8 < 1 || (x - y + 800) % 8 < 1,
};

const stack = [[run, "run"], [spin, "spin"], [runnable, "ready"], [wait, null], [unknown, "unknown"]];

// Rows [from, to) of cells into `pixels` (Uint32Array of these rows alone, each `height` lines of `width`). Pixels of nothing stay
// as they are: see-through.
export function paintCells(pixels, {width, height, shares, cause, rows, from = 0, to = rows.length}, palette) {
  for (let row = from; row < to; ++row) {
    const isDevice = rows[row][0] === "d", noWaits = isDevice || rows[row][0] === "u", base = (row - from) * height * width;
    for (let x = 0; x < width; ++x) {
      const cell = row * width + x;
      let y = height, filled = 0;
      for (let i = 0; i < stack.length; ++i) {
        const kind = stack[i][0], share = shares[5 * cell + kind];
        if (share === 0 || (noWaits && kind === wait)) continue;
        filled += share;
        // Something that was there is seen, as a line at least.
        const top = Math.max(0, Math.min(y - 1, Math.round(height * (1 - filled / 255)))), state = isDevice ? "busy" : stack[i][1] ?? waitName(cause[cell]);
        const {plain, ink} = palette[state], pattern = patterns[state];
        let at = base + (y - 1) * width + x;
        if (pattern) for (; y > top; --y, at -= width) pixels[at] = pattern(x, y) ? ink : plain;
        else for (; y > top; --y, at -= width) pixels[at] = plain;
      }
    }
  }
}
