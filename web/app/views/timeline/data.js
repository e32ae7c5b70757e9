// SPDX-License-Identifier: Apache-2.0
// What the timeline asks the server for, and keeps: sheets of tiles around the view, exact segments where these are few, phases,
// and the wakes of the selection. A question about a view that was left is ended by the next one.
import {gone} from "../../source_served.js";
import {readSegments, readTiles} from "./answers.js";
import {barHeight} from "./draw.js";
import {paintCells} from "./paint.js";
import {askedRange, resolutionFor} from "./scale.js";
import {sheetsWithin} from "./sheets.js";

const restful_ms = 60;            // between questions: not every frame of a movement asks
const slow_ms = 250;              // … while one is open, which the next one would end
const mostExact = 60000;          // segments in one answer: as many as can be drawn at once, several times over
const mostCellsAsked = 400000;    // 4 MB
const cellsAtATime = 12000;      // painted between two frames: some milliseconds
const rowsAround = 12;            // above and below the visible ones

export function timelineData(app, {changed, failed}) {
  const {source} = app;
  let sheets = sheetsWithin(), exact = new Map(), exactCount = 0, timer = 0, wanted = null, palette = null, asking = false, stopped = false, isStale = false;

  // In slices, between which frames are drawn.
  async function picture(tiles) {
    const canvas = document.createElement("canvas"), colours = palette, {pixels: width, rows} = tiles;
    canvas.width = width;
    canvas.height = rows.length * barHeight;
    const context = canvas.getContext("2d"), step = Math.max(1, Math.floor(cellsAtATime / width));
    for (let from = 0; from < rows.length; from += step) {
      if (from > 0) await new Promise((done) => setTimeout(done));
      const to = Math.min(rows.length, from + step), image = context.createImageData(width, (to - from) * barHeight);
      paintCells(new Uint32Array(image.data.buffer), {width, height: barHeight, shares: tiles.shares, cause: tiles.cause, rows, from, to}, colours);
      context.putImageData(image, 0, from * barHeight);
    }
    return canvas;
  }
  async function addTiles(bytes, more = {}) {
    const tiles = readTiles(bytes), colours = palette;
    if (tiles.rows.length === 0) return tiles;
    const made = await picture(tiles);
    if (colours !== palette) return tiles;
    if (isStale) sheets.clear();
    isStale = false;
    sheets.add({...tiles, ...more, picture: made});
    return tiles;
  }

  async function askTiles(view, keys) {
    const resolution = resolutionFor(view.range, view.plot), asked = askedRange(view.range, resolution, view.length);
    const needed = keys.filter((key) => !sheets.has(key, view.range, resolution));
    if (needed.length === 0) return 0;
    needed.length = Math.min(needed.length, Math.max(1, Math.floor(mostCellsAsked / asked.pixels)));
    const bytes = await source.ask("tiles", {from: asked.from, to: asked.to, pixels: Math.min(8192, asked.pixels), rows: needed.join(",")}, {binary: true, instead: "tl.tiles"});
    if (!bytes) return 0;
    return (await addTiles(bytes)).segments;
  }

  async function askExact(view, threads) {
    const margin = (view.range.to - view.range.from) / 2, from = Math.max(0, Math.floor(view.range.from - margin)), to = Math.min(view.length, Math.ceil(view.range.to + margin));
    const needed = threads.filter((id) => !(exact.get(id)?.from <= view.range.from && exact.get(id)?.to >= view.range.to));
    if (needed.length === 0) return;
    const bytes = await source.ask("segments", {from, to, threads: needed.join(","), limit: mostExact}, {binary: true, instead: "tl.exact"});
    if (!bytes) return;
    const columns = readSegments(bytes);
    exactCount += columns.start.length;
    if (exactCount > 10 * mostExact) { exact = new Map(); exactCount = columns.start.length; }
    // The last thread of an answer that was cut lacks some of its segments.
    const whole = columns.isCut ? columns.threads.length - 1 : columns.threads.length;
    for (let i = 0; i < whole; ++i) exact.set(columns.threads[i], {from, to, columns, begin: columns.first[i], end: columns.first[i + 1]});
  }

  // view: {range, plot: pixels, length, rows, first, count}
  async function ask(view) {
    if (source.isStatic || !palette || view.count === 0) return;
    asking = true;
    const from = Math.max(0, view.first - rowsAround), shown = view.rows.slice(view.first, view.first + view.count);
    const keys = [...shown, ...view.rows.slice(from, view.first), ...view.rows.slice(view.first + view.count, view.first + view.count + rowsAround)].map((row) => row.key);
    try {
      const read = await askTiles(view, keys);
      if (stopped) return;
      changed();
      const threads = shown.filter((row) => row.kind === "thread").map((row) => row.id);
      const fewer = view.plot > 0 && (view.range.to - view.range.from) / view.plot < view.length / view.plot / 8;
      if (threads.length && read < 4 * mostExact && (fewer || read < mostExact)) await askExact(view, threads);
      if (!stopped) changed();
    } catch (error) {
      if (!gone(error) && !stopped) failed(error.message);
    } finally {
      asking = false;
    }
  }

  return {
    get sheets() { return sheets; },
    get exact() { return exact; },
    get isAsking() { return asking; },
    // Pictures have the colours of the scheme in which they were made.
    setPalette(next) {
      palette = next;
      sheets.clear();
    },
    // Of the whole recording, once: drawn where nothing sharper is there. A static page holds it, too.
    async askOverview() {
      try {
        const bytes = await source.ask("tiles", {overview: 1, pixels: 400}, {binary: true});
        if (bytes && !stopped) await addTiles(bytes, {stays: true});
        if (!stopped) changed();
      } catch (error) {
        if (!gone(error) && !stopped) failed(error.message);
      }
    },
    // While the view moves on, what it shows last is asked for now and then.
    want(view) {
      wanted = view;
      if (!timer) timer = setTimeout(() => { timer = 0; ask(wanted); }, asking ? slow_ms : restful_ms);
    },
    // Exact segments of any threads, for measuring.
    async segmentsOf(threads, range) {
      const bytes = await source.ask("segments", {from: Math.floor(range.from), to: Math.ceil(range.to), threads: threads.join(",")}, {binary: true, instead: "tl.measure"});
      return bytes && readSegments(bytes);
    },
    // The recording has grown: what there was is drawn until the first new answer is there.
    renew() {
      isStale = true;
      exact = new Map();
      exactCount = 0;
    },
    stop() {
      stopped = true;
      clearTimeout(timer);
    },
  };
}
