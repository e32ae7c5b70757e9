// SPDX-License-Identifier: Apache-2.0
// The last minutes: each second's limit as a bar as high as its share, coloured by what the limit was. A click goes there.
import {make} from "../../elements.js";
import {coloursOfLimits, mostSeconds} from "../../live/strip.js";
import {counted, percent} from "../../words.js";
import {tell, tellNothing} from "../../told.js";

const shades = 7, height_px = 64;

export function minutesPart(app) {
  const canvas = make("canvas", {id: "live-minutes", class: "minutes", role: "img", tabindex: 0}), legend = make("ul", {class: "legend"});
  let drawn = null;
  const numberAt = (event) => {
    if (!drawn) return null;
    const box = canvas.getBoundingClientRect(), ago = Math.floor((box.right - event.clientX) / (box.width / drawn.columns));
    return drawn.newest - Math.max(0, ago);
  };
  canvas.addEventListener("click", (event) => { const number = numberAt(event); if (number !== null) app.live?.goTo(number); });
  canvas.addEventListener("pointermove", (event) => {
    const number = numberAt(event), second = number === null ? null : drawn.seconds.find((one) => one.number === number);
    if (second) tell(wordsOf(second, drawn.newest - number), event.clientX, event.clientY);
    else tellNothing();
  });
  canvas.addEventListener("pointerleave", tellNothing);
  canvas.addEventListener("keydown", (event) => {
    const step = {ArrowLeft: -1, ArrowRight: 1, PageUp: -10, PageDown: 10}[event.key];
    if (!step || !app.live) return;
    event.preventDefault();
    app.live.goTo((app.state.pin ?? app.live.state().newest) + step);
  });
  const wordsOf = (second, ago) => `${ago} s ago: ` + (!second.judged ? "nobody looked; a click judges it" : second.limit ? `${second.limit}, ${percent(second.share)}` : "no limit");

  function show(frame, state) {
    const seconds = state.seconds, colours = app.colours(), of = coloursOfLimits(seconds, shades);
    const first = seconds[0]?.number ?? 0, columns = Math.min(mostSeconds, Math.max(60, state.newest - first + 1));
    drawn = {newest: state.newest, columns, seconds};
    const width = Math.max(1, canvas.clientWidth), scale = globalThis.devicePixelRatio || 1;
    if (canvas.width !== Math.round(width * scale)) canvas.width = Math.round(width * scale);
    if (canvas.height !== Math.round(height_px * scale)) canvas.height = Math.round(height_px * scale);
    const paint = canvas.getContext("2d"), step = width / columns;
    paint.setTransform(scale, 0, 0, scale, 0, 0);
    paint.fillStyle = colours("--grid");
    paint.fillRect(0, 0, width, height_px);
    for (const second of seconds) {
      const ago = state.newest - second.number;
      if (ago < 0 || ago >= columns || !second.judged) continue;
      const high = Math.max(second.limit ? 2 : 0, second.share * height_px);
      paint.fillStyle = colours("--shade" + (of.get(second.limit) ?? shades - 1));
      paint.fillRect(width - (ago + 1) * step, height_px - high, Math.max(1, step - (step > 3 ? 1 : 0)), high);
    }
    const pinned = app.state.pin;
    if (pinned !== null) {
      paint.fillStyle = colours("--ink");
      paint.fillRect(width - (state.newest - pinned + 0.5) * step - 1, 0, 2, height_px);
    }
    const names = [...of].slice(0, shades);
    canvas.setAttribute("aria-label", `What limited each of the last ${counted(columns, "second")}. ` + names.slice(0, 3).map(([limit]) => limit).join("; "));
    legend.replaceChildren(...names.map(([limit, shade]) => make("li", null, make("i", {class: "shade", style: {background: `var(--shade${shade})`}}), limit)));
  }
  return {element: make("section", {class: "card"}, make("h2", null, "The last minutes"), canvas, legend), show};
}
