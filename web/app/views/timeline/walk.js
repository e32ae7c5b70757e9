// SPDX-License-Identifier: Apache-2.0
// Walking along cause and effect: the selected moment, the steps that led to it, and what is laid over the rows.
import {gone} from "../../source_served.js";
import {nanoseconds} from "../../words.js";
import {selected} from "../../state.js";

const mostCrumbs = 50;
const needsServer = "gordian serve shows single moments; the page in one file holds the overview.";

// host: {app, details, range(), reveal(thread, at), changed(), rowWords(sel)}
export function makeWalk(host) {
  const {app, details} = host, {source} = app;
  let moment = null, laid = null, crumbs = [], walking = false;

  const failed = (error) => {
    if (gone(error)) return;
    details.showNothing(error.message);
    app.announce(error.message);
  };
  const lay = (answer, isPath) => {
    laid = answer && {stretches: answer.stretches, isPath};
    host.changed();
  };

  // Of the state's selection; false if it names no moment.
  async function load() {
    const what = selected(app.state.sel), at = app.state.at;
    if (what?.kind !== "thread" || at === null) {
      moment = null;
      return false;
    }
    if (moment && moment.thread === what.id && at >= moment.start_ns && at < moment.end_ns && !walking) {
      details.showMoment(moment);
      return true;
    }
    try {
      const next = await source.ask("moment", {thread: what.id, at}, {instead: "tl.moment"});
      if (!next) { details.showNothing(needsServer); return true; }
      if (app.state.at !== at || selected(app.state.sel)?.id !== what.id) return true;
      moment = next;
      const step = {thread: what.id, at, name: next.name};
      crumbs = walking ? [...crumbs, step].slice(-mostCrumbs) : [step];
      walking = false;
      details.showMoment(moment);
      details.showCrumbs(crumbs, crumbs.at(-1));
      app.announce(`${moment.name} ${moment.sentence}`);
      host.changed();
    } catch (error) {
      moment = null;
      host.changed();
      failed(error);
    }
    return true;
  }

  function go(thread, at) {
    walking = true;
    lay(null);
    host.reveal(thread, at);
    app.set({sel: `thread:${thread}`, at: Math.max(0, Math.round(at))});
  }

  // What a slice of another node's timeline reached here.
  const reached = app.acrossNodes?.elsewhere.find((one) => one.recording === source.recording);
  if (reached) laid = {stretches: reached.stretches, isPath: false};

  return {
    load, go,
    get moment() { return moment; },
    get laid() { return laid; },
    back() {
      if (!moment) return false;
      if (moment.back) go(moment.back.thread, moment.back.at_ns);
      else app.announce(moment.open_end ? "It had not ended when the recording did." : "Nothing is known that led here.");
      return true;
    },
    async forward() {
      if (!moment || source.isStatic) return false;
      try {
        const next = await source.ask("forward", {thread: moment.thread, at: app.state.at}, {instead: "tl.forward"});
        if (next) go(next.thread, next.at_ns);
        else app.announce("It woke no other thread before it waited again.");
      } catch (error) { failed(error); }
      return true;
    },
    // Back along the steps of the walk.
    previous() {
      if (crumbs.length < 2) return false;
      const before = crumbs.at(-2);
      crumbs = crumbs.slice(0, -2);
      go(before.thread, before.at);
      return true;
    },
    goCrumb(step) {
      crumbs = crumbs.slice(0, crumbs.indexOf(step));
      go(step.thread, step.at);
    },
    async why() {
      if (!moment || source.isStatic) return;
      try {
        const why = await source.ask("why_wait", {thread: moment.thread, at: app.state.at}, {instead: "tl.why"});
        lay(why, true);
        details.showWhy(`Why ${moment.name} waited ${nanoseconds(moment.end_ns - moment.start_ns)}`, why);
        const first = why.parts[0];
        if (first) app.announce(`Most of it: ${first.name}, ${first.activity}, ${nanoseconds(first.ns)}`);
      } catch (error) { failed(error); }
    },
    async path() {
      if (source.isStatic) return details.showNothing(needsServer);
      const range = host.range(), what = selected(app.state.sel);
      try {
        const path = await source.ask("path", {from: range.from, to: range.to, thread: what?.kind === "thread" ? what.id : undefined}, {instead: "tl.why"});
        lay(path, true);
        details.showWhy("Critical path of what is shown", path, moment !== null);
        if (path.parts[0]) app.announce(`The critical path lies on ${path.parts[0].name} most, for ${nanoseconds(path.parts[0].ns)}`);
      } catch (error) { failed(error); }
    },
    async slice(forward = false) {
      if (!moment || source.isStatic) return;
      try {
        const slice = await source.ask("slice", {thread: moment.thread, at: app.state.at, forward: forward ? 1 : undefined}, {instead: "tl.why"});
        app.acrossNodes = slice.elsewhere ? slice : null;
        lay(slice, false);
        details.showWhy(forward ? "All that it led to" : "All that led here", slice);
        app.announce(`${slice.parts.length + slice.parts_left_out} threads ${forward ? "were led to" : "led here"}`);
      } catch (error) { failed(error); }
    },
    // False if there was nothing to take away.
    clear() {
      if (!laid) return false;
      lay(null);
      if (moment) details.showMoment(moment);
      else details.showNothing("");
      return true;
    },
    forget() {
      moment = laid = null;
      crumbs = [];
      details.showCrumbs(crumbs);
    },
  };
}
