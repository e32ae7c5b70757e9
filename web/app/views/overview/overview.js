// SPDX-License-Identifier: Apache-2.0
// The first view: the answer, why, what to try and what it gains, the wait-for graph, and the lists.
import {make, nothing} from "../../elements.js";
import {selectionPath, verticesOf} from "../../selection.js";
import {selected} from "../../state.js";
import {indexed} from "./data.js";
import {makeGraph} from "./graph.js";
import {makeLists} from "./lists.js";
import {makePanel} from "./panel.js";
import {pathPart} from "./path.js";

export const overview = {
  name: "overview", title: "Overview", key: "o", uses: [],
  keys: [["Tab, Enter", "go through the picture and the lists, and select"], ["+ − 0", "picture: nearer, farther, all of it"], ["m", "picture: show more"]],
  mount(root, app) {
    let shown = null, closed = false;
    const memory = {};
    // A live recording is renewed while somebody reads and types.
    const read = () => app.page().then((page) => {
      if (!closed) keepingFocus(root, () => {
        shown?.close();
        shown = showReport(root, app, page, memory);
      });
    }, (error) => { if (!closed) root.replaceChildren(nothing(error.message)); });
    read();
    return {
      update(state, changed) {
        if (changed.has("data")) read();
        else shown?.update(changed);
      },
      unmount() {
        closed = true;
        shown?.close();
      },
    };
  },
};

// What the selection means for the panel.
function chosenOf(data, sel, units) {
  const what = selected(sel);
  if (!what) return null;
  if (what.kind === "edge") return data.edgeOf.has(`${what.from}>${what.to}`) ? {edge: `${what.from}>${what.to}`} : null;
  const ids = verticesOf(sel, data.page, units);
  if (ids.length === 0) return null;
  if (what.kind === "vertex" || what.kind === "device") return {vertex: ids[0]};
  if (what.kind === "thread") return {vertex: ids[0], thread: data.report.threads.find((one) => one.id === what.id)};
  return {words: selectionPath(sel, data.page, units).map((part) => part.words).join(" › "), vertices: ids};
}

// What had the focus has it again behind `act`, and the column beside the picture is not moved.
function keepingFocus(root, act) {
  const focused = root.contains(document.activeElement) ? document.activeElement : null;
  const name = focused && ["data-vertex", "data-edge", "data-filter", "id"].find((one) => focused.hasAttribute(one));
  const place = name && `[${name}="${CSS.escape(focused.getAttribute(name))}"]`, caret = focused?.selectionStart ?? null;
  const top = root.querySelector("#panel")?.scrollTop ?? 0;
  act();
  root.querySelector("#panel").scrollTop = top;
  const again = place ? root.querySelector(place) : null;
  again?.focus({preventScroll: true});
  if (again && caret !== null) again.setSelectionRange(caret, caret);
}

function showReport(root, app, page, memory) {
  const data = indexed(page);
  let units = null, closed = false;
  const finding = () => data.report.findings.find((one) => String(one.rank) === app.state["ov.finding"]) ?? data.limits[0] ?? null;
  const chosen = () => chosenOf(data, app.state.sel, units);
  const pick = (sel) => app.set({sel, at: null});
  const graph = makeGraph(data, {pick, filter: () => app.state.filter, picked: () => {
    const what = chosen();
    return {edge: what?.edge ?? null, vertices: new Set(what?.vertices ?? (what?.vertex !== undefined ? [what.vertex] : []))};
  }});
  const panel = makePanel(data, {pick, back: () => app.set({sel: null, at: null}), showNeighbours: graph.showNeighbours,
    showFinding: (one) => app.set({sel: null, at: null, "ov.finding": one === data.limits[0] ? null : String(one.rank)}),
    goTo: app.has("timeline") && !app.source.isStatic ? [["On the timeline", () => app.go("timeline")]] : []});
  const lists = makeLists(data, app, memory), both = make("div", {class: "answer"}, graph.element, panel.element);
  if (data.report.vertices.length === 0) graph.element.hidden = true;
  root.replaceChildren(...[pathPart(data.report), both, lists.element].filter(Boolean));

  // The vertices of the selection must be in the picture.
  function showChosen() {
    const what = chosen();
    graph.reveal(what?.edge ? what.edge.split(">").map(Number) : what?.vertices?.slice(0, 40) ?? (what?.vertex !== undefined ? [what.vertex] : []));
    panel.show(what, finding());
  }
  graph.focus(finding());
  showChosen();
  // Paper cannot be clicked.
  const openAll = () => panel.element.querySelectorAll("details").forEach((one) => { one.open = true; });
  addEventListener("beforeprint", openAll);
  app.units().then((known) => {
    units = known;
    if (!closed && known && app.state.sel) showChosen();
  });
  return {
    update(changed) {
      if (changed.has("ov.finding")) graph.focus(finding());
      if (changed.has("sel") || changed.has("ov.finding") || changed.has("filter")) showChosen();
      lists.update(changed);
    },
    close() {
      closed = true;
      removeEventListener("beforeprint", openAll);
      graph.close();
    },
  };
}
