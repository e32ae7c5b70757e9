// SPDX-License-Identifier: Apache-2.0
// Beside the rows: what is selected, in words, with a step in each direction, and what made a wait so long.
import {button, make} from "../../elements.js";
import {count, nanoseconds, nanosecondsIn, percent, quantity, share} from "../../words.js";
import {kinds} from "./answers.js";

const stateWords = {run: "runs", runnable: "wants a CPU", wait: "waits", spin: "spins", unknown: "is unknown"};
const edgeWords = {wake: "woke it", message: "sent it a message", disk: "asked the disk", create: "made it", lock: "held the lock"};

export function makeDetails(acts) {
  const body = make("div", {class: "tl-details-body"}), crumbs = make("nav", {class: "tl-crumbs", "aria-label": "Steps of the walk"});
  const element = make("aside", {class: "tl-details card", "aria-label": "Details of the selection"}, crumbs, body);

  const fact = (name, ...value) => [make("dt", null, name), make("dd", null, ...value)];
  const link = (words, thread, at, title) => button(words, () => acts.go(thread, at), {class: "plain", title});

  // Of a slice that went on on other nodes, which were asked.
  const elsewhere = (why) => [
    ...why.elsewhere.map((one) => [make("h3", null, `On ${one.node}`), make("p", {class: "quiet"}, `${nanoseconds(one.all_ns)} in ${one.parts.length + one.parts_left_out} parts`),
      make("ol", {class: "tl-parts"}, one.parts.map((part) => make("li", null, button(part.name, () => acts.goToNode(one.recording, part.thread, firstOf(one, part.thread)), {class: "plain", title: `Go there, on ${one.node}`}), " ",
        make("span", {class: "quiet"}, nanoseconds(part.ns)))))]),
    ...why.notes.map((line) => make("p", {class: "quiet"}, `Not followed: ${line}`)),
    make("p", {class: "quiet"}, `${count(why.asked.questions)} questions, ${quantity(why.asked.bytes, "B")} moved; collecting moves ${quantity(why.asked.collecting_bytes, "B")}`)];

  return {
    element,
    showNothing(words) {
      body.replaceChildren(make("p", {class: "quiet"}, words));
    },
    // moment: of /moment. canAsk: false on a static page.
    showMoment(moment) {
      const length = moment.end_ns - moment.start_ns, step = Math.max(1, length / 100);
      const isWait = moment.state === "wait" || moment.state === "spin";
      body.replaceChildren(make("h2", null, moment.name), make("p", {class: "tl-sentence"}, `It ${moment.sentence}.`),
        make("dl", null,
          fact("State", stateWords[moment.state] ?? moment.state, moment.kernel_state ? ` (${moment.kernel_state})` : ""),
          fact("From", nanosecondsIn(moment.start_ns, step), moment.open_start ? " or before" : ""),
          fact("To", nanosecondsIn(moment.end_ns, step), moment.open_end ? " or later" : ""),
          fact("Length", nanoseconds(length)),
          moment.waker_name ? fact("Ended by", moment.waker_is_thread ? link(moment.waker_name, moment.waker, Math.max(0, moment.end_ns - 1), "Go to who ended it") : moment.waker_name) : [],
          moment.object ? fact("What for", moment.object) : [],
          moment.story ? fact("Where", moment.story) : [],
          moment.back ? fact("Cause", link(`${moment.back.name} ${edgeWords[moment.back.edge] ?? ""}`, moment.back.thread, moment.back.at_ns, "←")) : []),
        make("p", {class: "tl-acts"},
          button("← cause", () => acts.back(), {disabled: !moment.back && "", title: "Step to the cause (←)"}),
          button("effect →", () => acts.forward(), {title: "Step to what it woke next (→)"}),
          isWait && !moment.open_end ? button("Who made it so long?", () => acts.why(), {title: "y"}) : null,
          button("Slice", () => acts.slice(), {title: "All that led here (l)"}),
          button("Flame", () => acts.flame(), {title: "Stacks (f)"})));
    },
    // A line of a log.
    showLine(mark) {
      body.replaceChildren(make("h2", null, "Line of a log"), make("p", {class: "tl-sentence"}, mark.text),
        make("dl", null, fact("File", `${mark.file}:${mark.line}`), fact("Written", nanosecondsIn(mark.from_ns, Math.max(1, (mark.to_ns - mark.from_ns) / 10)), ` to ${nanosecondsIn(mark.to_ns, Math.max(1, (mark.to_ns - mark.from_ns) / 10))}`),
          mark.lines > 1 ? fact("Beside it", `${mark.lines - 1} more`) : []),
        make("p", {class: "quiet"}, `gordian explain-log tells what it had waited for.`));
    },
    // What a whole row did. sums: {waits, ns} or null.
    showRow(row, sums, length, acts_of_row = []) {
      const all = sums ? sums.ns.reduce((a, b) => a + b, 0) : 0;
      body.replaceChildren(make("h2", null, row.label), row.note ? make("p", {class: "quiet"}, row.note) : "",
        sums ? make("dl", null, sums.length_ns !== undefined ? fact("Length", nanoseconds(sums.length_ns)) : [],
          [1, 4, 2, 3, 0].filter((kind) => sums.ns[kind] > 0).map((kind) => fact(stateWords[kinds[kind]], `${nanoseconds(sums.ns[kind])} (${percent(share(sums.ns[kind], all))})`)),
          fact("Waits", String(sums.waits))) : "",
        make("p", {class: "tl-acts"}, acts_of_row));
    },
    // why: of /why_wait, /path or /slice.
    showWhy(title, why, hasMoment = true) {
      body.replaceChildren(make("h2", null, title),
        make("p", {class: "quiet"}, `${nanoseconds(why.all_ns)} in ${why.parts.length + why.parts_left_out} parts`),
        make("ol", {class: "tl-parts"}, why.parts.map((part) => make("li", null,
          make("span", {class: "tl-share", style: {"--share": String(share(part.ns, why.all_ns))}}),
          link(part.name, part.thread, firstOf(why, part.thread), "Go there"), " ",
          make("span", {class: "quiet"}, `${part.activity ? part.activity + ", " : ""}${nanoseconds(part.ns)} (${percent(share(part.ns, why.all_ns))})`)))),
        why.parts_left_out > 0 ? make("p", {class: "quiet"}, `and ${why.parts_left_out} smaller parts`) : "",
        why.elsewhere ? make("div", null, elsewhere(why)) : "",
        make("p", {class: "tl-acts"}, button(hasMoment ? "Back to the moment" : "Close", () => acts.again(), {title: "Esc"})));
    },
    showCrumbs(steps, at) {
      crumbs.hidden = steps.length < 2;
      crumbs.replaceChildren(...steps.slice(-8).flatMap((one, i) => [i > 0 ? make("span", {"aria-hidden": "true"}, "›") : null,
        button(one.name, () => acts.goCrumb(one), {class: "plain", "aria-current": one === at ? "step" : null, title: nanosecondsIn(one.at, 1000)})]).filter(Boolean));
    },
  };
}

// The beginning of the longest stretch of a thread.
function firstOf(why, thread) {
  const {thread: threads, from_ns, to_ns} = why.stretches;
  let best = -1;
  for (let i = 0; i < threads.length; ++i) if (threads[i] === thread && (best < 0 || to_ns[i] - from_ns[i] > to_ns[best] - from_ns[best])) best = i;
  return best < 0 ? why.to_ns : from_ns[best];
}
