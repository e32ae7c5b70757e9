// SPDX-License-Identifier: Apache-2.0
// Answers of tiles that were asked for, kept within a bound: a sheet is some rows over a range at one resolution. While a
// sharper one is under way the best that is there is drawn, stretched, so that nothing flickers.
const mostCells = 6e6;  // about 60 MB with their pictures

export function sheetsWithin(most = mostCells) {
  let sheets = [], cells = 0, uses = 0;
  return {
    // sheet: {from, to, pixels, rows: [key…], …}
    add(sheet) {
      sheet.resolution = (sheet.to - sheet.from) / sheet.pixels;
      sheet.place = new Map(sheet.rows.map((key, i) => [key, i]));
      sheet.cells = sheet.rows.length * sheet.pixels;
      sheet.used = ++uses;
      sheets.push(sheet);
      cells += sheet.cells;
      while (cells > most && sheets.length > 1) {
        // What was used longest ago goes; the one of the whole recording stays.
        const free = sheets.filter((one) => !one.stays && one !== sheet);
        if (free.length === 0) break;
        const oldest = free.reduce((a, b) => (a.used < b.used ? a : b));
        cells -= oldest.cells;
        sheets = sheets.filter((one) => one !== oldest);
      }
    },
    clear() { sheets = []; cells = 0; },
    get cells() { return cells; },
    get count() { return sheets.length; },

    // Whether the row is there at least that sharp over all of the range.
    has(key, range, resolution) {
      return sheets.some((one) => one.place.has(key) && one.resolution <= resolution * 1.01 && one.from <= range.from && one.to >= range.to);
    },

    // The sheets to draw for a row, one over the other: the coarsest first. From the last that covers all of the range and is
    // sharp enough on; of those much sharper than can be seen none.
    layers(key, range, resolution) {
      const over = sheets.filter((one) => one.place.has(key) && one.from < range.to && one.to > range.from && one.resolution > resolution / 9);
      over.sort((a, b) => b.resolution - a.resolution || a.used - b.used);
      let first = 0;
      over.forEach((one, i) => {
        if (one.from <= range.from && one.to >= range.to && (one.resolution <= resolution * 1.01 || i === 0 || one.resolution < over[first].resolution)) first = i;
      });
      const layers = over.slice(first);
      for (const one of layers) one.used = ++uses;
      return layers;
    },

    // The sharpest cell of a row at a moment: {shares: [5], waker, cause, from, to}; null.
    cellAt(key, time) {
      let best = null;
      for (const one of sheets) if (one.place.has(key) && one.from <= time && one.to > time && (!best || one.resolution < best.resolution)) best = one;
      if (!best) return null;
      const pixel = Math.min(best.pixels - 1, Math.floor((time - best.from) / best.resolution)), at = best.place.get(key) * best.pixels + pixel;
      return {shares: best.shares.subarray(5 * at, 5 * at + 5), waker: best.waker[at], cause: best.cause[at], from: best.from + pixel * best.resolution, to: best.from + (pixel + 1) * best.resolution};
    },
  };
}
