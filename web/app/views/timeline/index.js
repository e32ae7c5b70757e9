// SPDX-License-Identifier: Apache-2.0
// The timeline: what each thread, process, container or node did at every moment, from hours to nanoseconds.
//
//   scale, rows, answers, sheets, paint   need no page, and are tested without one
//   data      asks the server        draw   draws what is visible        input   pointer and keys
//   walk      along cause and effect details, flame   the panels beside and below
import {shade, stateFill, stateWords} from "../../colours.js";
import {button, chooser, make, nothing} from "../../elements.js";
import {gone} from "../../source_served.js";
import {selected} from "../../state.js";
import {tell, tellNothing} from "../../told.js";
import {counted, nanoseconds, nanosecondsIn} from "../../words.js";
import {sumsWithin} from "./answers.js";
import {timelineData} from "./data.js";
import {makeDetails} from "./details.js";
import {drawScene, fitter, gutterOf, phaseLanes, rowHeight, topOf} from "./draw.js";
import {makeFlame} from "./flame.js";
import {wordsAt} from "./hover.js";
import {keys, listenTo} from "./input.js";
import {makeLogLane} from "./logs.js";
import {makeMap} from "./map.js";
import {paletteOf} from "./paint.js";
import {hierarchyOf, keyOf, openFor, placesOf, rowsOf, sorts, takeParticipation, threadsOf} from "./rows.js";
import {shownAt, within} from "./scale.js";
import {makeTable} from "./table.js";
import {makeWalk} from "./walk.js";

const settled_ms = 250;          // a view that stands so long gets its address, arrows and table
const arrowsApart_px = 10;       // on average; more of them cover the picture
const mostMeasured = 1000;       // threads, whose ids are in the question's address
const drawnStates = ["run", "ready", "wait", "disk", "net", "lock", "timer", "spin", "unknown"];

function mount(root, app) {
  const colourOf = () => app.colours();
  let colour = colourOf(), units = null, hierarchy = null, rows = [], rowOf = () => -1, length = 1, range = {from: 0, to: 1};
  let phases = [], lanes = 0, arrows = [], measured = null, hover = {row: -1, time: null}, frame = 0, timer = 0, stopped = false, own = false, fills = {};
  const canvas = make("canvas", {class: "tl-canvas", tabindex: 0, role: "img", "aria-label": "Timeline. Arrow keys walk, w and s zoom, ? lists the keys. The table behind it says the same."});
  const context = canvas.getContext("2d", {alpha: false}), fit = fitter(context), spacer = make("div", {class: "tl-spacer"});
  const scroller = make("div", {class: "tl-scroll card"}, canvas, spacer), message = make("p", {class: "tl-message quiet", hidden: ""});
  const details = makeDetails({go: (thread, at) => walk.go(thread, at),
    goToNode: (recording, thread, at) => app.set({recording, sel: `thread:${thread}`, at: Math.round(at), phase: null, from: null, to: null, frame: null}),
    back: () => walk.back(), forward: () => walk.forward(), why: () => walk.why(), slice: () => walk.slice(),
    flame: () => flame.show(flame.kind), again: () => walk.clear(), goCrumb: (step) => walk.goCrumb(step)});
  const flame = makeFlame({ask: askFlame, close: () => { flame.hide(); resize(); }});
  const table = makeTable();
  const map = makeMap(app, {setRange: (next, done) => setRange(next, done)});
  const sort = chooser("Sort", Object.entries(sorts), app.state["tl.sort"] ?? "busy", (value) => app.set({"tl.sort": value === "busy" ? null : value}), {class: "tl-sort"});
  const legend = make("ul", {class: "tl-legend", "aria-label": "Legend"}), legends = drawnStates.map((state) => [state, make("canvas", {width: 28, height: 14, "aria-hidden": "true"})]);
  legend.append(...legends.map(([state, swatch]) => make("li", null, swatch, stateWords[state])));
  const bar = make("div", {class: "tl-bar"}, sort, button("Critical path", () => walk.path(), {title: "c"}), button("Flame graph", () => flame.show(flame.kind), {title: "f"}), legend);
  root.classList.add("tl");
  root.replaceChildren(bar, map.element, message, make("div", {class: "tl-main"}, scroller, details.element), flame.element, table.element);

  const data = timelineData(app, {changed: dirty, failed: say});
  const logLane = makeLogLane({app, range: () => range, plot: () => plot(), top: () => topOf(lanes, logLane.marks), say, changed: (isNew) => { if (isNew) resize(); dirty(); }});
  const walk = makeWalk({app, details, range: () => range, changed: dirty, reveal});

  function say(words) {
    message.hidden = !words;
    message.textContent = words;
  }

  const size = () => ({width: canvas.clientWidth, height: canvas.clientHeight});
  const gutter = () => gutterOf(canvas.clientWidth), plot = () => Math.max(1, canvas.clientWidth - gutter());
  const first = () => Math.floor(scroller.scrollTop / rowHeight);
  const visibleRows = () => Math.min(rows.length - first(), Math.ceil(canvas.clientHeight / rowHeight) + 1);

  function dirty() {
    if (!frame && !stopped) frame = requestAnimationFrame(draw);
  }
  let scene = null;
  function draw() {
    frame = 0;
    if (stopped || canvas.clientWidth === 0 || !hierarchy) return;
    const began = performance.now(), ratio = devicePixelRatio || 1, {width, height} = size();
    if (canvas.width !== Math.round(width * ratio) || canvas.height !== Math.round(height * ratio)) {
      canvas.width = Math.round(width * ratio);
      canvas.height = Math.round(height * ratio);
    }
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    const what = selected(app.state.sel);
    scene = {context, width, height, gutter: gutter(), range, rows, first: first(), shift: scroller.scrollTop % rowHeight, sheets: data.sheets, exact: data.exact, phases, lanes, logs: logLane.marks, fills, colour, fit,
      selectedKey: what && what.kind !== "edge" && ["thread", "process", "container", "node", "rack", "device"].includes(what.kind) ? keyOf(what.kind, what.id) : null,
      hoverRow: hover.row, rowOf, laid: walk.laid, arrows, moment: walk.moment, measured, cursor: hover.time, shadeOf: phaseShade};
    drawScene(scene);
    map.draw({range, length, colour, sheets: data.sheets, rows});
    root.dispatchEvent(new CustomEvent("tl-drawn", {detail: performance.now() - began}));
  }
  const phaseNames = new Map();
  const phaseShade = (name) => {
    if (!phaseNames.has(name)) phaseNames.set(name, phaseNames.size);
    return shade(phaseNames.get(name));
  };

  // Whatever the view shows now: asked for when it stands still.
  function want() {
    data.want({range, plot: plot(), length, rows, first: first(), count: visibleRows()});
    clearTimeout(timer);
    timer = setTimeout(settle, settled_ms);
    dirty();
  }
  async function settle() {
    if (stopped || !hierarchy) return;
    keepAddress();
    table.show({rows: rows.slice(first(), first() + visibleRows()), sheets: data.sheets, range, plot: plot()});
    if (logLane.marks) logLane.ask();
    const what = selected(app.state.sel);
    arrows = [];
    if (what?.kind === "thread" && !app.source.isStatic) {
      try {
        const answer = await app.source.ask("wakes", {thread: what.id, from: range.from, to: range.to}, {instead: "tl.wakes"});
        if (answer && !answer.is_cut && answer.wakes.length <= plot() / arrowsApart_px) arrows = answer.wakes;
      } catch (error) { if (!gone(error)) say(error.message); }
    }
    dirty();
  }
  function keepAddress() {
    const whole = range.from === 0 && range.to === length, from = whole ? null : range.from, to = whole ? null : range.to;
    if (app.state.from === from && app.state.to === to) return;
    own = true;
    app.set({from, to}, {replace: true});
    own = false;
  }
  function setRange(next, done) {
    range = next;
    if (done) keepAddress();
    want();
  }

  function resize() {
    const top = scroller.getBoundingClientRect().top + scrollY, below = flame.isShown ? Math.min(320, innerHeight * 0.4) : 24;
    const height = Math.max(220, innerHeight - top - below);
    scroller.style.height = `${height}px`;
    details.element.style.maxHeight = innerWidth > 900 ? `${height}px` : "";
    canvas.style.height = `${scroller.clientHeight}px`;
    spacer.style.height = `${Math.max(0, rows.length * rowHeight + topOf(lanes, logLane.marks) - scroller.clientHeight + 8)}px`;
    want();
  }

  // Of threads, asked once when somebody sorts by it.
  async function askParticipation() {
    const answer = await app.source.ask("amounts", {level: "thread"}).catch((error) => { if (!gone(error)) say(error.message); return null; });
    if (!answer || stopped) return say("This page does not hold who took part in critical paths; gordian serve tells it.");
    takeParticipation(hierarchy, answer.units);
    makeRows();
  }
  function makeRows() {
    if (!hierarchy) return;
    if (app.state["tl.sort"] === "part" && !hierarchy.hasParticipation) askParticipation();
    const {level, filter} = app.state, open = new Set((app.state["tl.open"] ?? "").split(",").filter(Boolean));
    rows = rowsOf(hierarchy, {level, filter, sort: app.state["tl.sort"] ?? "busy", open});
    rowOf = placesOf(hierarchy, rows);
    resize();
    if (rows.length === 0) say("No row has that name, or there is none of that level.");
    else say(noteOf());
  }
  function noteOf() {
    const left = [units.left_out_threads > 0 ? `${counted(units.left_out_threads, "thread")} that did least are left out` : "",
      app.source.isStatic ? "this page holds the overview; gordian serve zooms to the nanosecond" : ""].filter(Boolean).join("; ");
    return left ? left[0].toUpperCase() + left.slice(1) + "." : "";
  }
  function setOpen(change) {
    const open = new Set((app.state["tl.open"] ?? "").split(",").filter(Boolean));
    change(open);
    app.set({"tl.open": [...open].slice(-400).join(",") || null}, {replace: true});
  }
  function toggle(row) {
    if (rows[row]?.canOpen) setOpen((open) => { if (!open.delete(rows[row].key)) open.add(rows[row].key); });
  }

  // Rows and time so that the moment is seen.
  function reveal(thread, at) {
    if (!hierarchy) return;
    const needed = openFor(hierarchy, thread, app.state.level).filter((key) => !(app.state["tl.open"] ?? "").split(",").includes(key));
    if (needed.length) {
      setOpen((open) => needed.forEach((key) => open.add(key)));
    }
    scrollTo(rowOf(thread));
    if (at !== null && at !== undefined) setRange(shownAt(range, at, length), false);
  }
  function scrollTo(row) {
    if (row < 0) return;
    const y = row * rowHeight, shown = canvas.clientHeight - topOf(lanes, logLane.marks) - rowHeight;
    if (y < scroller.scrollTop) scroller.scrollTop = y;
    else if (y > scroller.scrollTop + shown) scroller.scrollTop = y - shown / 2;
  }

  function showSelection() {
    const what = selected(app.state.sel);
    if (!what) {
      details.showNothing("Click a row or a moment of it. ← and → then walk along cause and effect, ? lists the keys.");
      return walk.forget();
    }
    if (what.kind === "thread" && app.state.at !== null) {
      scrollTo(rowOf(what.id));
      return walk.load();
    }
    walk.forget();
    const row = rows.find((one) => one.sel === app.state.sel);
    if (!row) return details.showNothing("");
    scrollTo(rows.indexOf(row));
    details.showRow(row, sumsOf(row), length, [row.canOpen ? button(row.isOpen ? "Close" : "Open", () => toggle(rows.indexOf(row)), {title: "Enter"}) : null,
      button("Flame graph", () => flame.show(flame.kind), {title: "f"})]);
    app.announce(`${row.label} ${row.note}`);
  }
  // Of all of the recording, as far as the page knows it.
  function sumsOf(row) {
    if (!["thread", "process", "container", "node", "rack"].includes(row.kind)) return null;
    const ns = [0, 0, 0, 0, 0], threads = units.threads;
    for (const id of threadsOf(hierarchy, row.kind, row.id, Infinity)) {
      const i = hierarchy.place.get(id);
      [threads.unknown_ns, threads.run_ns, threads.runnable_ns, threads.wait_ns, threads.spin_ns].forEach((column, kind) => { ns[kind] += column[i]; });
    }
    return {ns, waits: "see a measured range (Shift + drag)"};
  }

  async function measure(next, done) {
    measured = next.to - next.from >= 1 ? next : null;
    dirty();
    if (!measured || !done) return;
    const what = selected(app.state.sel), row = rows.find((one) => one.sel === app.state.sel) ?? null;
    if (!what || !row || app.source.isStatic || !["thread", "process", "container", "node", "rack"].includes(row.kind)) {
      details.showNothing(`${nanoseconds(measured.to - measured.from)} measured. Select a row to count its waits in it.`);
      return app.announce(`${nanoseconds(measured.to - measured.from)} measured`);
    }
    try {
      const of = measured, segments = await data.segmentsOf(threadsOf(hierarchy, row.kind, row.id, mostMeasured), of);
      if (!segments || measured !== of) return;
      const sums = {...sumsWithin(segments, of.from, of.to), length_ns: of.to - of.from};
      const all = threadsOf(hierarchy, row.kind, row.id, Infinity).length;
      if (all > mostMeasured) sums.waits = `${sums.waits} of the first ${mostMeasured} of ${all} threads`;
      if (segments.isCut) sums.waits = `${sums.waits} or more: too many to count them all`;
      details.showRow({label: row.label, note: `${nanosecondsIn(of.from, (of.to - of.from) / 50)} to ${nanosecondsIn(of.to, (of.to - of.from) / 50)}`}, sums, length,
        [button("Zoom to it", () => { setRange(within(of, length), true); measured = null; dirty(); })]);
      app.announce(`${row.label}: ${nanoseconds(of.to - of.from)}, ${sums.waits} waits`);
    } catch (error) { if (!gone(error)) say(error.message); }
  }

  async function askFlame(kind) {
    const what = selected(app.state.sel), row = rows.find((one) => one.sel === app.state.sel), of = measured ?? range;
    const asked = {kind, from: Math.floor(of.from), to: Math.ceil(of.to), rows: what && row && row.kind !== "device" ? row.key : undefined};
    try {
      const answer = await app.source.ask("flame", asked, {instead: "tl.flame"});
      setTimeout(() => { resize(); flame.element.scrollIntoView({block: "nearest"}); });
      return answer && {flame: answer, title: `${row ? row.label : "All threads of the target"}, ${nanoseconds(of.to - of.from)}`};
    } catch (error) {
      if (!gone(error)) say(error.message);
      return null;
    }
  }

  function hoverAt(row, time, event) {
    hover = {row, time};
    dirty();
    if (row < 0 || time === null || !event) return tellNothing();
    const words = wordsAt({row: rows[row], time, step: (range.to - range.from) / plot(), hierarchy, exact: data.exact, sheets: data.sheets});
    if (words) tell(words, event.clientX, event.clientY);
    else tellNothing();
  }
  function selectRow(way) {
    const own = rows.findIndex((row) => row.sel === app.state.sel && row.kind !== "cpus"), at = own < 0 ? rows.findIndex((row) => row.sel === app.state.sel) : own, next = rows[Math.max(0, Math.min(rows.length - 1, at < 0 ? first() : at + way))];
    if (next) app.set({sel: next.sel, at: null}, {replace: true});
  }
  function enter() {
    const {moment} = walk;
    if (moment) {
      const margin = Math.max(10, (moment.end_ns - moment.start_ns) * 0.3);
      return setRange(within({from: moment.start_ns - margin, to: moment.end_ns + margin}, length), true);
    }
    toggle(rows.findIndex((row) => row.sel === app.state.sel));
  }
  function escape() {
    if (walk.clear()) return true;
    if (measured) { measured = null; dirty(); return true; }
    if (flame.isShown) { flame.hide(); resize(); return true; }
    return false;
  }
  const stopListening = listenTo({
    canvas, gutter, plot, range: () => range, length: () => length, setRange, hover: hoverAt, measure, toggle,
    hitRow: (y) => { const row = first() + Math.floor((y - topOf(lanes, logLane.marks) + scroller.scrollTop % rowHeight) / rowHeight); return y < topOf(lanes, logLane.marks) || row >= rows.length ? -1 : row; },
    markAt: logLane.at, markWords: logLane.words,
    clickMark: (mark) => { details.showLine(mark); setRange(shownAt(range, mark.from_ns, length), true); app.announce(mark.text); },
    click: (row, time) => app.set({sel: rows[row].sel, at: rows[row].kind === "thread" ? time : null}),
    nameClick: (row, x) => { if (rows[row].canOpen && x < 26 + rows[row].depth * 12) toggle(row); else app.set({sel: rows[row].sel, at: null}); },
    scrollBy: (px) => { scroller.scrollTop += px; }, page: () => canvas.clientHeight - 60, isShown: () => !root.hidden && hierarchy !== null,
    acts: {row: selectRow, hasMoment: () => walk.moment !== null, back: () => walk.back(), forward: () => walk.forward(), why: () => walk.why(), slice: (forward) => walk.slice(forward),
      previous: () => walk.previous(), path: () => walk.path(), flame: () => flame.show(flame.kind), whole: () => setRange({from: 0, to: length}, true), enter, escape},
  });
  scroller.addEventListener("scroll", () => want(), {passive: true});
  const sizes = new ResizeObserver(() => resize());
  sizes.observe(root);

  function takeColours() {
    colour = colourOf();
    fills = Object.fromEntries(drawnStates.map((state) => [state, stateFill(context, state, colour)]));
    data.setPalette(paletteOf(colour));
    for (const [state, swatch] of legends) {
      const ink = swatch.getContext("2d");
      ink.fillStyle = stateFill(ink, state, colour);
      ink.fillRect(0, 0, 28, 14);
    }
  }
  const stopScheme = app.onSchemeChange(() => { takeColours(); data.askOverview(); want(); });

  async function load() {
    const next = await app.units();
    if (stopped) return;
    if (!next) return root.replaceChildren(nothing("This page holds no timeline; gordian serve shows it."));
    units = next;
    hierarchy = hierarchyOf(units);
    const was = length;
    length = units.length_ns ?? Math.max(1, ...units.threads.end_ns);
    if (was !== length) takeRange();
    makeRows();
    data.askOverview();
    showSelection();
    want();
    if (!app.source.isStatic) logLane.ask();
    const told = await app.source.ask("told_phases", {}).catch(() => null);
    if (!told || stopped) return;
    ({placed: phases, lanes} = phaseLanes(told.phases));
    resize();
  }
  function takeRange() {
    range = within({from: app.state.from ?? 0, to: app.state.to ?? length}, length);
  }

  takeColours();
  load().catch((error) => say(error.message));

  return {
    update(state, changed) {
      if (own) return;
      if (changed.has("data")) { data.renew(); load().catch((error) => say(error.message)); return; }
      if (changed.has("level") || changed.has("filter") || changed.has("tl.sort") || changed.has("tl.open")) makeRows();
      if (changed.has("tl.sort")) sort.querySelector("select").value = state["tl.sort"] ?? "busy";
      if (changed.has("from") || changed.has("to")) takeRange();
      if (changed.has("sel") || changed.has("at")) showSelection();
      want();
    },
    unmount() {
      stopped = true;
      stopListening();
      stopScheme();
      sizes.disconnect();
      data.stop();
      clearTimeout(timer);
      cancelAnimationFrame(frame);
    },
  };
}

export const timeline = {name: "timeline", title: "Timeline", key: "t", keys, uses: ["filter", "level", "range"], asks: ["tiles"], mount};
