// SPDX-License-Identifier: Apache-2.0
// The trend view: how each unit went through the recording, window by window. All charts share one time and one needle.
import {button, chooser, make, nothing} from "../elements.js";
import {gone} from "../source_served.js";
import {tell, tellNothing} from "../told.js";
import {count, counted, nanoseconds, nanosecondsIn} from "../words.js";
import {askOr, finder, isDarkPage, isWithin, levelWords, selOf, unitColour, unitLevels} from "./cluster/unit_lists.js";
import {chartOf, chartsOf, mostOf, oddOf, windowWords} from "./trend/chart_rows.js";
import {frameAt, pageCount, pageOf, spanOf, windowsOfPage} from "./trend/pages.js";
import {makePlayer, speeds} from "./trend/playing.js";

const lengths_ns = [1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 6e10];
const mostOnly = 100;  // so many rows does a trend have

// Packets belong to processes: what is asked of bytes is asked of these. Graph nodes have no rows here.
export const trendLevel = (state) => (state.level === "vertex" || (state.level === "thread" && state.what === "bytes") ? "process" : state.level);

// What a page in one file holds.
export const usualTrend = {level: "process", bytes: 1};

export const trend = {
  name: "trend", title: "Trend", key: "n", asks: ["trend"], uses: ["filter", "level", "what"],
  keys: [["← / →", "the needle a window back or on"], ["Space", "play, or stop"], ["+ / −", "quicker, slower"], ["Page Up / Page Down", "fifty windows back or on"],
    ["[ / ]", "the window before, or next, that stands out"], ["↑ / ↓", "the row above or below"], ["Enter", "select the row's unit"]],
  mount(root, app) {
    const summary = make("p", {class: "told-line", id: "trend-summary"}), tools = make("div", {class: "view-tools"}), note = make("p", {class: "quiet", hidden: ""});
    const rowsPlace = make("div", {class: "card trend-rows", tabindex: 0, role: "application", "aria-roledescription": "small multiples", "aria-label": "Trend"});
    const table = make("div", {class: "beside"});
    root.replaceChildren(make("div", {class: "view-head"}, summary), tools, note, rowsPlace, table);

    let units = null, answer = null, compared = null, isUsual = false, rows = [], asked = 0, at = 0;
    const player = makePlayer(() => moveTo((app.state.frame ?? -1) + 1, {isPlaying: true}), showTools);
    const windowCount = () => answer?.windows.from_ns.length ?? 0;
    const page = () => Math.min(pageCount(windowCount()) - 1, app.state.frame !== null ? pageOf(Math.min(app.state.frame, windowCount() - 1)) : Number(app.state["tr.page"] ?? 0) || 0);
    const step_ns = () => (answer ? answer.windows.to_ns[0] - answer.windows.from_ns[0] : 1);
    const labelOf = (i) => answer.windows.label[i] || `window ${i + 1}, ${nanosecondsIn(answer.windows.from_ns[i], step_ns())} to ${nanosecondsIn(answer.windows.to_ns[i], step_ns())}`;

    function question(state) {
      const level = trendLevel(state), finds = finder(units, state.filter);
      const asked = {level, bytes: state.what === "bytes" ? 1 : null, window: state.window, phase: state["tr.phase"] || null, from: state["tr.from"] ?? null, to: state["tr.to"] ?? null};
      if (units && state.filter.trim()) {
        const numbers = numbersOf(units, level).filter((number) => finds(level, number)).slice(0, mostOnly);
        if (numbers.length) asked.only = numbers.join(",");
      }
      return asked;
    }

    async function learn() {
      const turn = ++asked, state = app.state;
      try {
        units = await app.units();
        const found = await askOr(app, "trend", question(state), usualTrend, {instead: "tr.trend"});
        if (turn !== asked) return;
        const other = state.compared === null || app.source.isStatic || !found.answer ? null : await learnCompared(state, found.answer);
        if (turn !== asked) return;
        [answer, isUsual, compared] = [found.answer, found.isUsual, other];
        show();
      } catch (error) {
        if (gone(error) || turn !== asked) return;
        answer = null;
        rowsPlace.replaceChildren(nothing(error.message));
        showTools();
      }
    }

    // The other recording, in windows of the same length; units of the same name are the same.
    async function learnCompared(state, mine) {
      const same = mine.windows.to_ns[0] - mine.windows.from_ns[0], phase = state["tr.phase"] || null;
      try {
        return await app.source.ask("trend", {level: mine.level, bytes: state.what === "bytes" ? 1 : null, window: phase ? null : same, phase}, {recording: state.compared, instead: "tr.compared"});
      } catch (error) {
        if (gone(error)) throw error;
        return {failed: error.message};
      }
    }

    function show() {
      showTools();
      note.hidden = true;
      if (!answer) return rowsPlace.replaceChildren(nothing("This page does not hold the trend of units. gordian serve shows it."));
      const state = app.state, what = state.what, finds = finder(units, state.filter);
      rows = answer.rows.filter((row) => (row.number < 0 ? !state.filter.trim() : finds(answer.level, row.number, row.name)));
      const notes = [];
      if (isUsual) notes.push("This page holds the trend of processes, in windows of one length: gordian serve shows others.");
      if (what === "bytes" && answer.no_packets) notes.push(`${capital(answer.no_packets)}, so nothing is told of bytes. CPU time and waits are.`);
      if (what === "bytes" && state.level === "thread") notes.push("Packets belong to processes, so each row is a process.");
      if (what === "participation" || what === "threads") notes.push(`The trend tells CPU time, waits and bytes; ${what === "threads" ? "threads" : "participation"} is in the cluster view. This is CPU time.`);
      if (compared?.rows && !compared.rows.some((row) => rows.some((mine) => mine.name === row.name))) notes.push("No row of the other recording has the name of one of these: rows of one name are compared.");
      if (compared?.failed) notes.push(`The other recording cannot be shown: ${compared.failed}`);
      note.hidden = notes.length === 0;
      note.textContent = notes.join(" ");
      if (rows.length === 0) return rowsPlace.replaceChildren(nothing(state.filter ? `No ${levelWords[answer.level][0]} is called “${state.filter}”.` : "No unit did anything in this time."));
      at = Math.min(at, rows.length - 1);
      draw();
    }
    const capital = (words) => (words ? words[0].toUpperCase() + words.slice(1) : words);

    function draw() {
      const span = spanOf(page(), windowCount()), list = chartsOf(app.state.what), own = app.state["tr.scale"] === "own", isDark = isDarkPage();
      const others = new Map((compared?.rows ?? []).map((row) => [row.name, row]));
      const most = list.map((chart) => (own ? 0 : Math.max(mostOf(rows, chart), compared?.rows ? mostOf(compared.rows.filter((row) => rows.some((mine) => mine.name === row.name)), chart) : 0)));
      const needle = make("div", {class: "needle", hidden: ""}), shade = make("div", {class: "trend-range", hidden: ""});
      const made = rows.map((row, index) => {
        const drawn = list.map((chart, i) => chartOf(row, chart, span, row.number < 0 ? 0 : most[i], others.get(row.name), (answer.odd_rows[chart.columns[0][0]] ?? []).includes(answer.rows.indexOf(row))));
        const name = make("span", {class: "trend-name", title: row.name}, make("i", {style: {background: row.number < 0 ? "var(--quiet)" : unitColour(row.number, isDark)}}), row.name);
        const sel = selOf(units, answer.level, row.number);
        return make("div", {class: "trend-row", "data-row": index, "data-number": row.number, "data-picked": isWithin(units, answer.level, row.number, app.state.sel) ? "" : null, "data-at": index === at ? "" : null},
          sel ? button(name, () => pick(row), {class: "plain trend-unit"}) : name,
          make("div", {class: "trend-charts"}, drawn.map(({picture}) => picture)), make("div", {class: "trend-sums"}, drawn.map(({words}) => words)));
      });
      const axis = make("div", {class: "trend-axis", "aria-hidden": "true"}, make("span", null, labelOfEdge(span.first, "from_ns")), make("span", null, labelOfEdge(span.end - 1, "to_ns")));
      const lines = make("div", {class: "trend-lines"}, shade, needle, made);
      rowsPlace.replaceChildren(make("div", {class: "trend-heads"}, list.map((chart) => make("span", null, chart.title, chart.columns.map(([, kind, words]) => make("span", {class: "trend-key"}, make("i", {class: kind}), words)))),
        make("span", {class: "trend-key odd-words"}, "▼ stands out"), others.size ? make("span", {class: "trend-key"}, make("i", {class: "line"}), "the other recording") : null), lines, axis);
      showNeedle();
      showSummary(span, list);
      showTable(list);
    }
    const labelOfEdge = (i, side) => answer.windows.label[i] || nanosecondsIn(answer.windows[side][i], step_ns() * 5);

    // Moves the needle and the range alone: playing draws no charts anew.
    function showNeedle() {
      const needle = rowsPlace.querySelector(".needle"), shade = rowsPlace.querySelector(".trend-range");
      if (!needle) return;
      const span = spanOf(page(), windowCount()), frame = app.state.frame, part = (i) => `calc(var(--trend-left) + (100% - var(--trend-left) - var(--trend-right)) * ${i / windowsOfPage})`;
      needle.hidden = frame === null || frame < span.first || frame >= span.end;
      if (!needle.hidden) {
        needle.style.left = part(frame - span.first);
        needle.style.width = `calc((100% - var(--trend-left) - var(--trend-right)) / ${windowsOfPage})`;
      }
      const {from, to} = app.state, {from_ns, to_ns} = answer.windows;
      shade.hidden = frame !== null || (from === null && to === null);
      if (shade.hidden) return;
      const place = (ns) => { let i = span.first; while (i < span.end && to_ns[i] <= ns) ++i; return i >= span.end ? span.end - span.first : i - span.first + Math.max(0, Math.min(1, (ns - from_ns[i]) / (to_ns[i] - from_ns[i]))); };
      const begin = place(from ?? 0), end = place(to ?? Infinity);
      shade.style.left = part(begin);
      shade.style.width = `calc((100% - var(--trend-left) - var(--trend-right)) * ${Math.max(0, end - begin) / windowsOfPage})`;
    }

    function showSummary(span, list) {
      const odd = rows.flatMap((row) => list.flatMap((chart) => oddOf(row, chart).map(([window]) => ({row, window}))));
      const first = odd[0];
      summary.textContent = `${counted(rows.filter((row) => row.number >= 0).length, ...levelWords[answer.level])} over ${counted(windowCount(), "window")}` +
        (answer.windows.label[0] ? " of a phase" : ` of ${nanoseconds(step_ns())}`) + `; ${span.first + 1} to ${span.end} are shown. ` +
        (first ? `${counted(odd.length, "window stands", "windows stand")} out, such as ${labelOf(first.window)} of ${first.row.name}.` : "No window stands out.");
      rowsPlace.setAttribute("aria-label", `${summary.textContent} Arrow keys move the needle and the row.`);
    }

    function showTable(list) {
      const frame = app.state.frame;
      table.replaceChildren(make("details", null, make("summary", null, frame === null ? "As a table" : `As a table: ${labelOf(Math.min(frame, windowCount() - 1))}`), make("table", {class: "plain-table", id: "trend-table"},
        make("thead", null, make("tr", null, make("th", null, "Unit"), list.flatMap((chart) => chart.columns.map(([, , words]) => make("th", {class: "number"}, `${chart.title}: ${words}`))), make("th", null, "Stands out"))),
        make("tbody", null, rows.slice(0, 20).map((row) => make("tr", null, make("th", {scope: "row"}, row.name),
          list.flatMap((chart) => chart.columns.map(([name]) => make("td", {class: "number"}, chart.say(frame === null ? row.values[name].reduce((a, b) => a + b, 0) : row.values[name][Math.min(frame, windowCount() - 1)])))),
          make("td", null, list.flatMap((chart) => oddOf(row, chart)).slice(0, 3).map(([window]) => labelOf(window)).join("; "))))))));
    }

    function showTools() {
      const state = app.state, windows = windowCount(), span = spanOf(page(), windows), isPhase = Boolean(state["tr.phase"]);
      const choices = [["", answer && !isPhase && state.window === null ? `${nanoseconds(step_ns())} (as fits)` : "as fits"], ...lengths_ns.map((ns) => [String(ns), nanoseconds(ns)]),
        ...(state.window !== null && !lengths_ns.includes(state.window) ? [[String(state.window), nanoseconds(state.window)]] : []), ...(answer?.phase_names ?? []).map((name) => ["phase " + name, `phase ${name}`])];
      const active = document.activeElement?.id;
      tools.replaceChildren(...[
        chooser("Windows", choices, isPhase ? "phase " + state["tr.phase"] : state.window ?? "", chooseWindows, {id: "trend-windows"}),
        chooser("Scale", [["", "one for all rows"], ["own", "each row its own"]], state["tr.scale"] ?? "", (value) => app.set({"tr.scale": value || null}, {replace: true}), {id: "trend-scale"}),
        make("span", {class: "pager"}, button("‹ 50", () => turnPage(-1), {id: "trend-back", "aria-label": "Fifty windows back", disabled: page() === 0}),
          make("span", {id: "trend-page"}, windows ? `${span.first + 1}–${span.end} of ${count(windows)}` : ""), button("50 ›", () => turnPage(1), {id: "trend-on", "aria-label": "Fifty windows on", disabled: page() + 1 >= pageCount(windows)})),
        make("span", {class: "pager"}, button(player.isPlaying ? "Stop" : "Play", () => (player.isPlaying ? player.stop() : play()), {id: "trend-play", "aria-pressed": String(player.isPlaying)}),
          chooser("", speeds.map((one) => [one, `${one} a second`]), player.speed, (value) => player.setSpeed(value), {id: "trend-speed", "aria-label": "Speed"})),
        state.from !== null && state.frame === null && !app.source.isStatic ? button("Only this range", () => app.set({"tr.from": state.from, "tr.to": state.to, frame: null}), {id: "trend-zoom"}) : null,
        state["tr.from"] ? button("All of the recording", () => app.set({"tr.from": null, "tr.to": null, frame: null}), {id: "trend-all"}) : null].filter(Boolean));
      if (active) document.getElementById(active)?.focus();
    }

    function chooseWindows(value) {
      player.stop();
      if (value.startsWith("phase ")) app.set({"tr.phase": value.slice(6), window: null, frame: null, "tr.page": null});
      else app.set({"tr.phase": null, window: value ? Number(value) : null, frame: null, "tr.page": null});
    }
    function turnPage(by) {
      const next = Math.max(0, Math.min(pageCount(windowCount()) - 1, page() + by));
      if (app.state.frame !== null) moveTo(Math.min(windowCount() - 1, next * windowsOfPage));
      else app.set({"tr.page": next || null}, {replace: true});
    }
    // Shows a window everywhere; false if there is no such.
    function moveTo(frame, {isPlaying = false} = {}) {
      if (!answer || frame < 0 || frame >= windowCount()) return false;
      app.set({frame, from: answer.windows.from_ns[frame], to: answer.windows.to_ns[frame], "tr.page": null}, {replace: isPlaying || app.state.frame !== null});
      const row = rows[at];
      if (!isPlaying && row) app.announce(windowWords(row, chartsOf(app.state.what)[0], frame, labelOf(frame)));
      return true;
    }
    function play() {
      if (app.state.frame !== null && app.state.frame + 1 >= windowCount()) moveTo(0);
      player.start();
    }
    function pick(row) {
      const sel = selOf(units, answer.level, row.number);
      if (sel) app.set({sel: sel === app.state.sel ? null : sel, at: null});
    }
    function nextOdd(by) {
      const list = chartsOf(app.state.what), odd = [...new Set(list.flatMap((chart) => oddOf(rows[at], chart).map(([window]) => window)))].sort((a, b) => a - b), frame = app.state.frame ?? (by > 0 ? -1 : windowCount());
      const next = by > 0 ? odd.find((one) => one > frame) : odd.findLast((one) => one < frame);
      if (next === undefined) app.announce(`No window ${by > 0 ? "behind" : "before"} this one stands out in ${rows[at].name}.`);
      else moveTo(next);
    }

    const frameUnder = (event) => {
      const chart = event.target.closest?.(".trend-charts"), place = chart?.getBoundingClientRect();
      return place && answer ? {frame: frameAt((event.clientX - place.left) / place.width, spanOf(page(), windowCount())), index: Number(chart.parentElement.dataset.row),
        chart: chartsOf(app.state.what)[Math.max(0, [...chart.children].indexOf(event.target.closest("svg")))]} : null;
    };
    rowsPlace.addEventListener("click", (event) => { const found = frameUnder(event); if (found) { player.stop(); at = found.index; moveTo(found.frame); } });
    rowsPlace.addEventListener("pointermove", (event) => { const found = frameUnder(event); if (found && found.chart) tell(windowWords(rows[found.index], found.chart, found.frame, labelOf(found.frame)), event.clientX, event.clientY); else tellNothing(); });
    rowsPlace.addEventListener("pointerleave", tellNothing);
    rowsPlace.addEventListener("keydown", (event) => {
      if (event.ctrlKey || event.metaKey || event.altKey || !answer || rows.length === 0) return;
      const isButton = event.target.closest("button");
      const frame = app.state.frame ?? spanOf(page(), windowCount()).first - (event.key === "ArrowRight" ? 1 : 0);
      const acts = {
        ArrowLeft: () => moveTo(frame - 1), ArrowRight: () => moveTo(frame + 1), Home: () => moveTo(0), End: () => moveTo(windowCount() - 1),
        PageUp: () => turnPage(-1), PageDown: () => turnPage(1), "[": () => nextOdd(-1), "]": () => nextOdd(1),
        "+": () => faster(1), "-": () => faster(-1), ArrowUp: () => goRow(-1), ArrowDown: () => goRow(1),
        ...(isButton ? {} : {" ": () => (player.isPlaying ? player.stop() : play()), Enter: () => pick(rows[at])}),
      };
      if (!acts[event.key]) return;
      event.preventDefault();
      acts[event.key]();
    });
    function faster(by) {
      player.setSpeed(speeds[Math.max(0, Math.min(speeds.length - 1, speeds.indexOf(player.speed) + by))]);
      showTools();
      app.announce(`${player.speed} windows a second`);
    }
    function goRow(by) {
      at = Math.max(0, Math.min(rows.length - 1, at + by));
      for (const row of rowsPlace.querySelectorAll(".trend-row")) row.toggleAttribute("data-at", Number(row.dataset.row) === at);
      rowsPlace.querySelector("[data-at]")?.scrollIntoView({block: "nearest"});
      const frame = app.state.frame;
      app.announce(frame === null ? rowsPlace.querySelector(`[data-row="${at}"] svg`)?.getAttribute("aria-label") ?? rows[at].name : windowWords(rows[at], chartsOf(app.state.what)[0], frame, labelOf(frame)));
    }

    const endScheme = app.onSchemeChange(() => answer && rows.length && draw());
    learn();
    let shownPage = page();
    return {
      update(state, changed) {
        if (["level", "window", "filter", "compared", "tr.phase", "tr.from", "tr.to", "data"].some((name) => changed.has(name)) || (changed.has("what") && (answer?.level !== trendLevel(state) || (state.what === "bytes" && !answer.has_packets && !answer.no_packets)))) return learn();
        if (!answer) return;
        if (["what", "sel", "tr.scale", "tr.page"].some((name) => changed.has(name)) || page() !== shownPage) {
          shownPage = page();
          return show();
        }
        if (changed.has("frame") || changed.has("from") || changed.has("to")) {
          if (rows.length === 0) return;
          showNeedle();
          if (!player.isPlaying) { showTable(chartsOf(state.what)); showTools(); }
        }
      },
      unmount() { ++asked; player.stop(); endScheme(); },
    };
  },
};

function numbersOf(units, level) {
  if (level === "thread") return units.threads.id;
  const count = {process: units.processes.length, container: units.containers.length + units.nodes.length, node: units.nodes.length, rack: units.racks.length}[level] ?? 0;
  return unitLevels.includes(level) ? Array.from({length: count}, (_, i) => i) : [];
}
