// SPDX-License-Identifier: Apache-2.0
// The server's binary answers as columns (views/tiles.h, views/segments.h say how they lie). What is no such answer is an error.
export const nobody = 0xffffffff;
export const kinds = ["unknown", "run", "runnable", "wait", "spin"];
export const [unknown, run, runnable, wait, spin] = [0, 1, 2, 3, 4];
export const causes = ["thread", "disk", "nic", "timer", "irq", "spin", "idle device", "creator", "unknown", "link"];
const rowLetters = "tpcnrdu";

function header(bytes, magic) {
  const view = new DataView(bytes);
  if (bytes.byteLength < 16 || [...magic].some((letter, i) => view.getUint8(i) !== letter.charCodeAt(0))) throw new Error("the server's answer is not what was asked for; are page and server of one version?");
  return view;
}
function check(bytes, expected) {
  if (bytes.byteLength !== expected) throw new Error("the server's answer was cut off");
}

// {rows: [key…], pixels, segments, from, to, waker, shares, cause}: cell of row r and pixel p is r · pixels + p.
export function readTiles(bytes) {
  const view = header(bytes, "GTL1"), count = view.getUint32(4, true), pixels = view.getUint32(8, true), cells = count * pixels;
  check(bytes, 32 + 8 * count + cells * 10);
  const kindColumn = new Uint32Array(bytes, 32, count), ids = new Uint32Array(bytes, 32 + 4 * count, count), start = 32 + 8 * count;
  return {
    rows: Array.from(ids, (id, i) => rowLetters[kindColumn[i]] + id), pixels, segments: view.getUint32(12, true), from: view.getFloat64(16, true), to: view.getFloat64(24, true),
    waker: new Uint32Array(bytes, start, cells), shares: new Uint8Array(bytes, start + 4 * cells, 5 * cells), cause: new Uint8Array(bytes, start + 9 * cells, cells),
  };
}

// {isCut, threads, first, start, end, waker, state, kind, cause, open}
export function readSegments(bytes) {
  const view = header(bytes, "GSG1"), threads = view.getUint32(4, true), count = view.getUint32(8, true);
  check(bytes, 16 + 25 * count + 4 * (2 * threads + 1));
  let at = 16;
  const take = (type, size) => {
    const column = new type(bytes, at, size);
    at += size * type.BYTES_PER_ELEMENT;
    return column;
  };
  const start = take(Float64Array, count), end = take(Float64Array, count), ids = take(Uint32Array, threads), first = take(Uint32Array, threads + 1), waker = take(Uint32Array, count);
  const state = take(Uint16Array, count), kind = take(Uint8Array, count), cause = take(Uint8Array, count), open = take(Uint8Array, count);
  return {isCut: view.getUint32(12, true) === 1, threads: ids, first, start, end, waker, state, kind, cause, open};
}

// The place of the last of column[from…to) that is at most `value`; from − 1 if none is.
export function lastAtMost(column, value, from, to) {
  while (from < to) {
    const middle = (from + to) >> 1;
    if (column[middle] <= value) from = middle + 1;
    else to = middle;
  }
  return from - 1;
}

// Exact sums of segments within a range: {count: waits, ns: [by kind]}
export function sumsWithin(segments, from, to) {
  const ns = [0, 0, 0, 0, 0];
  let waits = 0;
  for (let i = 0; i < segments.start.length; ++i) {
    const part = Math.min(segments.end[i], to) - Math.max(segments.start[i], from);
    if (part <= 0) continue;
    ns[segments.kind[i]] += part;
    if (segments.kind[i] === wait || segments.kind[i] === spin) ++waits;
  }
  return {waits, ns};
}
