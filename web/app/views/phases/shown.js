// SPDX-License-Identifier: Apache-2.0
// What the page shows of a job: one phase, maybe one kind of phases within it, and a span of time. All of it is in the
// shared state: `phase`, `sel`, `from` and `to`, and this view's own `ph.type`, `ph.nodes` and `ph.even`.
import {selected} from "../../state.js";
import {parentOf, typesUnder} from "./model.js";
import {nodeChoicesOf, usualNodesOf} from "./series.js";

export const wholeSpan = (phase) => [phase.start_s, Math.max(phase.end_s, phase.start_s + 1e-9)];
const ns = (seconds) => Math.round(seconds * 1e9);
export const typesShown = (job) => typesUnder(job, job.shown.type ?? job.shown.focus.type);

// Of what a state says, what this job has; the rest stands as at the beginning.
// {focus, type, from, to, nodes, even, picked, thread}: `nodes` is "each", "sum" or the name of one behind "="; `even` is the kind
// of the box plots, where one chose it; `picked` is the phase, `thread` the thread that another view selected.
export function shownOf(job, state) {
  const type = (name) => (/^\d{1,9}$/.test(state[name] ?? "") && job.phaseTypes.has(Number(state[name])) ? Number(state[name]) : null);
  const what = selected(state.sel), picked = what?.kind === "phase" ? job.phaseOf.get(what.id) ?? null : null;
  const root = job.phases.find((phase) => !parentOf(job, phase));
  const opened = state.phase !== null && job.phaseOf.get(state.phase), kind = type("ph.type");
  const focus = opened || (picked && kind === null && parentOf(job, picked)) || root;
  const [first, last] = wholeSpan(focus), from = state.from === null ? first : state.from / 1e9, to = state.to === null ? last : state.to / 1e9;
  const clipped = [Math.max(first, from), Math.min(last, to)], known = clipped[1] > clipped[0] && !isWhole(focus, ...clipped);
  return {focus, type: kind, even: type("ph.even"), from: known ? clipped[0] : first, to: known ? clipped[1] : last,
    nodes: nodeChoicesOf(job).some(([value]) => value === state["ph.nodes"]) ? state["ph.nodes"] : usualNodesOf(job),
    picked: picked === focus ? null : picked,
    thread: (what?.kind === "thread" && job.report.threads.find((one) => one.id === what.id)) || null};
}

// The state counts whole nanoseconds.
export function isWhole(focus, from, to) {
  const [first, last] = wholeSpan(focus);
  return Math.abs(from - first) < 2e-9 && Math.abs(to - last) < 2e-9;
}

// A step that the browser's way back takes back. change: {focus, type, nodes, even}. A phase that is opened narrows all
// views to its time and is selected in them; the job itself shows all.
export function go(job, change) {
  const next = {};
  if ("focus" in change) {
    const isRoot = !parentOf(job, change.focus), [from, to] = wholeSpan(change.focus);
    Object.assign(next, {phase: isRoot ? null : change.focus.id, sel: isRoot ? null : `phase:${change.focus.id}`, at: null, "ph.type": null},
      isRoot ? {from: null, to: null} : {from: ns(from), to: ns(to)});
  }
  if ("type" in change) {
    const isRoot = !parentOf(job, job.shown.focus), [from, to] = wholeSpan(job.shown.focus);
    Object.assign(next, {"ph.type": change.type === null ? null : String(change.type)}, isRoot ? {from: null, to: null} : {from: ns(from), to: ns(to)});
  }
  if ("nodes" in change) next["ph.nodes"] = change.nodes === usualNodesOf(job) ? null : change.nodes;
  if ("even" in change) next["ph.even"] = String(change.even);
  job.app.set(next);
}

// Moving about in time only corrects the address.
export function moveTo(job, from, to) {
  const {focus} = job.shown, [first, last] = wholeSpan(focus), least = Math.max((last - first) * 1e-6, 1e-9);
  const width = Math.min(Math.max(to - from, least), last - first);
  const begin = Math.min(Math.max(width === to - from ? from : (from + to - width) / 2, first), last - width);
  const all = width >= (last - first) * (1 - 1e-9) && !parentOf(job, focus);
  job.app.set(all ? {from: null, to: null} : {from: ns(begin), to: Math.max(ns(begin) + 1, ns(begin + width))}, {replace: true});
}
