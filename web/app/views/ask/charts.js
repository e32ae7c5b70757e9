// SPDX-License-Identifier: Apache-2.0
// The pictures of an answer: bars of names, lines and points on a canvas. Each mark is a row, and picks it.
import {button, make} from "../../elements.js";
import {tell, tellNothing} from "../../told.js";
import {counted} from "../../words.js";
import {extent, linear, padded, ticks} from "./axes.js";
import {numberOf, textOf} from "./table_model.js";
import {amountWords, rowName} from "./values.js";

const mostBars = 40, height = 240, nearest = 24;
const margin = {left: 84, right: 16, top: 10, bottom: 28};

// pick(row): the place of a row in the answer. The result is {element, close}.
export function drawChart(model, chart, app, pick) {
  return chart.kind === "bars" ? bars(model, chart, pick) : plot(model, chart, app, pick);
}

// Names of rows; where two are alike, the number that tells them apart stands behind.
function namesOf(model, chart, rows) {
  const column = model.columns[chart.x], isText = column.kind === "text", times = new Map();
  const names = rows.map((row) => (isText ? rowName(model, model.rows[row]) : `${column.title} ${textOf(model.rows[row][chart.x])}`) || "(no name)");
  for (const name of names) times.set(name, (times.get(name) ?? 0) + 1);
  const number = model.columns.findIndex((one) => one.means === "tid") >= 0 ? model.columns.findIndex((one) => one.means === "tid") : model.columns.findIndex((one) => ["thread", "pid", "vertex"].includes(one.means));
  return names.map((name, i) => (times.get(name) > 1 && isText && number >= 0 ? `${name} ${textOf(model.rows[rows[i]][number])}` : name));
}

function bars(model, chart, pick) {
  const column = model.columns[chart.y], shown = Math.min(mostBars, model.length), rows = Array.from({length: shown}, (_, place) => model.order[place]);
  const names = namesOf(model, chart, rows), values = rows.map((row) => numberOf(model.rows[row][chart.y])), {low, high} = extent([0, ...values]), place = linear(low, high, 0, 100);
  const list = make("div", {class: "bars", role: "list", "aria-label": `${column.title} of each row`}, rows.map((row, i) => {
    const name = names[i], words = Number.isFinite(values[i]) ? amountWords(column, values[i]) : "nothing";
    const from = Math.min(place(0), place(values[i] || 0)), width = Math.abs(place(values[i] || 0) - place(0));
    return make("div", {role: "listitem"}, button([make("span", {class: "name"}, name),
      make("span", {class: "track"}, make("span", {class: values[i] < 0 ? "bar below" : "bar", style: {left: `${from}%`, width: `${Math.max(width, width > 0 ? 0.4 : 0)}%`}})),
      make("span", {class: "number"}, words)], () => pick(row), {class: "plain", "aria-label": `${name}: ${words}`, title: name}));
  }));
  const rest = model.length > shown ? make("p", {class: "quiet"}, `The first ${counted(shown, "row")} of the table as it is sorted; ${counted(model.length - shown, "more row")} below.`) : null;
  return {element: make("div", null, list, rest), close() {}};
}

function plot(model, chart, app, pick) {
  const xColumn = model.columns[chart.x], yColumn = model.columns[chart.y];
  const points = [];
  model.rows.forEach((row, i) => {
    const x = numberOf(row[chart.x]), y = numberOf(row[chart.y]);
    if (Number.isFinite(x) && Number.isFinite(y)) points.push({x, y, row: i});
  });
  if (chart.kind === "lines") points.sort((a, b) => a.x - b.x);
  const xs = xColumn.means === "moment" ? extent(points.map((point) => point.x)) : padded(extent(points.map((point) => point.x)));
  const ys = padded(extent(points.map((point) => point.y)));
  const words = (point) => [rowName(model, model.rows[point.row]), `${xColumn.title} ${amountWords(xColumn, point.x, (xs.high - xs.low) / 1e4)}`, `${yColumn.title} ${amountWords(yColumn, point.y)}`].filter(Boolean).join("\n");
  const canvas = make("canvas", {class: "plot", tabindex: 0, role: "img", "aria-label":
    `${chart.kind === "lines" ? "Line" : "Points"}: ${yColumn.title} by ${xColumn.title}, ${counted(points.length, "row")}. Arrows go from one to the next, Enter picks it.`});
  let at = -1, toX = null, toY = null;

  function paint() {
    const width = canvas.clientWidth || 600, ratio = devicePixelRatio || 1, colour = app.colours();
    canvas.width = width * ratio;
    canvas.height = height * ratio;
    const ink = canvas.getContext("2d");
    ink.scale(ratio, ratio);
    toX = linear(xs.low, xs.high, margin.left, width - margin.right);
    toY = linear(ys.low, ys.high, height - margin.bottom, margin.top);
    paintAxes(ink, {width, colour, xs, ys, toX, toY, xColumn, yColumn});
    ink.fillStyle = ink.strokeStyle = colour("--pick");
    if (chart.kind === "lines") {
      ink.lineWidth = 1.5;
      ink.beginPath();
      points.forEach((point, i) => (i === 0 ? ink.moveTo(toX(point.x), toY(point.y)) : ink.lineTo(toX(point.x), toY(point.y))));
      ink.stroke();
    }
    if (chart.kind === "points" || points.length < 200) {
      const size = points.length > 5000 ? 1.5 : 3;
      ink.globalAlpha = points.length > 500 ? 0.5 : 0.85;
      for (const point of points) {
        ink.beginPath();
        ink.arc(toX(point.x), toY(point.y), size, 0, 7);
        ink.fill();
      }
      ink.globalAlpha = 1;
    }
    if (at >= 0) {
      ink.strokeStyle = colour("--knot");
      ink.lineWidth = 2;
      ink.beginPath();
      ink.arc(toX(points[at].x), toY(points[at].y), 6, 0, 7);
      ink.stroke();
    }
  }

  function near(event) {
    const box = canvas.getBoundingClientRect(), x = event.clientX - box.left, y = event.clientY - box.top;
    let best = -1, least = nearest ** 2;
    points.forEach((point, i) => {
      const far = (toX(point.x) - x) ** 2 + (toY(point.y) - y) ** 2;
      if (far < least) [best, least] = [i, far];
    });
    return best;
  }
  function goTo(i, event) {
    if (i === at && i < 0) return tellNothing();
    at = i;
    paint();
    if (i < 0) return tellNothing();
    const box = canvas.getBoundingClientRect();
    tell(words(points[i]), event?.clientX ?? box.left + toX(points[i].x), event?.clientY ?? box.top + toY(points[i].y));
  }
  canvas.addEventListener("pointermove", (event) => goTo(near(event), event));
  canvas.addEventListener("pointerleave", () => goTo(-1));
  canvas.addEventListener("blur", () => goTo(-1));
  canvas.addEventListener("click", (event) => { const i = near(event); if (i >= 0) pick(points[i].row); });
  canvas.addEventListener("keydown", (event) => {
    const step = {ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1}[event.key];
    if (step && points.length) goTo(Math.max(0, Math.min(points.length - 1, at + step)));
    else if (event.key === "Enter" && at >= 0) pick(points[at].row);
    else return;
    event.preventDefault();
  });
  const watch = new ResizeObserver(paint), endScheme = app.onSchemeChange(paint);
  watch.observe(canvas);
  return {element: canvas, close() { watch.disconnect(); endScheme(); tellNothing(); }};
}

function paintAxes(ink, {width, colour, xs, ys, toX, toY, xColumn, yColumn}) {
  ink.clearRect(0, 0, width, height);
  ink.font = "11px system-ui, sans-serif";
  ink.strokeStyle = colour("--grid");
  ink.fillStyle = colour("--quiet");
  ink.lineWidth = 1;
  const yTicks = ticks(ys.low, ys.high, 5), xTicks = ticks(xs.low, xs.high, Math.max(2, Math.floor(width / 140)));
  ink.textAlign = "right";
  ink.textBaseline = "middle";
  for (const value of yTicks) {
    const y = Math.round(toY(value)) + 0.5;
    ink.beginPath();
    ink.moveTo(margin.left, y);
    ink.lineTo(width - margin.right, y);
    ink.stroke();
    ink.fillText(amountWords(yColumn, value, yTicks[1] - yTicks[0]), margin.left - 6, y);
  }
  ink.textAlign = "center";
  ink.textBaseline = "top";
  for (const value of xTicks) ink.fillText(amountWords(xColumn, value, xTicks[1] - xTicks[0]), Math.max(margin.left, Math.min(width - margin.right - 20, toX(value))), height - margin.bottom + 8);
}
