// Charts of a job: resources over time, how even alike phases are, what mending each issue would gain.
const useHeight = 90, typeShades = 6;

// Use, stacked by the kinds of phases that used most, against demand and capacity.
function resourceChart(series, focus) {
  const resource = resourceOf.get(series.resource);
  if (!resource || !(series.bin_s > 0)) return null;
  const from = Math.max(0, Math.floor(focus.start_s / series.bin_s)), to = Math.min(series.use.length, Math.ceil(focus.end_s / series.bin_s));
  if (to <= from) return null;
  const inside = (values) => values.slice(from, to), use = inside(series.use), demand = inside(series.demand);
  const most = Math.max(1e-12, resource.capacity, ...use), base = useHeight - 16, top = 8;
  const width = ganttWidth - ganttNames, x = (i) => ganttNames + (i / (to - from)) * width, y = (value) => base - (Math.min(value, most) / most) * (base - top);
  const steps = (values) => values.map((value, i) => `${x(i).toFixed(1)},${y(value).toFixed(1)} ${x(i + 1).toFixed(1)},${y(value).toFixed(1)}`).join(" ");
  const area = (values, attributes, name) => draw("polygon", {...attributes, points: `${x(0)},${base} ${steps(values)} ${x(to - from)},${base}`},
    draw("title", null, name));
  // The topmost layer first: each lower one covers its part of it.
  const layers = [], sum = use.map(() => 0);
  for (const [i, type] of series.types.entries()) {
    inside(type.use).forEach((value, at) => { sum[at] += value; });
    layers.unshift(area([...sum], {class: `shade shade${i % typeShades}`}, phaseTypes.get(type.type)?.path || ""));
  }
  const unit = resource.unit ? " " + resource.unit : "";
  return make("figure", {class: "use"},
    draw("svg", {class: "chart", viewBox: `0 0 ${ganttWidth} ${useHeight}`, role: "img", "aria-label": `Use of ${resourceName(resource)} over time`},
      draw("rect", {class: "back", x: ganttNames, y: top, width, height: base - top}),
      area(use, {class: "all"}, "used by no phase that is known"), layers,
      demand.some((value) => value > 0) ? draw("polyline", {class: "demand", points: steps(demand)}, draw("title", null, "demand")) : null,
      resource.capacity > 0 ? draw("line", {class: "capacity", x1: ganttNames, x2: ganttWidth, y1: y(resource.capacity), y2: y(resource.capacity)}) : null,
      draw("text", {class: "lane", x: ganttNames - 8, y: 20, "text-anchor": "end"}, resourceName(resource)),
      draw("text", {class: "quiet", x: ganttNames - 8, y: 36, "text-anchor": "end"},
        resource.capacity > 0 ? `of ${trimmed(resource.capacity)}${unit}` : `up to ${trimmed(most)}${unit}`),
      timeAxis(focus.start_s, focus.end_s, useHeight - 3)));
}

const chartOf = (heading, told, ...content) => make("div", {class: "comparison"}, make("h3", null, heading), make("p", {class: "quiet"}, told), ...content);

// The share of the makespan that each issue costs, according to the replay.
function gainBars() {
  const issues = report.issues.filter((issue) => issue.gain > 0).sort((a, b) => b.gain - a.gain).slice(0, 12);
  if (!issues.length) return [];
  const most = issues[0].gain;
  return [chartOf("What mending it would save, at most", "of the job's time, by replaying its phases", issues.map((issue) =>
    make("div", {class: "gain"}, make("span", {class: "number"}, percent(issue.gain)),
      make("span", {class: "bar", style: null}, draw("svg", {viewBox: "0 0 100 10", preserveAspectRatio: "none"},
        draw("rect", {x: 0, y: 0, width: Math.max(0.5, (issue.gain / most) * 100), height: 10}))),
      make("span", null, issue.title))))];
}

function quantile(sorted, part) {
  const at = part * (sorted.length - 1), below = Math.floor(at);
  return sorted[below] + (at - below) * ((sorted[below + 1] ?? sorted[below]) - sorted[below]);
}

// Box plots of the lengths of concurrent phases: box from quarter to quarter, line at the median, whiskers to the extremes.
function imbalancePlots() {
  const plots = [];
  for (const type of report.phase_types) {
    if (type.repeat !== "concurrent" || type.count < 2) continue;
    const lengths = phases.filter((phase) => phase.type === type.id).map(lengthOf).sort((a, b) => a - b);
    if (lengths.length < 2) continue;
    const most = Math.max(1e-12, lengths[lengths.length - 1]), x = (value) => 4 + (value / most) * (chartWidth - 8);
    const [low, quarter, middle, threeQuarters, high] = [0, 0.25, 0.5, 0.75, 1].map((part) => quantile(lengths, part));
    plots.push({uneven: high / Math.max(1e-12, middle), row: make("div", {class: "boxplot"}, make("span", null, type.path),
      draw("svg", {class: "chart", viewBox: `0 0 ${chartWidth} 34`, role: "img",
        "aria-label": `${type.path}: shortest ${seconds(low)}, median ${seconds(middle)}, longest ${seconds(high)}`},
        draw("line", {class: "whisker", x1: x(low), x2: x(high), y1: 10, y2: 10}),
        draw("rect", {x: x(quarter), y: 3, width: Math.max(1, x(threeQuarters) - x(quarter)), height: 14}),
        draw("line", {class: "median", x1: x(middle), x2: x(middle), y1: 1, y2: 19}),
        draw("text", {x: 4, y: 31}, seconds(low)), draw("text", {x: chartWidth - 4, y: 31, "text-anchor": "end"}, seconds(high))))});
  }
  if (!plots.length) return [];
  plots.sort((a, b) => b.uneven - a.uneven);
  return [chartOf("How even alike phases are", "lengths of phases that run side by side; the most uneven kind first", plots.slice(0, 12).map((plot) => plot.row))];
}
