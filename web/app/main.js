// SPDX-License-Identifier: Apache-2.0
// Puts the page together: its top, the tabs, the toolbar and the view that is shown, and keeps all of them at one state.
import {openAddress} from "./address.js";
import {colours, onSchemeChange} from "./colours.js";
import {button, make, nothing} from "./elements.js";
import {makeHead} from "./head.js";
import {makeHelp} from "./help.js";
import {listenForKeys} from "./keyboard.js";
import {makeLive} from "./live/live.js";
import {watchRecordings} from "./recordings.js";
import {differences, merged} from "./state.js";
import {makeToolbar} from "./toolbar.js";
import {tellNothing} from "./told.js";
import * as words from "./words.js";

// views: views.js. source: source_served.js or source_static.js.
export function start(views, source) {
  let usualView = views.find((view) => !view.onlyLive && !view.onlyNodes).name, known = {}, shownPage = null, shownUnits = null;
  let undecided = true;  // which view comes first: it depends on the page where the address names none
  const mounted = new Map();  // name → {root, view, late: what changed while another view was shown}

  const app = {
    state: null, live: null, source, words, colours, onSchemeChange,
    // Merges changes into the state. replace: corrects the address instead of making a step for the way back (while one drags).
    set(changes, {replace = false} = {}) {
      const next = merged(app.state, app.live ? app.live.completed(changes) : changes), changed = differences(app.state, next);
      if (changed.size === 0) return;
      if (replace) address.correct(lasting(next));
      else address.step(lasting(next));
      show(next, changed);
    },
    has: (view) => views.some((one) => one.name === view && isThere(one)),
    go: (view, changes = {}) => app.set({...changes, view}),
    // Of the shown recording: asked once. Both wait while it is being read.
    page: () => (known.page ??= recordings.chosenIsServed().then(() => source.ask("page"))),
    units: () => (known.units ??= recordings.chosenIsServed().then(() => source.ask("units")).catch(() => null)),
    announce(text) { said.textContent = text; },
    // A live recording has grown: views hear that "data" changed, and ask anew.
    renew() {
      known = {};
      learn();
      deliver(new Set(["data"]));
    },
  };
  const address = openAddress(() => usualView, (next) => {
    const changed = differences(app.state, next);
    if (changed.size > 0) show(next, changed);
  });
  app.state = address.read();
  undecided = !address.namesView();
  source.pin = app.state.pin;

  const lasting = (state) => (app.live ? app.live.lasting(state) : state);
  // A report does not offer what it has nothing of.
  const isThere = (view) => (!view.onlyLive || source.isLive) && (!view.onlyNodes || source.isOfNodes) && (!source.isStatic || !view.asks || source.holds(view.asks));
  const nameOf = (state) => (views.some((view) => view.name === state.view && isThere(view)) ? state.view : usualView);
  const shownView = () => views.find((view) => view.name === nameOf(app.state));
  const help = makeHelp(() => views.filter(isThere)), said = make("p", {id: "announce", class: "unseen", "aria-live": "polite"});
  const head = makeHead(app, () => help.show(shownView())), bar = makeToolbar(app);
  const tabs = make("nav", {id: "views", role: "tablist", "aria-label": "Views"}), place = make("main", {id: "view"});
  document.body.prepend(head.element, tabs, bar.element, place, said, help.element);

  function showTabs() {
    const current = nameOf(app.state);
    tabs.replaceChildren(...views.filter(isThere).map((view) => button(view.title, () => app.go(view.name), {role: "tab", id: "tab-" + view.name, "aria-controls": "view-" + view.name,
      "aria-selected": String(view.name === current), tabindex: view.name === current ? 0 : -1, title: view.key ? `${view.title} (${view.key})` : view.title})));
  }
  tabs.addEventListener("keydown", (event) => {
    const step = {ArrowRight: 1, ArrowLeft: -1}[event.key], all = [...tabs.children], at = all.indexOf(document.activeElement);
    if (!step || at < 0) return;
    event.preventDefault();
    const there = views.filter(isThere), next = there[(at + step + there.length) % there.length];
    app.go(next.name);
    document.getElementById("tab-" + next.name).focus();
  });

  function mountView(view) {
    const root = make("section", {id: "view-" + view.name, role: "tabpanel", "aria-labelledby": "tab-" + view.name});
    place.append(root);
    const entry = {root, view: null, late: new Set()};
    mounted.set(view.name, entry);
    try {
      entry.view = view.mount(root, app);
    } catch (error) {
      root.replaceChildren(nothing(`This view cannot be shown: ${error.message}`));
      console.error(error);
    }
    return entry;
  }

  // Views that are not shown hear what changed when they are shown again.
  function deliver(changed) {
    if (undecided) return;
    const current = shownView();
    for (const entry of mounted.values()) for (const name of changed) entry.late.add(name);
    const entry = mounted.get(current.name) ?? mountView(current);
    for (const one of mounted.values()) one.root.hidden = one !== entry;
    if (entry.late.size === 0) return;
    const late = entry.late;
    entry.late = new Set();
    entry.view?.update?.(app.state, late);
  }

  function show(next, changed) {
    app.state = next;
    source.pin = next.pin;
    tellNothing();
    if (changed.has("recording")) changeRecording();
    else if (changed.has("pin")) {
      known = {};
      learn();
      changed.add("data");
    }
    if (changed.has("view")) {
      undecided = false;
      showTabs();
    }
    if (changed.has("compared") || changed.has("recording")) head.showRecordings(recordings.list());
    document.body.dataset.view = nameOf(next);
    if (changed.has("view") && source.isOfNodes) learn();
    bar.update(shownView(), next, shownPage, shownUnits);
    deliver(changed);
    app.live?.changed(changed);
  }

  // Nodes come first: which of them is to be asked for its report is the reader's choice.
  let isOfNodes = false;
  function watchNodes() {
    if (source.isOfNodes === isOfNodes) return;
    isOfNodes = source.isOfNodes;
    if (isOfNodes && undecided) {
      usualView = "nodes";
      undecided = false;
      const next = address.read();
      show(next, differences(app.state, next).add("view"));
    }
    showTabs();
  }

  // Another window of a live recording: what the address says stays. answers: its page and units, if they are known.
  function showWindow(changes, answers, frame) {
    known = answers ? {page: Promise.resolve(answers.page), units: Promise.resolve(answers.units)} : {};
    const next = merged(app.state, changes), changed = differences(app.state, next);
    app.state = next;
    if (answers) learn();
    else head.showPage({report: {verdict: frame.frame.verdict, findings: frame.frame.findings, recording: null}});
    bar.update(shownView(), next, shownPage, shownUnits);
    deliver(changed.add("data"));
  }

  function watchLive() {
    if (source.isLive === Boolean(app.live)) return;
    if (app.live) {
      app.live.stop();
      app.live = null;
    } else {
      app.live = makeLive(app, source, {page: app.page, units: app.units, show: showWindow});
      tabs.after(app.live.bar);
      if (!address.namesView() && app.has("live")) {
        usualView = "live";
        undecided = false;
        const next = address.read();
        show(next, differences(app.state, next));
      }
    }
    showTabs();
  }

  function changeRecording() {
    for (const entry of mounted.values()) {
      entry.view?.unmount?.();
      entry.root.remove();
    }
    mounted.clear();
    known = {};
    shownPage = shownUnits = null;
    app.live?.stop();
    app.live = null;
    recordings.choose(app.state.recording);
    watchLive();
    learn();
  }

  // A job's report without a graph begins with its phases.
  function decide(page) {
    if (!undecided) return;
    undecided = false;
    if (page && !page.report.vertices.length && page.report.phases.length && app.has("phases")) {
      usualView = "phases";
      const next = address.read();
      show(next, differences(app.state, next));
    }
    deliver(new Set());
  }

  // What the top and the toolbar tell of the recording.
  function learn() {
    const of = known, isCurrent = () => known === of;
    if (source.isOfNodes && nameOf(app.state) === "nodes") return head.showNodes(recordings.list());
    app.page().then((page) => {
      if (!isCurrent()) return;
      shownPage = page;
      head.showPage(page);
      decide(page);
      bar.update(shownView(), app.state, shownPage, shownUnits);
    }, (error) => {
      if (!isCurrent()) return;
      head.showError(error.message);
      decide(null);
    });
    app.units().then((units) => {
      if (!isCurrent()) return;
      shownUnits = units;
      bar.update(shownView(), app.state, shownPage, shownUnits);
    });
  }

  const recordings = watchRecordings(source, {
    changed: (list) => {
      head.showRecordings(list);
      watchLive();
      watchNodes();
    },
    reading: (recording) => { if (!shownPage) head.showReading(recording); },
    failed: (text) => head.showError(text),
    renewed: () => app.renew(),
  });

  listenForKeys({
    "?": () => help.show(shownView()),
    "/": () => document.querySelector("#view > section:not([hidden]) [data-filter]")?.focus() ?? bar.filter.focus(),
    w: () => app.set({from: null, to: null}),
    " ": () => app.live?.toggle(),
    End: () => app.live?.goOn(),
    Escape: () => {
      if (document.activeElement === bar.filter) bar.filter.blur();
      else app.set({sel: null, at: null});
    },
    ...Object.fromEntries(views.filter((view) => view.key).map((view) => [view.key, () => { if (app.has(view.name)) app.go(view.name); }])),
  });

  document.body.dataset.view = nameOf(app.state);
  showTabs();
  recordings.choose(app.state.recording);
  recordings.chosenIsServed().catch(() => {}).then(learn);  // whether it is a node's is known then
  bar.update(shownView(), app.state, null, null);
  deliver(new Set());
  return app;
}
