// SPDX-License-Identifier: Apache-2.0
// All of the recording in a strip, with what is shown of it: a click or a drag goes there.
import {make} from "../../elements.js";
import {barHeight} from "./draw.js";
import {within} from "./scale.js";

export function makeMap(app, {setRange}) {
  const element = make("canvas", {class: "tl-map", "aria-hidden": "true"});
  let shown = null, drag = null;
  const timeOf = (event) => {
    const box = element.getBoundingClientRect();
    return ((event.clientX - box.left) / Math.max(1, box.width)) * shown.length;
  };
  element.addEventListener("pointerdown", (event) => {
    if (!shown) return;
    const at = timeOf(event), {from, to} = shown.range, inside = at >= from && at <= to && to - from < shown.length * 0.98;
    drag = {at, inside, offset: inside ? at - from : 0, span: to - from};
    element.setPointerCapture(event.pointerId);
  });
  element.addEventListener("pointermove", (event) => {
    if (!drag) return;
    const at = timeOf(event);
    if (drag.inside) setRange(within({from: at - drag.offset, to: at - drag.offset + drag.span}, shown.length), false);
    else if (Math.abs(at - drag.at) > shown.length / 400) setRange(within({from: Math.min(at, drag.at), to: Math.max(at, drag.at)}, shown.length), false);
  });
  const end = (event) => {
    if (!drag) return;
    const at = timeOf(event), was = drag;
    drag = null;
    if (!was.inside && Math.abs(at - was.at) <= shown.length / 400) setRange(within({from: at - was.span / 2, to: at + was.span / 2}, shown.length), true);
  };
  element.addEventListener("pointerup", end);
  element.addEventListener("pointercancel", () => { drag = null; });

  return {
    element,
    draw(next) {
      shown = next;
      const {range, length, colour, sheets, rows} = next, ratio = devicePixelRatio || 1, width = element.clientWidth, height = element.clientHeight;
      if (element.width !== Math.round(width * ratio)) element.width = Math.round(width * ratio);
      if (element.height !== Math.round(height * ratio)) element.height = Math.round(height * ratio);
      const context = element.getContext("2d");
      context.setTransform(ratio, 0, 0, ratio, 0, 0);
      context.clearRect(0, 0, width, height);
      const key = rows.find((row) => row.kind === "cpus")?.key ?? "u0";
      for (const sheet of sheets.layers(key, {from: 0, to: length}, length / Math.max(1, width))) {
        if (sheet.from > 0 || sheet.to < length) continue;
        context.drawImage(sheet.picture, 0, sheet.place.get(key) * barHeight, sheet.pixels, barHeight, 0, 2, width, height - 4);
      }
      const x = (range.from / length) * width, w = Math.max(2, ((range.to - range.from) / length) * width);
      context.globalAlpha = 0.55;
      context.fillStyle = colour("--paper");
      context.fillRect(0, 0, x, height);
      context.fillRect(x + w, 0, width - x - w, height);
      context.globalAlpha = 1;
      context.strokeStyle = colour("--pick");
      context.strokeRect(x + 0.5, 0.5, Math.max(1, w - 1), height - 1);
    },
  };
}
