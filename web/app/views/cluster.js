// SPDX-License-Identifier: Apache-2.0
// The cluster view: how racks, nodes, containers and processes share the CPU time, the waits, the bytes or the critical paths.
import {button, chooser, make, nothing} from "../elements.js";
import {gone} from "../source_served.js";
import {tell, tellNothing} from "../told.js";
import {count, counted, nanoseconds, percent, quantity, share} from "../words.js";
import {drawTreemap, ramp} from "./cluster/draw.js";
import {layOut, neighbour} from "./cluster/treemap.js";
import {ancestors, find, leaves, measureWords, treeOf, valueOf, waitingShare} from "./cluster/tree.js";
import {askOr, finder, isWithin, levelWords} from "./cluster/unit_lists.js";

const amountWords = {
  cpu: (value) => nanoseconds(value), waits: (value) => nanoseconds(value), bytes: (value) => quantity(value, "B"),
  participation: (value) => percent(value), threads: (value) => count(value),
};
const mostTableRows = 20;
const mostEventsAtOnce = 2e7;  // a second or two

function sentence(item, what, {has_participation}) {
  const {sums} = item;
  const parts = [`${nanoseconds(sums.run_ns + sums.spin_ns)} of CPU time`, `${nanoseconds(sums.wait_ns)} of waits (${percent(waitingShare(item))} of its time)`,
    counted(sums.threads, "thread")];
  if (has_participation) parts.push(`${percent(sums.participation)} of the critical paths`);
  if (sums.sent_bytes + sums.received_bytes > 0) parts.push(`${quantity(sums.sent_bytes, "B")} sent, ${quantity(sums.received_bytes, "B")} received`);
  const first = what === "waits" ? 1 : what === "threads" ? 2 : what === "participation" ? Math.min(3, parts.length - 1) : what === "bytes" ? parts.length - 1 : 0;
  return `${levelWords[item.kind]?.[0] ?? ""} ${item.name}: `.trimStart() + [parts[first], ...parts.filter((_, i) => i !== first)].join(" · ");
}

export const cluster = {
  name: "cluster", title: "Cluster", key: "c", asks: ["amounts"], uses: ["filter", "what", "range"],
  keys: [["← ↑ → ↓", "to the rectangle beside"], ["Enter", "a level down"], ["Backspace", "a level up"], ["Space", "select it, and filter all views by it"],
    ["Shift + Space", "select what it belongs to"]],
  mount(root, app) {
    const summary = make("p", {class: "told-line", id: "cluster-summary"}), crumbs = make("nav", {class: "crumbs", "aria-label": "Where in the cluster"});
    const canvas = make("canvas", {class: "treemap", tabindex: 0, role: "application", "aria-roledescription": "treemap", "aria-label": "Treemap"});
    const legend = make("span", {class: "legend-ramp"}), table = make("div", {class: "beside"}), note = make("p", {class: "quiet", hidden: ""});
    const colouring = chooser("Colour", [["waiting", "share of waiting"], ["participation", "participation"]], app.state["cl.colour"] ?? "waiting", (value) => app.set({"cl.colour": value === "waiting" ? null : value}, {replace: true}), {id: "cluster-colour"});
    const picture = make("div", {class: "card treemap-place"}, canvas);
    root.replaceChildren(make("div", {class: "view-head"}, summary, make("div", {class: "view-tools"}, colouring, legend)), crumbs, note, picture, table);

    let units = null, answers = {}, tree = null, top = null, items = [], groups = [], chips = [], focused = null, asked = 0;

    const what = () => app.state.what, colourBy = () => (app.state["cl.colour"] === "participation" ? "participation" : "waiting");
    const rangeOf = (state) => ({from: state.from, to: state.to});
    // Bytes and participation take a pass over all of a recording: of a large one they are asked for when they are looked at. A
    // node alone knows nothing of participation, and says so to who looks at it.
    const everything = {bytes: 1, participation: 1};
    async function extras() {
      const page = await app.page(), events = page.report.recording?.events ?? 0;
      if (app.source.isStatic || (events <= mostEventsAtOnce && !app.source.isOfNodes)) return everything;
      return {bytes: what() === "bytes" ? 1 : null, participation: what() === "participation" || colourBy() === "participation" ? 1 : null};
    }

    async function learn() {
      const turn = ++asked, state = app.state, process = /^process:\d+$/.test(state["cl.root"] ?? "");
      try {
        units = await app.units();
        const more = await extras();
        const {answer, isUsual} = await askOr(app, "amounts", {...rangeOf(state), level: "process", ...more}, {level: "process", ...everything}, {instead: "cl.amounts"});
        const threads = process ? await app.source.ask("amounts", {...rangeOf(state), level: "thread", participation: more.participation}, {instead: "cl.threads"}) : null;
        if (turn !== asked) return;
        answers = {process: answer, thread: threads, isUsual};
        show();
      } catch (error) {
        if (gone(error) || turn !== asked) return;
        root.querySelector(".treemap-place").replaceChildren(nothing(error.message));
      }
    }

    function show() {
      const state = app.state, answer = answers.process;
      if (!answer) return picture.replaceChildren(nothing("This page does not hold the amounts of units. gordian serve shows them."));
      if (!canvas.isConnected) picture.replaceChildren(canvas);
      const wide = treeOf(units, answer, what());
      let root_ = find(wide, state["cl.root"] ?? "") ?? wide;
      if (root_.kind === "process" && answers.thread && units) {
        const inside = new Set(units.threads.id.filter((_, row) => units.threads.process[row] === root_.number));
        const told = answers.thread.units, rows = told.number.map((id, row) => row).filter((row) => inside.has(told.number[row]));
        const part = {level: "thread", units: Object.fromEntries(Object.entries(told).map(([name, column]) => [name, rows.map((row) => column[row])]))};
        root_.children = treeOf(null, part, what()).children;
        for (const one of root_.children) { one.parent = root_; one.sel = one.key; }
      }
      tree = wide;
      top = root_;
      note.hidden = true;
      if (answers.isUsual && (state.from !== null || state.to !== null)) say("This page holds the amounts of the whole time only: gordian serve shows those of any range.");
      if (what() === "bytes" && !answer.has_packets && answer.no_packets) say(`${answer.no_packets[0]?.toUpperCase() ?? ""}${answer.no_packets.slice(1)}, so nothing is told of bytes. CPU time and waits are.`);
      else if (what() === "participation" && answer.critical_paths === 0) say("No critical path leads through this range: none of the target's threads was at work.");
      else if (answer.left_out > 0) say(`${counted(answer.left_out, "process", "processes")} more did less and are left out.`);
      resize();
      showWords();
    }
    const say = (words) => { note.hidden = false; note.textContent = words; };

    function resize() {
      if (!top || canvas.clientWidth === 0) return;
      layOut(top, {x: 0, y: 0, width: canvas.clientWidth, height: canvas.clientHeight});
      items = leaves(top).filter((item) => item.box && item !== tree);
      groups = [];
      const collect = (item) => { if (item.children.length > 0 && item.box) { if (item !== top) groups.push(item); item.children.forEach(collect); } };
      collect(top);
      const key = focused?.key;
      focused = items.find((item) => item.key === key) ?? null;
      paint();
    }

    function paint() {
      const colour = app.colours(), finds = finder(units, app.state.filter), byPath = colourBy() === "participation", shade = ramp(colour, byPath ? "--knot" : "--bar", byPath);
      const isActive = document.activeElement === canvas;
      chips = drawTreemap(canvas, {items, groups, colour, focused: isActive ? focused ?? items[0] : null,
        fill: (item) => shade(byPath ? item.sums.participation : waitingShare(item)),
        isFaint: (item) => !finds(item.kind, item.number, item.name),
        isPicked: (item) => item.sel !== null && item.sel === app.state.sel,
        words: (item) => [`${amountWords[what()](item.value)} · ${percent(share(item.value, tree.value))}`, amountWords[what()](item.value)]});
      const stops = (byPath ? [0, 0.04, 0.25, 0.5, 1] : [0, 0.25, 0.5, 0.75, 1]).map((at) => make("i", {style: {background: `rgb(${shade(at).join(" ")})`}, title: percent(at)}));
      legend.replaceChildren("0 %", ...stops, "100 %", make("span", {class: "quiet"}, byPath ? "of the critical paths" : "of its time it waits"));
    }

    function showWords() {
      const parts = [...new Set(leaves(top))].filter((item) => item.value > 0).sort((a, b) => b.value - a.value), first = parts[0], kind = first?.kind ?? "process";
      canvas.setAttribute("aria-label", `Treemap of ${counted(parts.length, ...levelWords[kind])} by ${measureWords[what()]}. Arrow keys go from one to the next.`);
      summary.textContent = first ? `${counted(parts.length, ...levelWords[kind])} ${top === tree ? "" : `in ${top.name} `}share ${amountWords[what()](top.value)} of ${measureWords[what()]}; ` +
        `${first.name} has most, ${percent(share(first.value, top.value))}.` : `Nothing here has ${measureWords[what()]} in this range.`;
      const path = ancestors(top);
      crumbs.replaceChildren(...path.flatMap((item, i) => [i > 0 ? make("span", {"aria-hidden": "true"}, "›") : null,
        item === top ? make("b", null, item === tree ? "All" : item.name) : button(item === tree ? "All" : item.name, () => go(item), {class: "plain"})]).filter(Boolean));
      table.replaceChildren(make("details", null, make("summary", null, "As a table"), make("table", {class: "plain-table", id: "cluster-table"},
        make("thead", null, make("tr", null, ["Unit", "CPU time", "Waits", "Waiting", "Participation", "Threads", "Sent", "Received"].map((words, i) => make("th", i ? {class: "number"} : null, words)))),
        make("tbody", null, parts.slice(0, mostTableRows).map((item) => make("tr", {tabindex: 0, onclick: () => pick(item), onkeydown: (event) => { if (event.key === "Enter") pick(item); }},
          make("th", {scope: "row"}, item.name), [nanoseconds(valueOf(item, "cpu")), nanoseconds(item.sums.wait_ns), percent(waitingShare(item)), answers.process.has_participation ? percent(item.sums.participation) : "", count(item.sums.threads),
            quantity(item.sums.sent_bytes, "B"), quantity(item.sums.received_bytes, "B")].map((words) => make("td", {class: "number"}, words)))))),
        parts.length > mostTableRows ? make("p", {class: "quiet"}, `${count(parts.length - mostTableRows)} more are in the picture.`) : null));
    }

    function go(item) {
      focused = null;
      app.set({"cl.root": item.key || null});
    }
    const canOpen = (item) => item !== top && (item.children.length > 0 || (item.kind === "process" && item.sums.threads > 1 && !app.source.isStatic));
    // A level down, towards `item`.
    function open(item) {
      const path = ancestors(item), next = path[path.indexOf(top) + 1];
      if (next && canOpen(next)) go(next);
      else app.announce(`${item.name} has no parts.`);
    }
    function up() { if (top && top.parent) go(top.parent); }
    // A second time takes it back.
    function pick(item) {
      const isPicked = item.sel !== null && app.state.sel === item.sel;
      const name = units ? ({process: () => units.processes[item.number]?.name, container: () => units.containers[item.number]?.name,
        node: () => units.nodes[item.number]?.name, rack: () => units.racks[item.number]?.name}[item.kind]?.() ?? item.name) : item.name;
      app.set(isPicked ? {sel: null, at: null, filter: ""} : {sel: item.sel, at: null, filter: name});
      app.announce(isPicked ? "Nothing is selected; all units are shown." : `Selected. All views are filtered by ${name}.`);
    }

    const itemAt = (event) => {
      const place = canvas.getBoundingClientRect(), x = event.clientX - place.left, y = event.clientY - place.top;
      const holds = ({box}) => x >= box.x && x < box.x + box.width && y >= box.y && y < box.y + box.height;
      return chips.find(holds)?.group ?? items.find(holds) ?? null;
    };
    canvas.addEventListener("pointermove", (event) => { const item = itemAt(event); if (item) tell(sentence(item, what(), answers.process), event.clientX, event.clientY); else tellNothing(); });
    canvas.addEventListener("pointerleave", tellNothing);
    let clickTimer = 0;
    canvas.addEventListener("click", (event) => {
      const item = itemAt(event);
      if (!item) return;
      if (items.includes(item)) focused = item;
      clearTimeout(clickTimer);
      if (event.detail > 1) return;
      clickTimer = setTimeout(() => pick(item), 220);  // a second click opens it instead
    });
    canvas.addEventListener("dblclick", (event) => { clearTimeout(clickTimer); const item = itemAt(event); if (item) open(item); });
    canvas.addEventListener("focus", () => { focused ??= items[0] ?? null; paint(); });
    canvas.addEventListener("blur", () => { paint(); tellNothing(); });
    canvas.addEventListener("keydown", (event) => {
      if (event.ctrlKey || event.metaKey || event.altKey) return;
      const way = {ArrowLeft: "left", ArrowRight: "right", ArrowUp: "up", ArrowDown: "down"}[event.key], at = focused ?? items[0];
      if (!at) return;
      if (way) {
        focused = neighbour(items, at, way) ?? at;
        paint();
        app.announce(sentence(focused, what(), answers.process));
      } else if (event.key === "Enter") open(at);
      else if (event.key === "Backspace") up();
      else if (event.key === " ") pick(event.shiftKey && at.parent && at.parent !== tree ? at.parent : at);
      else return;
      event.preventDefault();
    });

    const observer = new ResizeObserver(resize);
    observer.observe(canvas);
    const endScheme = app.onSchemeChange(() => top && paint());
    learn();
    return {
      update(state, changed) {
        if (["from", "to", "cl.root", "data"].some((name) => changed.has(name))) return learn();
        if (!answers.process) return;
        const lacks = (state.what === "bytes" && !answers.process.has_packets && !answers.process.no_packets) ||
          ((state.what === "participation" || colourBy() === "participation") && !answers.process.has_participation);
        if (lacks) return learn();
        if (changed.has("what")) return show();
        if (top) paint();
      },
      unmount() { ++asked; observer.disconnect(); endScheme(); clearTimeout(clickTimer); },
    };
  },
};
