// SPDX-License-Identifier: Apache-2.0
// Draws a treemap on a canvas: thousands of rectangles in a few milliseconds, where as many elements would take a second.
import {shorten} from "../../words.js";

const line = {rack: 4, node: 3, container: 2, process: 1, thread: 1};
const chipHeight = 17;

// "#rrggbb" twice, and where between them.
export function between(from, to, at) {
  const part = (text, i) => parseInt(text.slice(1 + 2 * i, 3 + 2 * i), 16);
  return [0, 1, 2].map((i) => Math.round(part(from, i) + (part(to, i) - part(from, i)) * at));
}
const written = ([r, g, b]) => `rgb(${r} ${g} ${b})`;
const isLight = ([r, g, b]) => 0.299 * r + 0.587 * g + 0.114 * b > 140;

// The colour of a share, from the page's ground to `ink`. `spread`: roots spread the small shares, where most units are.
export const ramp = (colour, ink, spread) => (share) => between(colour("--grid"), colour(ink), Math.min(1, Math.max(0, share)) ** (spread ? 0.5 : 1));

// Where the names of groups stand: [{group, box}…]. items: the leaves; groups: what they belong to, from the whole to the part. Each has a box.
export function drawTreemap(canvas, {items, groups, fill, isFaint, isPicked, focused, colour, words}) {
  const scale = devicePixelRatio || 1, width = canvas.clientWidth, height = canvas.clientHeight;
  canvas.width = Math.round(width * scale);
  canvas.height = Math.round(height * scale);
  const ink = canvas.getContext("2d");
  ink.scale(scale, scale);
  ink.fillStyle = colour("--card");
  ink.fillRect(0, 0, width, height);
  const chipsAt = new Map();  // left upper corner → chips there
  const corner = (box) => `${Math.round(box.x)} ${Math.round(box.y)}`;
  const named = groups.filter(({box}) => box.width > 70 && box.height > 44);
  for (const group of named) chipsAt.set(corner(group.box), (chipsAt.get(corner(group.box)) ?? 0) + 1);
  ink.textBaseline = "top";
  for (const item of items) {
    const {box} = item, shade = fill(item);
    ink.globalAlpha = isFaint(item) ? 0.25 : 1;
    ink.fillStyle = written(shade);
    ink.fillRect(box.x, box.y, box.width, box.height);
    ink.strokeStyle = colour("--card");
    ink.lineWidth = box.width > 3 && box.height > 3 ? 1 : 0.3;
    ink.strokeRect(box.x, box.y, box.width, box.height);
    const top = box.y + 4 + chipHeight * (chipsAt.get(corner(box)) ?? 0);
    if (box.width < 44 || box.y + box.height - top < 13) continue;
    ink.save();
    ink.beginPath();
    ink.rect(box.x, box.y, box.width - 3, box.height);
    ink.clip();
    ink.fillStyle = isLight(shade) ? "#1d2126" : "#ffffff";
    ink.font = "600 12px system-ui, sans-serif";
    ink.fillText(fitting(ink, item.name, box.width - 8), box.x + 5, top);
    if (box.y + box.height - top > 29) {
      ink.font = "12px system-ui, sans-serif";
      ink.globalAlpha *= 0.85;
      const choice = words(item).find((one) => ink.measureText(one).width < box.width - 8);
      if (choice) ink.fillText(choice, box.x + 5, top + 15);
    }
    ink.restore();
  }
  ink.globalAlpha = 1;
  for (const {box, kind} of [...groups].reverse()) {
    ink.strokeStyle = colour("--card");
    ink.lineWidth = 2 * line[kind];
    ink.strokeRect(box.x, box.y, box.width, box.height);
    ink.strokeStyle = colour("--quiet");
    ink.lineWidth = line[kind] / 2;
    ink.strokeRect(box.x + 0.5, box.y + 0.5, box.width - 1, box.height - 1);
  }
  const drawnAt = new Map(), chips = [];
  for (const group of named) {
    const {box, name} = group, before = drawnAt.get(corner(box)) ?? 0;
    drawnAt.set(corner(box), before + 1);
    ink.font = "600 11px system-ui, sans-serif";
    const text = shorten(name, Math.floor((box.width - 12) / 6)), x = box.x + 3, y = box.y + 3 + before * chipHeight;
    const chip = {x, y, width: ink.measureText(text).width + 10, height: chipHeight - 2};
    chips.push({group, box: chip});
    ink.fillStyle = colour("--card");
    ink.globalAlpha = 0.92;
    ink.fillRect(chip.x, chip.y, chip.width, chip.height);
    ink.globalAlpha = 1;
    ink.fillStyle = colour("--ink");
    ink.fillText(text, x + 5, y + 2);
  }
  for (const item of [...groups, ...items].filter(isPicked)) outline(ink, item.box, colour("--pick"), 3);
  if (focused) outline(ink, focused.box, colour("--ink"), 2);
  return chips;
}

function fitting(ink, text, width) {
  const whole = ink.measureText(text).width;
  return whole <= width ? text : shorten(text, Math.max(2, Math.floor(text.length * width / whole)));
}

function outline(ink, box, stroke, width) {
  ink.strokeStyle = stroke;
  ink.lineWidth = width;
  ink.strokeRect(box.x + width / 2, box.y + width / 2, Math.max(0, box.width - width), Math.max(0, box.height - width));
}
