// SPDX-License-Identifier: Apache-2.0
// The frame view: who waits for whom, or sends how much to whom, in the range or in one window of the trend. Up to 64 units as
// chords, more as a matrix.
import {button, chooser, make, nothing} from "../elements.js";
import {gone} from "../source_served.js";
import {tell, tellNothing} from "../told.js";
import {count, counted, lazily, nanoseconds, nanosecondsIn, percent, quantity, share} from "../words.js";
import {askOr, finder, isWithin, levelWords, selOf} from "./cluster/unit_lists.js";
import {chordPicture} from "./frame/chord_picture.js";
import {circularOrder} from "./frame/circular.js";
import {entriesOf, heaviest, inOrderOf, mostChordUnits, unitKey} from "./frame/entries.js";
import {matrixOrder} from "./frame/matrix_order.js";
import {cellAt, drawMatrix} from "./frame/matrix_picture.js";
import {makeStrip} from "./frame/strip.js";
import {makePlayer, speeds} from "./trend/playing.js";
import {trendLevel, usualTrend} from "./trend.js";

const mostRibbons = 800;  // more of them only thicken the middle; what is left out is told
const mostTableRows = 20;
const measured = (state) => (state.what === "bytes" ? "bytes" : "waits");
const levelOf = (state) => (measured(state) === "bytes" ? trendLevel(state) : state.level);

export const frame = {
  name: "frame", title: "Frame", key: "m", asks: ["matrix"], uses: ["filter", "level", "what", "range"],
  keys: [["← / →", "around the circle, or along the row"], ["↑ / ↓", "the heavier or lighter entry, or the row"], ["Enter", "select what the cursor is at"], ["Space", "play, or stop"],
    [", / .", "the frame before, or next"]],
  mount(root, app) {
    const summary = make("p", {class: "told-line", id: "frame-summary"}), tools = make("div", {class: "view-tools"}), note = make("p", {class: "quiet", hidden: ""});
    const place = make("div", {class: "card frame-place", tabindex: 0, role: "application", "aria-label": "Frame", id: "frame-picture"}), side = make("div", {class: "frame-side"});
    const canvas = make("canvas", {class: "matrix"}), strip = makeStrip((i) => { player.stop(); moveTo(i); });
    root.replaceChildren(make("div", {class: "view-head"}, summary), tools, strip.element, note, make("div", {class: "frame-columns"}, place, side));

    let units = null, answer = null, isUsual = false, trend = null, asked = 0, order = {key: "", chord: () => [], matrix: () => []};
    let shown = null, picture = null, cursor = null, matrix = null;
    const player = makePlayer(() => moveTo((app.state.frame ?? -1) + 1, true), showTools);
    const say = (value) => (measured(app.state) === "bytes" ? quantity(value, "B") : nanoseconds(value));
    const verb = () => (measured(app.state) === "bytes" ? ["sends", "to"] : ["waits", "for"]);
    const weigh = () => (app.state["fr.weigh"] === "cascaded" ? "cascaded" : "own");

    const question = (state) => ({level: levelOf(state), what: measured(state)});
    const windowsAsked = (state) => ({level: trendLevel(state), bytes: measured(state) === "bytes" ? 1 : null, window: state.window, phase: state["tr.phase"] || null, from: state["tr.from"] ?? null, to: state["tr.to"] ?? null});

    async function learn() {
      const turn = ++asked, state = app.state, ask = question(state), usual = {level: "process", what: ask.what};
      try {
        units = await app.units();
        const inFrames = state.frame !== null ? {window: state["tr.phase"] ? null : state.window ?? 0, phase: state["tr.phase"] || null} : {};  // measured together
        const found = await askOr(app, "matrix", {...ask, from: state.from, to: state.to, ...inFrames}, usual, {instead: "fr.matrix"});
        if (turn !== asked) return;
        // The order is that of the whole recording, so that nothing jumps from frame to frame.
        const key = JSON.stringify([ask, weigh(), state.filter]);
        if (order.key !== key) {
          const whole = found.isUsual || (state.from === null && state.to === null) ? found.answer : await app.source.ask("matrix", ask, {instead: "fr.whole"});
          if (turn !== asked) return;
          order = {key, ...ordersOf(whole ?? found.answer, state)};
        }
        [answer, isUsual] = [found.answer, found.isUsual];
        show();
        learnFrames(turn, state);
        return true;
      } catch (error) {
        if (gone(error) || turn !== asked) return false;
        answer = shown = null;
        place.replaceChildren(nothing(error.message));
        side.replaceChildren();
        return false;
      }
    }

    let framesKey = "";
    async function learnFrames(turn, state) {
      const key = JSON.stringify([windowsAsked(state), measured(state)]);
      if (framesKey === key) return strip.at(app.state.frame);
      try {
        const found = await askOr(app, "trend", windowsAsked(state), usualTrend, {instead: "fr.trend"});
        if (turn !== asked) return;
        [trend, framesKey] = [found.answer, key];
        strip.show(trend, measured(state));
        strip.at(app.state.frame);
        showTools();
      } catch (error) {
        if (!gone(error)) trend = null;
      }
    }

    // Only units have a place in the hierarchy; all else is found by its name.
    const findsOf = (state, level) => { const finds = finder(units, state.filter); return (unit) => finds(level, unit.kind === "unit" ? unit.number : -1, unit.name); };
    const answerLevel = () => (answer?.level ?? levelOf(app.state));
    const hostOf = (unit) => (unit.node >= 0 && units ? units.nodes[unit.node]?.name ?? "" : "");
    const rackOf = (unit) => (unit.node >= 0 && units ? units.racks[units.nodes[unit.node]?.rack]?.name ?? "" : "");

    function ordersOf(whole, state) {
      if (!whole) return {chord: () => [], matrix: () => []};
      const {units: all, entries} = entriesOf(whole, {weigh: weigh(), finds: findsOf(state, whole.level)}), keys = all.map(unitKey), hosts = all.map((unit) => unit.node);
      // Chords of a frame may be few although those of the whole are many; too many have the matrix' order.
      const ofMatrix = lazily(() => matrixOrder(all.length, entries, all.map((unit) => [rackOf(unit), String(unit.node)])).map((i) => keys[i]));
      return {matrix: ofMatrix, chord: lazily(() => (all.length <= 2 * mostChordUnits ? circularOrder(all.length, entries, hosts).map((i) => keys[i]) : ofMatrix()))};
    }

    function show() {
      const state = app.state;
      note.hidden = true;
      if (!answer) return empty("This page does not hold who waits for whom. gordian serve shows it.");
      if (answer.what === "bytes" && !answer.has_packets) return empty(`${answer.no_packets[0].toUpperCase()}${answer.no_packets.slice(1)}, so nothing is known of who sends to whom. Choose another measure for who waits for whom.`);
      shown = entriesOf(answer, {weigh: weigh(), finds: findsOf(state, answer.level)});
      if (shown.entries.length === 0) return empty(state.filter ? `Nothing that “${state.filter}” has a part in.` : answer.what === "bytes" ? "No packet was sent in this range." : "Nothing waited for anything that is known in this range.");
      const notes = [];
      if (isUsual) notes.push("This page holds who waits for whom among processes over the whole time: gordian serve shows any range and level.");
      if (state.what !== "bytes" && state.what !== "waits") notes.push("What is between units is waits or bytes; these are waits.");
      if (measured(state) === "bytes" && state.level !== levelOf(state)) notes.push("Packets belong to processes, so each unit is a process.");
      if (answer.others > 0) notes.push(`${count(answer.others)} more units have less and are drawn together as others.`);
      note.textContent = notes.join(" ");
      cursor = null;
      if (isMatrix()) showMatrix(notes);
      else showChords(notes);
      note.hidden = notes.length === 0;
      note.textContent = notes.join(" ");
      showWords();
      showTools();
      strip.at(state.frame);
    }
    function empty(words) {
      shown = picture = matrix = null;
      place.replaceChildren(nothing(words));
      side.replaceChildren();
      summary.textContent = "";
      showTools();
    }
    const isMatrix = () => (app.state["fr.view"] ? app.state["fr.view"] === "matrix" : shown.units.length > mostChordUnits);

    function showChords(notes) {
      const [drawn, rest] = heaviest(shown.entries, mostRibbons);
      if (rest.length) notes.push(`${counted(rest.length, "ribbon")} that carry least, ${percent(share(total(rest), total(shown.entries)))} together, are left out.`);
      picture = chordPicture({order: inOrderOf(order.chord(), shown.units), units: shown.units, entries: drawn, groups: units && units.nodes.length > 1 ? shown.units.map(hostOf) : null});
      matrix = null;
      place.replaceChildren(picture.element);
      for (const ribbon of picture.ribbons) {
        const words = () => entryWords(ribbon.entry);
        ribbon.shape.addEventListener("pointermove", (event) => { tell(words(), event.clientX, event.clientY); point(ribbon.entry); });
        ribbon.shape.addEventListener("click", () => pickEntry(ribbon.entry));
      }
      for (const arc of picture.arcs) {
        arc.shape.addEventListener("pointermove", (event) => { tell(unitWords(arc.unit), event.clientX, event.clientY); pointUnit(arc.unit); });
        arc.shape.addEventListener("click", () => pickUnit(arc.unit));
      }
      markPicked();
    }
    const total = (entries) => entries.reduce((sum, {amount}) => sum + amount, 0);

    function showMatrix() {
      picture = null;
      canvas.style.height = shown.units.length > 400 ? `${Math.min(1100, Math.round(shown.units.length * 1.3) + 24)}px` : "";
      place.replaceChildren(canvas);
      const row = inOrderOf(order.matrix(), shown.units), lookup = new Map();
      for (const entry of shown.entries) lookup.set(entry.from * shown.units.length + entry.to, entry);
      matrix = {order: row, lookup, place: null};
      paintMatrix();
    }
    function paintMatrix() {
      if (!matrix || canvas.clientWidth === 0) return;
      matrix.place = drawMatrix(canvas, {order: matrix.order, units: shown.units, entries: shown.entries, groups: shown.units.map((unit) => `${rackOf(unit)} ${unit.node}`), colour: app.colours(),
        picked: (unit) => selOfUnit(unit) !== null && selOfUnit(unit) === app.state.sel, cursor: cursor?.cell ?? null});
    }
    const cellEntry = ([row, column]) => matrix.lookup.get(matrix.order[row] * shown.units.length + matrix.order[column]) ?? null;
    const cellWords = (cell) => {
      const entry = cellEntry(cell), [from, to] = cell.map((i) => shown.units[matrix.order[i]].name);
      return entry ? entryWords(entry) : `${from} ${verb()[0]} nothing ${verb()[1]} ${to}`;
    };

    function pairWords({from, to, amount}) {
      const [does, whom] = verb();
      return `${shown.units[from].name} ${does} ${say(amount)} ${whom} ${from === to ? "itself" : shown.units[to].name}`;
    }
    function entryWords(entry) {
      const {amount, count: times} = entry;
      return `${pairWords(entry)}: ${percent(share(amount, total(shown.entries)))} of all, ${counted(times, measured(app.state) === "bytes" ? "message" : "wait")}`;
    }
    const unitWords = (i) => { const unit = shown.units[i], [does] = verb(); return `${unit.name} ${does} ${say(unit.out)} in all; ${measured(app.state) === "bytes" ? "receives" : "is waited for"} ${say(unit.in)}`; };

    function selOfUnit(unit) {
      if (unit.kind === "vertex") return `vertex:${unit.number}`;
      if (unit.kind === "thing") return units?.devices.some((one) => one.id === unit.number) ? `device:${unit.number}` : null;
      return unit.kind === "unit" ? selOf(units, answerLevel(), unit.number) : null;
    }
    function pickUnit(i) {
      const sel = selOfUnit(shown.units[i]);
      if (sel) app.set({sel: sel === app.state.sel ? null : sel, at: null});
      else app.announce(`${shown.units[i].name} cannot be selected: it was not recorded, or is no thread and no device.`);
    }
    // Of the report's graph the edge itself; of units the one that waits, or sends.
    function pickEntry({from, to}) {
      const ends = [shown.units[from], shown.units[to]];
      if (ends.every((unit) => unit.kind === "vertex")) app.set({sel: `edge:${ends[0].number}>${ends[1].number}`, at: null});
      else pickUnit(from);
    }

    // The ribbon, or the unit's ribbons, stand out from the others.
    function point(entry) { faint((ribbon) => ribbon.entry === entry); }
    function pointUnit(i) { faint(({entry}) => entry.from === i || entry.to === i); }
    function faint(keeps) {
      if (!picture) return;
      picture.element.classList.toggle("pointed", keeps !== null);
      for (const ribbon of picture.ribbons) ribbon.shape.classList.toggle("kept", keeps !== null && keeps(ribbon));
    }
    function markPicked() {
      if (!picture) return;
      const sel = app.state.sel, level = answerLevel(), isPicked = (i) => { const unit = shown.units[i]; return selOfUnit(unit) === sel || (unit.kind === "unit" && isWithin(units, level, unit.number, sel)); };
      for (const arc of picture.arcs) arc.shape.classList.toggle("picked", sel !== null && isPicked(arc.unit));
      if (sel?.startsWith("edge:")) faint(({entry}) => `edge:${shown.units[entry.from].number}>${shown.units[entry.to].number}` === sel);
      else if (sel !== null && picture.arcs.some((arc) => isPicked(arc.unit))) faint(({entry}) => isPicked(entry.from) || isPicked(entry.to));
      else faint(null);
    }

    function rangeWords() {
      const state = app.state;
      if (isUsual || (state.from === null && state.to === null)) return "over the whole time";
      const from = state.from ?? 0, to = state.to ?? answer.to_ns, words = `from ${nanosecondsIn(from, (to - from) / 20)} to ${nanosecondsIn(to, (to - from) / 20)}`;
      return state.frame !== null ? `in ${trend?.windows.label[state.frame] || `frame ${state.frame + 1}`}, ${words}` : words;
    }
    function showWords() {
      const [top] = heaviest(shown.entries, mostTableRows), all = total(shown.entries), kinds = levelWords[answer.level];
      const first = top.find(({from, to}) => shown.units[from].kind !== "others" && shown.units[to].kind !== "others") ?? top[0];
      summary.textContent = `${counted(shown.units.length, "unit")} ${measured(app.state) === "bytes" ? "send" : "wait"} ${say(all)} in all ${rangeWords()}; most of it: ${pairWords(first)} (${percent(share(first.amount, all))}).`;
      place.setAttribute("aria-label", `${isMatrix() ? "Matrix" : "Chord diagram"} of ${kinds[1]}. ${summary.textContent} Arrow keys go from entry to entry.`);
      side.replaceChildren(make("table", {class: "plain-table", id: "frame-table"}, make("caption", null, measured(app.state) === "bytes" ? "Who sends most to whom" : "Who waits longest for whom"),
        make("thead", null, make("tr", null, ["From", "To"].map((words) => make("th", null, words)), make("th", {class: "number"}, measured(app.state) === "bytes" ? "Bytes" : "Time"), make("th", {class: "number"}, measured(app.state) === "bytes" ? "Messages" : "Waits"))),
        make("tbody", null, top.map((entry) => make("tr", {tabindex: 0, onclick: () => pickEntry(entry), onkeydown: (event) => { if (event.key === "Enter") { event.preventDefault(); pickEntry(entry); } },
          onpointerenter: () => point(entry), onpointerleave: () => markPicked()},
        make("td", null, shown.units[entry.from].name), make("td", null, entry.from === entry.to ? "itself" : shown.units[entry.to].name), make("td", {class: "number"}, say(entry.amount)), make("td", {class: "number"}, count(entry.count)))))),
      make("p", {class: "quiet"}, shown.entries.length > mostTableRows ? `and ${count(shown.entries.length - mostTableRows)} more` : ""));
    }

    function showTools() {
      const state = app.state, frames = trend?.windows.from_ns.length ?? 0, active = document.activeElement?.id, canPlay = frames > 1 && !app.source.isStatic;
      const shape = shown ? (isMatrix() ? "matrix" : "chords") : "";
      tools.replaceChildren(...[
        chooser("Drawn as", [["", shown ? `${shown.units.length > mostChordUnits ? "matrix" : "chords"} (as fits)` : "as fits"], ["chords", "chords"], ["matrix", "matrix"]], state["fr.view"] ?? "", (value) => app.set({"fr.view": value || null}), {id: "frame-view"}),
        measured(state) === "waits" ? chooser("Waits", [["own", "themselves"], ["cascaded", "with those behind them"]], weigh(), (value) => app.set({"fr.weigh": value === "own" ? null : value}), {id: "frame-weigh"}) : null,
        canPlay ? make("span", {class: "pager"}, button("‹", () => moveTo((state.frame ?? frames) - 1), {id: "frame-back", "aria-label": "The frame before"}),
          make("span", {id: "frame-number"}, state.frame === null ? `${count(frames)} frames` : `frame ${count(state.frame + 1)} of ${count(frames)}`),
          button("›", () => moveTo((state.frame ?? -1) + 1), {id: "frame-on", "aria-label": "The next frame"}), button(player.isPlaying ? "Stop" : "Play", toggle, {id: "frame-play", "aria-pressed": String(player.isPlaying)}),
          chooser("", speeds.map((one) => [one, `${one} a second`]), player.speed, (value) => player.setSpeed(value), {id: "frame-speed", "aria-label": "Speed"}),
          state.frame !== null ? button("All of the time", () => app.set({frame: null, from: null, to: null}), {id: "frame-all"}) : null) : null,
        shape === "chords" ? make("span", {class: "quiet"}, measured(state) === "bytes" ? "A ribbon has the colour of who sends; the dark half of an arc receives." : "A ribbon has the colour of who waits; the dark half of an arc is waited for.") : null,
        shape === "matrix" ? make("span", {class: "quiet"}, measured(state) === "bytes" ? "Rows send, columns receive; darker is more." : "Rows wait, columns are waited for; darker is more.") : null].filter(Boolean));
      strip.element.hidden = !canPlay;
      if (active) document.getElementById(active)?.focus();
    }
    function toggle() {
      if (player.isPlaying) return player.stop();
      if (app.state.frame !== null && app.state.frame + 1 >= (trend?.windows.from_ns.length ?? 0)) moveTo(0);
      player.start();
    }
    // False if there is no such frame. While playing the next one comes when this one is drawn.
    async function moveTo(i, isPlaying = false) {
      if (!trend || i < 0 || i >= trend.windows.from_ns.length) return false;
      const drawn = new Promise((resolve) => { whenDrawn = resolve; });
      app.set({frame: i, from: trend.windows.from_ns[i], to: trend.windows.to_ns[i]}, {replace: isPlaying || app.state.frame !== null});
      return isPlaying ? drawn : true;
    }
    let whenDrawn = () => {};

    function go(step) {
      if (!shown || shown.entries.length === 0) return;
      if (matrix) {
        const n = matrix.order.length, [row, column] = cursor?.cell ?? [0, 0], next = cursor ? [Math.max(0, Math.min(n - 1, row + step.row)), Math.max(0, Math.min(n - 1, column + step.column))] : [0, 0];
        cursor = {cell: next, entry: cellEntry(next)};
        paintMatrix();
        return app.announce(cellWords(next));
      }
      if (step.column) {  // around the circle
        const at = picture.arcs.findIndex((arc) => arc.unit === cursor?.unit), next = picture.arcs[(at + step.column + picture.arcs.length) % picture.arcs.length];
        cursor = {unit: next.unit};
        pointUnit(next.unit);
        return app.announce(unitWords(next.unit));
      }
      const list = picture.ribbons.map((ribbon) => ribbon.entry).filter((entry) => cursor?.unit === undefined || entry.from === cursor.unit || entry.to === cursor.unit);
      if (list.length === 0) return;
      const entry = list[Math.max(0, Math.min(list.length - 1, list.indexOf(cursor?.entry) + step.row))];
      cursor = {...cursor, entry};
      point(entry);
      app.announce(entryWords(entry));
    }
    place.addEventListener("keydown", (event) => {
      if (event.ctrlKey || event.metaKey || event.altKey) return;
      const step = {ArrowUp: {row: -1, column: 0}, ArrowDown: {row: 1, column: 0}, ArrowLeft: {row: 0, column: -1}, ArrowRight: {row: 0, column: 1}}[event.key];
      if (step) go(step);
      else if (event.key === " ") toggle();
      else if (event.key === ",") moveTo((app.state.frame ?? (trend?.windows.from_ns.length ?? 0)) - 1);
      else if (event.key === ".") moveTo((app.state.frame ?? -1) + 1);
      else if (event.key === "Enter" && cursor?.entry) pickEntry(cursor.entry);
      else if (event.key === "Enter" && cursor?.unit !== undefined) pickUnit(cursor.unit);
      else if (event.key === "Enter" && cursor?.cell) pickUnit(matrix.order[cursor.cell[0]]);
      else return;
      event.preventDefault();
    });
    const cellUnder = (event) => { const box = canvas.getBoundingClientRect(); return matrix?.place ? cellAt(event.clientX - box.left, event.clientY - box.top, matrix.order.length, matrix.place) : null; };
    canvas.addEventListener("pointermove", (event) => { const cell = cellUnder(event); if (cell) tell(cellWords(cell), event.clientX, event.clientY); else tellNothing(); });
    canvas.addEventListener("click", (event) => { const cell = cellUnder(event), entry = cell && cellEntry(cell); if (entry) { cursor = {cell, entry}; pickEntry(entry); } });
    place.addEventListener("pointerleave", () => { tellNothing(); markPicked(); });
    place.addEventListener("blur", () => { if (!matrix) markPicked(); });

    const observer = new ResizeObserver(paintMatrix);
    observer.observe(canvas);
    const endScheme = app.onSchemeChange(() => answer && show());
    learn();
    return {
      update(state, changed) {
        if (["from", "to", "level", "filter", "window", "fr.weigh", "tr.phase", "tr.from", "tr.to", "data"].some((name) => changed.has(name)) ||
          (changed.has("what") && (answer?.what !== measured(state)))) return void learn().then((isThere) => whenDrawn(isThere ?? true));
        if (changed.has("fr.view") || changed.has("what")) return answer ? show() : undefined;
        if (changed.has("sel") && shown) { markPicked(); paintMatrix(); }
        if (changed.has("frame")) { strip.at(state.frame); showTools(); whenDrawn(true); }
      },
      unmount() { ++asked; player.stop(); whenDrawn(false); observer.disconnect(); endScheme(); },
    };
  },
};
