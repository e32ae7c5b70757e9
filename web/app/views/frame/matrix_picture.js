// SPDX-License-Identifier: Apache-2.0
// The matrix on a canvas: one pixel a cell, made large; lines and names above. Rows send or wait, columns receive or are waited
// for.
import {shorten} from "../../words.js";
import {between} from "../cluster/draw.js";

// How dark a cell is: the logarithm of its amount, as amounts of entries differ by powers of ten.
export const darkness = (amount, most) => (amount > 0 && most > 0 ? Math.max(0.12, 1 + Math.log10(amount / most) / 5) : 0);

// The place of the picture in a canvas of that size: cells are squares; names stand at the left and above if there is room.
export function matrixPlace(n, width, height) {
  const hasNames = n > 0 && Math.min(width - 150, height - 110) / n >= 9, beside = hasNames ? 150 : 14, top = hasNames ? 110 : 14;
  const room = n > 0 ? Math.max(0.1, Math.min((width - beside - 4) / n, (height - top - 4) / n)) : 1, cell = room >= 4 ? Math.min(40, Math.floor(room)) : room;
  return {left: Math.max(beside, (width + (hasNames ? 100 : 0) - n * cell) / 2), top, cell, hasNames};
}

export function drawMatrix(canvas, {order, units, entries, groups, colour, picked, cursor}) {
  const scale = devicePixelRatio || 1, width = canvas.clientWidth, height = canvas.clientHeight, n = order.length;
  canvas.width = Math.round(width * scale);
  canvas.height = Math.round(height * scale);
  const ink = canvas.getContext("2d"), place = matrixPlace(n, width, height), size = n * place.cell;
  ink.scale(scale, scale);
  ink.fillStyle = colour("--card");
  ink.fillRect(0, 0, width, height);
  if (n === 0) return place;
  ink.fillStyle = colour("--grid");
  ink.fillRect(place.left, place.top, size, size);
  ink.imageSmoothingEnabled = place.cell < 1;
  ink.drawImage(cellsOf(order, entries, colour), place.left, place.top, size, size);
  ink.strokeStyle = colour("--quiet");
  ink.lineWidth = 0.75;
  ink.beginPath();
  for (let i = 1; i < n; ++i) if (groups[order[i]] !== groups[order[i - 1]]) {
    const at = i * place.cell;
    ink.moveTo(place.left + at, place.top);
    ink.lineTo(place.left + at, place.top + size);
    ink.moveTo(place.left, place.top + at);
    ink.lineTo(place.left + size, place.top + at);
  }
  ink.stroke();
  ink.strokeStyle = colour("--line");
  ink.strokeRect(place.left, place.top, size, size);
  if (place.hasNames) writeNames(ink, order, units, place, colour);
  order.forEach((unit, i) => {
    if (!picked(units[unit])) return;
    ink.strokeStyle = colour("--pick");
    ink.lineWidth = 1.5;
    ink.strokeRect(place.left, place.top + i * place.cell, size, place.cell);
    ink.strokeRect(place.left + i * place.cell, place.top, place.cell, size);
  });
  if (cursor) {
    ink.strokeStyle = colour("--ink");
    ink.lineWidth = 2;
    const [row, column] = cursor, edge = Math.max(6, place.cell);
    ink.strokeRect(place.left + (column + 0.5) * place.cell - edge / 2, place.top + (row + 0.5) * place.cell - edge / 2, edge, edge);
  }
  return place;
}

function cellsOf(order, entries, colour) {
  const n = order.length, image = new ImageData(n, n), row = new Int32Array(n), pixels = image.data;
  order.forEach((unit, i) => { row[unit] = i; });
  const ground = colour("--grid"), ink = colour("--knot"), shades = Array.from({length: 256}, (_, i) => between(ground, ink, i / 255));
  let most = 0;
  for (const {amount} of entries) if (amount > most) most = amount;
  for (const {from, to, amount} of entries) {
    const at = 4 * (row[from] * n + row[to]), shade = shades[Math.round(255 * darkness(amount, most))];
    pixels[at] = shade[0];
    pixels[at + 1] = shade[1];
    pixels[at + 2] = shade[2];
    pixels[at + 3] = 255;
  }
  const cells = new OffscreenCanvas(n, n);
  cells.getContext("2d").putImageData(image, 0, 0);
  return cells;
}

function writeNames(ink, order, units, {left, top, cell}, colour) {
  const size = Math.min(12, cell - 1);
  ink.font = `${size}px system-ui, sans-serif`;
  ink.fillStyle = colour("--ink");
  ink.textBaseline = "middle";
  order.forEach((unit, i) => {
    const words = shorten(units[unit].name, Math.floor(140 / (size * 0.56)));
    ink.textAlign = "right";
    ink.fillText(words, left - 6, top + (i + 0.5) * cell);
    ink.save();
    ink.translate(left + (i + 0.5) * cell, top - 6);
    ink.rotate(-Math.PI / 3);
    ink.textAlign = "left";
    ink.fillText(shorten(words, 18), 0, 0);
    ink.restore();
  });
}

// The cell at a point, as [row, column]; null outside.
export function cellAt(x, y, n, {left, top, cell}) {
  const column = Math.floor((x - left) / cell), row = Math.floor((y - top) / cell);
  return row >= 0 && column >= 0 && row < n && column < n ? [row, column] : null;
}
