// SPDX-License-Identifier: Apache-2.0
// The slowest requests, and the chosen one's steps in words.
import {button, make} from "../../elements.js";
import {copyable} from "./copyable.js";
import {counted, nanoseconds, nanosecondsIn, percent, shorten} from "../../words.js";
import {sharesBar, stepsBar} from "./stacked.js";
import {stepOf, whatOf} from "./words.js";

const mostStepsListed = 60;

// acts: {open(i), step(request, step), look(request)}; opened: the place of one, or null
export function slowestPart(port, opened, acts) {
  if (!port.slowest.length) return null;
  const open = (i) => acts.open(i);
  const rows = port.slowest.flatMap((request, i) => {
    const mostly = request.times[0], isOpen = i === opened;
    const row = make("tr", {class: "open", tabindex: 0, "aria-expanded": String(isOpen), "aria-current": isOpen ? "true" : null, "data-request": i, onclick: () => open(i),
      onkeydown: (event) => {
        const step = {ArrowDown: 1, ArrowUp: -1}[event.key];
        if (event.key === "Enter" || event.key === " ") open(i);
        else if (event.key === "t") acts.look(request);
        else if (step) event.target.closest("tbody").querySelector(`[data-request="${i + step}"]`)?.focus();
        else return;
        event.preventDefault();
      }},
    make("td", {class: "number"}, nanoseconds(request.latency_ns)), make("td", {class: "number"}, "+" + nanosecondsIn(request.start_ns, 1e5)), make("td", null, shorten(request.client || request.thread, 30)),
    make("td", {class: "wide"}, sharesBar(request.times)), make("td", null, mostly ? `${percent(mostly.share)} ${whatOf(mostly)}` : ""));
    return isOpen ? [row, make("tr", {class: "detail"}, make("td", {colspan: 5}, detail(request, acts)))] : [row];
  });
  return make("div", {class: "card part-of"}, make("h2", null, "The slowest"), make("div", {class: "scroll"}, make("table", {class: "slowest"},
    make("thead", null, make("tr", null, ["took", "began at", "client", "where its time went", "mostly"].map((title, i) => make("th", {scope: "col", class: i < 2 ? "number" : ""}, title)))), make("tbody", null, rows))));
}

function detail(request, acts) {
  const listed = request.steps.slice(0, mostStepsListed), left = request.steps.length - listed.length + request.steps_left_out;
  return make("div", {class: "request"},
    make("p", null, `${request.thread || "An unknown thread"} answered ${request.client || "itself"}`, request.server ? ` at ${request.server}` : "", request.request_bytes || request.answer_bytes ? `: ${counted(request.request_bytes, "byte")} asked, ${counted(request.answer_bytes, "byte")} back` : "", "."),
    request.steps.length ? stepsBar(request, (step) => acts.step(request, step)) : make("p", {class: "quiet"}, "Its thread is not known, so no steps are."),
    make("ol", {class: "steps"}, listed.map((step) => make("li", null, button([make("span", {class: "number"}, nanoseconds(step.to_ns - step.from_ns)), make("span", null, stepOf(step))], () => acts.step(request, step), {class: "link", title: "Select this moment"})))),
    left > 0 ? make("p", {class: "quiet"}, `${counted(left, "more step")}; the bar above has ${request.steps_left_out ? "the first" : "all"} of them.`) : null,
    make("div", {class: "askmoves"}, acts.hasTimeline ? button(["Show on the timeline", make("kbd", null, "t")], () => acts.look(request), {class: "main"}) : null,
      request.critical_path ? copyable(request.critical_path, "What led to the answer, in a terminal") : null));
}
