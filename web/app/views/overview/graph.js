// SPDX-License-Identifier: Apache-2.0
// The wait-for graph: what is shown of it, and moving about in it.
import {button, draw, make} from "../../elements.js";
import {count} from "../../words.js";
import {centreOf, edgesAmong, knotEdges, moreNeighbours, neighbours, surroundings} from "./choice.js";
import {key, named} from "./data.js";
import {layOut} from "./layout.js";
import {drawEdge, drawVertex} from "./shapes.js";

const largest = 0.8;  // hardly larger than life: two boxes should not fill the screen

// picked(): {vertices: Set of ids, edge: "1>2" or null}. pick("vertex:1") selects. filter(): whom to name.
export function makeGraph(data, {picked, pick, filter}) {
  let finding = null, shownIds = [], view = {x: 0, y: 0, width: 1, height: 1};
  const shown = make("span", {id: "shown"}), legend = make("ul", {id: "legend"}), picture = draw("svg", {id: "graph", role: "group", "aria-label": "Wait-for graph"});
  const more = button("Show more", () => reveal(neighbours(data, shownIds, moreNeighbours, 0)), {id: "more"});
  const fewer = button("Only the finding", () => { shownIds = centreOf(data, finding); show(false); }, {id: "fewer"});
  const element = make("section", {id: "picture", class: "card", "aria-label": "Who waits for whom"},
    make("div", {id: "tools"}, shown, more, fewer, button("Fit", fit, {id: "fit"})), picture, legend);

  function setView(next) {
    view = next;
    picture.setAttribute("viewBox", [view.x, view.y, view.width, view.height].join(" "));
  }

  function fit() {
    if (!picture.querySelector(".node")) return;
    const bounds = picture.getBBox(), margin = 30, size = picture.getBoundingClientRect();
    if (!(size.width > 0)) return;
    const scale = Math.max((bounds.width + 2 * margin) / size.width, (bounds.height + 2 * margin) / size.height, largest);
    const width = size.width * scale, height = size.height * scale;
    setView({x: bounds.x + bounds.width / 2 - width / 2, y: bounds.y + bounds.height / 2 - height / 2, width, height});
  }

  function show(keepView) {
    const centre = new Set(centreOf(data, finding)), knot = knotEdges(data, finding), drawn = edgesAmong(data, shownIds, knot);
    const place = layOut(shownIds, drawn, [...centre]), outside = new Set(finding ? finding.outside : []), now = picked();
    const heaviest = Math.max(0, ...drawn.map((edge) => edge.weight_s)), isKnot = (edge) => knot.has(key(edge.from, edge.to));
    const isNamed = (id) => named(data, id, filter());
    const order = [...drawn].sort((a, b) => isKnot(a) - isKnot(b) || a.weight_s - b.weight_s);
    const focused = picture.contains(document.activeElement) ? document.activeElement.dataset : null;
    picture.replaceChildren(
      ...order.map((edge) => drawEdge(data, edge, place, heaviest, {knot: isKnot(edge), picked: now.edge === key(edge.from, edge.to),
        faded: !isNamed(edge.from) && !isNamed(edge.to)}, () => pick(`edge:${key(edge.from, edge.to)}`))),
      ...shownIds.map((id) => drawVertex(data, id, place.get(id), {knot: centre.has(id) && finding !== null, outside: outside.has(id), picked: now.vertices.has(id),
        faded: !isNamed(id)}, () => pick(`vertex:${id}`))));
    if (!keepView) fit();
    // What had the focus has it again, for those who go on by keyboard.
    if (focused?.vertex) picture.querySelector(`[data-vertex="${focused.vertex}"]`)?.focus();
    if (focused?.edge) picture.querySelector(`[data-edge="${focused.edge}"]`)?.focus();
    const all = data.report.vertices.length;
    shown.textContent = shownIds.length === all ? `all ${count(all)} threads, groups and devices` : `${count(shownIds.length)} of ${count(all)} threads, groups and devices`;
    more.disabled = neighbours(data, shownIds, 1, 0).length === 0;
    fewer.disabled = shownIds.length <= centre.size;
  }

  // Brings vertices into the picture that are not in it; draws it anew in any case.
  function reveal(ids) {
    const missing = ids.filter((id) => !shownIds.includes(id));
    shownIds = [...shownIds, ...missing];
    show(missing.length === 0);
  }

  picture.addEventListener("wheel", (event) => {
    if (!event.ctrlKey && !event.metaKey) return;  // else nobody could scroll past the picture
    event.preventDefault();
    zoom(Math.exp(Math.sign(event.deltaY) * 0.15), event);
  }, {passive: false});
  function zoom(factor, at) {
    const size = picture.getBoundingClientRect();
    const px = at ? (at.clientX - size.left) / size.width : 0.5, py = at ? (at.clientY - size.top) / size.height : 0.5;
    setView({x: view.x + view.width * px * (1 - factor), y: view.y + view.height * py * (1 - factor), width: view.width * factor, height: view.height * factor});
  }
  let drag = null;
  picture.addEventListener("pointerdown", (event) => { drag = {x: event.clientX, y: event.clientY, view, far: false}; });
  const move = (event) => {
    if (!drag) return;
    drag.far ||= Math.abs(event.clientX - drag.x) + Math.abs(event.clientY - drag.y) > 4;
    if (!drag.far) return;
    const scale = view.width / picture.getBoundingClientRect().width;
    picture.classList.add("dragging");
    setView({...drag.view, x: drag.view.x - (event.clientX - drag.x) * scale, y: drag.view.y - (event.clientY - drag.y) * scale});
  };
  const drop = () => { drag = null; picture.classList.remove("dragging"); };
  addEventListener("pointermove", move);
  addEventListener("pointerup", drop);
  addEventListener("pointercancel", drop);
  const resized = new ResizeObserver(() => requestAnimationFrame(fit));
  resized.observe(picture);
  element.addEventListener("keydown", (event) => {
    const act = {"+": () => zoom(0.8), "=": () => zoom(0.8), "-": () => zoom(1.25), 0: fit, m: () => more.click()}[event.key];
    if (!act || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    act();
  });

  function showLegend() {
    const kinds = new Set(data.report.vertices.map((vertex) => vertex.kind));
    const words = ["An arrow points at who ends the wait; its width is the waiting it carries.",
                   finding ? "Coloured: what holds the throughput." : "", finding?.outside.length ? "Dashed: outside the target." : "",
                   kinds.has("disk") ? "Drum: disk." : "", kinds.has("nic") ? "Hexagon: interface." : "",
                   kinds.has("timer") ? "Pill: timer." : "", kinds.has("group") ? "Stack: similar threads." : ""];
    legend.replaceChildren(...words.filter(Boolean).map((word) => make("li", null, word)));
  }

  return {
    element, reveal,
    // The finding in the middle, or null.
    focus(next) {
      finding = next;
      shownIds = surroundings(data, centreOf(data, finding));
      showLegend();
      show(false);
    },
    showNeighbours: (id) => reveal(neighbours(data, [id], moreNeighbours, 0)),
    fit,
    close() {
      resized.disconnect();
      removeEventListener("pointermove", move);
      removeEventListener("pointerup", drop);
      removeEventListener("pointercancel", drop);
    },
  };
}
