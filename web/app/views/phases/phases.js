// SPDX-License-Identifier: Apache-2.0
// A job's phases, from the job to its tasks: over time, with what they used and what held them back, and how even they are.
import {make, nothing} from "../../elements.js";
import {showBoxes} from "./boxes.js";
import {crumbs, phaseFacts} from "./facts.js";
import {gainBars} from "./gains.js";
import {drawGantt, noGantt, showGantt, showSpan} from "./gantt.js";
import {bringIntoSight, prepareGantt} from "./gantt_moves.js";
import {modelOf} from "./model.js";
import {jobWidth, measureWidth} from "./scale.js";
import {shownOf} from "./shown.js";
import {showUses} from "./uses.js";

const manyPhases = 5000;  // of more, the charts come after the first picture
const chartsDelay_ms = 400;  // while one moves the charts are drawn twice a second: they are dearer

export const phases = {
  name: "phases", title: "Phases", key: "p", uses: ["filter", "range"],
  keys: [["Tab", "to the bars"], ["← → ↑ ↓", "from phase to phase"], ["Enter, Esc", "into a phase, out of it"], ["+ − 0", "nearer, farther, all of it"], ["Page Up, Page Down", "earlier, later"]],
  mount(root, app) {
    let shown = null, ended = false;
    const read = () => app.page().then((page) => {
      if (ended) return;
      shown?.close();
      shown = page.report.phases.length ? showPhases(root, app, page.report) : null;
      if (!shown) root.replaceChildren(nothing("This recording has no phases. A program tells them by its log or by probes: `gordian phases --help` says how."));
    }, (error) => { if (!ended) root.replaceChildren(nothing(error.message)); });
    read();
    return {
      update(state, changed) {
        if (changed.has("data")) read();
        else shown?.update(state, changed);
      },
      unmount() {
        ended = true;
        shown?.close();
      },
    };
  },
};

function showPhases(root, app, report) {
  const end = new AbortController(), parts = new Map(["crumbs", "gantt", "phase", "uses", "even", "compare"].map((id) =>
    [id, make(id === "crumbs" ? "nav" : "div", {id, "aria-label": id === "crumbs" ? "Where in the job" : null})]));
  const element = make("section", {id: "job", class: "card", "aria-label": "Phases of the job"}, [...parts.values()]);
  root.replaceChildren(element);
  let frame = 0, chartsTimer = 0;
  const job = {...modelOf(report), app, signal: end.signal, gantt: noGantt(), width: 0, shown: null,
    place: (id) => parts.get(id) ?? element.querySelector("#" + id),
    // Draws soon what another time shows.
    redraw() {
      showSpan(job);
      if (!frame) frame = requestAnimationFrame(() => { frame = 0; if (!end.signal.aborted) drawGantt(job); });
      if (!chartsTimer) chartsTimer = setTimeout(() => { chartsTimer = 0; if (!end.signal.aborted) showUses(job); }, chartsDelay_ms);
    }};
  let charts = 0;
  const showCharts = () => {
    if (end.signal.aborted) return;
    showUses(job);
    showBoxes(job);
  };

  function showAll() {
    parts.get("crumbs").replaceChildren(...crumbs(job));
    parts.get("phase").replaceChildren(phaseFacts(job, job.shown.picked ?? job.shown.focus));
    showGantt(job);
    job.gantt.picked = job.shown.picked;
    if (job.shown.picked) bringIntoSight(job, job.shown.picked);
    clearTimeout(charts);
    if (job.phases.length > manyPhases) charts = setTimeout(showCharts, 40);
    else showCharts();
  }

  function update(state, changed) {
    const before = job.shown;
    job.shown = shownOf(job, state);
    const same = ["focus", "type", "nodes", "even"].every((name) => before[name] === job.shown[name]);
    if (!same || changed.has("filter")) return showAll();
    if (before.picked !== job.shown.picked) {
      parts.get("phase").replaceChildren(phaseFacts(job, job.shown.picked ?? job.shown.focus));
      if (job.gantt.picked !== job.shown.picked) {
        job.gantt.picked = job.shown.picked;
        if (job.shown.picked) bringIntoSight(job, job.shown.picked);
      }
      job.redraw();
    }
    if (before.thread !== job.shown.thread) job.redraw();
    if (before.from !== job.shown.from || before.to !== job.shown.to) job.redraw();
  }

  parts.get("compare").replaceChildren(...gainBars(report));
  measureWidth(job);
  job.shown = shownOf(job, app.state);
  prepareGantt(job);
  showAll();
  // Not within the observer's call, as drawing may bring a scroll bar, which changes the width again.
  const resized = new ResizeObserver(() => requestAnimationFrame(() => {
    const before = jobWidth(job);
    measureWidth(job);
    if (jobWidth(job) === before || end.signal.aborted) return;
    job.redraw();
    showBoxes(job);
  }));
  resized.observe(element);
  return {
    update,
    close() {
      end.abort();
      resized.disconnect();
    },
  };
}
