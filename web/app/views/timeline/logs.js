// SPDX-License-Identifier: Apache-2.0
// Lines of logs as marks in a lane of their own; without any file of logs there is none.
import {gone} from "../../source_served.js";
import {counted, nanosecondsIn} from "../../words.js";
import {logHeight} from "./draw.js";
import {xOf} from "./scale.js";

const apart_px = 6, near_px = 6;

// host: {app, range(), plot(), top(): of the rows, changed(isNew), say(words)}
export function makeLogLane(host) {
  let marks = null;
  return {
    get marks() { return marks; },
    // Of what is shown.
    async ask() {
      const range = host.range();
      try {
        const answer = await host.app.source.ask("log_marks", {from: range.from, to: range.to, columns: Math.min(2000, Math.max(1, Math.round(host.plot() / apart_px)))}, {instead: "tl.logs"});
        if (!answer) return;
        const had = marks !== null;
        marks = answer.all > 0 ? answer.marks : null;
        if (answer.notes.length) host.say(answer.notes[0]);
        host.changed(had !== (marks !== null));
      } catch (error) { if (!gone(error)) host.say(error.message); }
    },
    // The mark at that place of the picture, without the names; null.
    at(x, y) {
      const top = host.top();
      if (!marks?.length || y >= top || y < top - logHeight) return null;
      const near = (mark) => Math.abs(xOf(host.range(), host.plot(), mark.from_ns) - x), best = marks.reduce((a, b) => (near(b) < near(a) ? b : a));
      return near(best) < near_px ? best : null;
    },
    words(mark) {
      const {from, to} = host.range();
      return `${mark.text}\n${mark.lines > 1 ? `and ${counted(mark.lines - 1, "line")} more; ` : ""}${nanosecondsIn(mark.from_ns, (to - from) / host.plot())}`;
    },
  };
}
