// SPDX-License-Identifier: Apache-2.0
// Pointer, wheel and keys of the timeline. The wheel zooms at the pointer (over the names it scrolls), dragging pans, dragging
// with Shift measures, a click selects.
import {typing} from "../../keyboard.js";
import {tell} from "../../told.js";
import {panned, timeAt, zoomed} from "./scale.js";

const clickSlack_px = 4;  // a click trembles

export const keys = [["w / s", "zoom in, out"], ["a / d", "earlier, later"], ["j / k", "next, previous row"], ["← / →", "with a moment selected: to its cause, to its effect"],
  ["y", "who made this wait so long?"], ["l / L", "all that led here, all that it led to"], ["b", "back along the walk"], ["c", "critical path of what is shown"],
  ["f", "flame graph of the selection, or of all"], ["Enter", "open the row, or zoom to the moment"], ["0", "the whole time"],
  ["wheel", "zoom at the pointer"], ["drag", "move through time"], ["Shift + drag", "measure"]];

// host: {canvas, gutter(), plot(), range(), length(), setRange(range, done), hitRow(y), click(row, time), toggle(row), hover(row, time, event),
//  measure(range, done), scrollBy(px), isShown(), acts}
export function listenTo(host) {
  const {canvas} = host;
  let drag = null;
  const place = (event) => {
    const box = canvas.getBoundingClientRect();
    return {x: event.clientX - box.left - host.gutter(), y: event.clientY - box.top};
  };
  const time = (x) => timeAt(host.range(), host.plot(), Math.min(host.plot(), Math.max(0, x)));

  canvas.addEventListener("wheel", (event) => {
    const {x} = place(event), scale = event.deltaMode === 1 ? 18 : 1;
    if (x < 0) return;  // over the names: rows scroll
    event.preventDefault();
    if (event.shiftKey) host.scrollBy((event.deltaY || event.deltaX) * scale);
    else if (Math.abs(event.deltaX) > Math.abs(event.deltaY)) host.setRange(panned(host.range(), ((host.range().to - host.range().from) * event.deltaX * scale) / host.plot(), host.length()), false);
    else host.setRange(zoomed(host.range(), host.plot(), x, Math.exp(Math.max(-1, Math.min(1, event.deltaY * scale * 0.002))), host.length()), false);
  }, {passive: false});

  canvas.addEventListener("pointerdown", (event) => {
    if (event.button !== 0) return;
    const {x, y} = place(event);
    canvas.focus({preventScroll: true});
    drag = {x, y, range: host.range(), time: time(x), moved: false, measures: event.shiftKey && x >= 0, touch: event.pointerType === "touch"};
    canvas.setPointerCapture(event.pointerId);
  });
  canvas.addEventListener("pointermove", (event) => {
    const {x, y} = place(event);
    const mark = drag ? null : host.markAt(x, y);
    if (mark) return tell(host.markWords(mark), event.clientX, event.clientY);
    if (!drag) return host.hover(host.hitRow(y), x >= 0 ? time(x) : null, event);
    if (!drag.moved && Math.abs(x - drag.x) + Math.abs(y - drag.y) < clickSlack_px) return;
    drag.moved = true;
    if (drag.x < 0) return;
    if (drag.measures) return host.measure(ordered(drag.time, time(x)), false);
    const span = drag.range.to - drag.range.from;
    host.setRange(panned(drag.range, (-(x - drag.x) * span) / host.plot(), host.length()), false);
    if (!drag.touch && Math.abs(y - drag.y) > 0) {
      host.scrollBy(drag.y - y);
      drag.y = y;
    }
  });
  const end = (event) => {
    if (!drag) return;
    const was = drag, {x, y} = place(event);
    drag = null;
    if (event.type === "pointercancel") return;
    if (was.measures && was.moved) return host.measure(ordered(was.time, time(x)), true);
    if (was.moved) return host.setRange(host.range(), true);
    const mark = host.markAt(x, y), row = host.hitRow(y);
    if (mark) return host.clickMark(mark);
    if (row < 0) return;
    if (x < 0) host.nameClick(row, x + host.gutter());
    else host.click(row, Math.floor(time(x)));
  };
  canvas.addEventListener("pointerup", end);
  canvas.addEventListener("pointercancel", end);
  canvas.addEventListener("pointerleave", () => { if (!drag) host.hover(-1, null, null); });
  canvas.addEventListener("dblclick", (event) => {
    const {x, y} = place(event);
    if (x < 0 && host.hitRow(y) >= 0) host.toggle(host.hitRow(y));
    else if (x >= 0) host.setRange(zoomed(host.range(), host.plot(), x, 0.25, host.length()), true);
  });

  const middle = () => host.plot() / 2, step = () => (host.range().to - host.range().from) / 5, {acts} = host;
  const zoom = (factor) => host.setRange(zoomed(host.range(), host.plot(), middle(), factor, host.length()), true);
  const pan = (way) => host.setRange(panned(host.range(), way * step(), host.length()), true);
  const table = {
    w: () => zoom(0.7), "+": () => zoom(0.7), "=": () => zoom(0.7), s: () => zoom(1 / 0.7), "-": () => zoom(1 / 0.7), a: () => pan(-1), d: () => pan(1),
    j: () => acts.row(1), k: () => acts.row(-1), ArrowDown: () => acts.row(1), ArrowUp: () => acts.row(-1),
    ArrowLeft: () => acts.back() || pan(-1), ArrowRight: () => { if (acts.hasMoment()) acts.forward(); else pan(1); },
    y: acts.why, l: () => acts.slice(false), L: () => acts.slice(true), b: acts.previous, c: acts.path, f: acts.flame, 0: acts.whole, Enter: acts.enter,
    Escape: acts.escape, PageDown: () => host.scrollBy(host.page()), PageUp: () => host.scrollBy(-host.page()),
  };
  const listen = (event) => {
    if (!host.isShown() || event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || typing(event.target) || document.querySelector("dialog[open]")) return;
    // Buttons have Enter, tabs the arrows.
    const own = event.target === canvas || !(event.target instanceof Element) || !event.target.closest("button, a, [role=tab], [role=treeitem]");
    if (!own && (event.key === "Enter" || event.key.startsWith("Arrow"))) return;
    const act = Object.hasOwn(table, event.key) ? table[event.key] : null;
    if (act && act() !== false) event.preventDefault();
  };
  document.addEventListener("keydown", listen);
  return () => document.removeEventListener("keydown", listen);
}

const ordered = (a, b) => ({from: Math.min(a, b), to: Math.max(a, b)});
