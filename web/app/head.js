// SPDX-License-Identifier: Apache-2.0
// The top of the page: the answer in one sentence, the recording's facts, and how far reading has come.
import {button, chooser, make} from "./elements.js";
import {count, counted, percent, seconds} from "./words.js";

const whole = (number) => Number(number) || 0;

function factsOf(recording) {
  const stopped = recording.stopped;
  const time = seconds(recording.seconds) +
    (whole(recording.pauses) ? ` (and ${counted(whole(recording.pauses), "pause")}, ${seconds(recording.paused_s)} in all, to keep to its budget)` : "") +
    (whole(recording.suspends) ? ` (and the machine slept for ${seconds(recording.suspended_s)})` : "") +
    (stopped ? ` (the first ${seconds(stopped.read_s)} of ${seconds(stopped.recorded_s)}: the analysis was stopped)` : "") +
    (recording.nodes.length ? " on " + recording.nodes.join(", ") : "");
  return [time, recording.cpus + (recording.cpus === 1 ? " CPU" : " CPUs"), count(recording.events) + " events", recording.started,
    recording.command.join(" ")].filter(Boolean).join(" · ");
}

function lostOf(recording) {
  const lost = [whole(recording.lost) ? count(recording.lost) + " records lost" : "",
                whole(recording.missing_blocks) ? count(recording.missing_blocks) + " blocks missing" : ""].filter(Boolean);
  return lost.length ? make("span", {class: "bad"}, lost.join(", ")) : make("span", null, "nothing lost");
}

const limitsOf = (report) => report.findings.filter((finding) => finding.kind !== "background" && !finding.apart);

export function makeHead(app, showHelp) {
  const eyebrow = make("p", {id: "eyebrow"}), verdict = make("h1", {id: "verdict"}), facts = make("p", {id: "facts"});
  const choosers = make("div", {id: "recordings"}), copied = make("span", {role: "status", class: "quiet"});
  const copy = button("Copy address", async () => {
    try {
      await navigator.clipboard.writeText(location.href);
      copied.textContent = "copied";
    } catch {
      copied.textContent = "copy it from the browser's address bar";
    }
    setTimeout(() => { copied.textContent = ""; }, 4000);
  }, {id: "copy", class: "plain", title: "The address shows what you see now"});
  const element = make("header", null, make("div", {class: "words"}, eyebrow, verdict, facts),
    make("div", {class: "corner"}, choosers, make("div", null, copied, copy, button("?", showHelp, {id: "keys", class: "plain", "aria-label": "Keys", title: "Keys (?)"}))));
  // A report in one file does not hold everything that a server would answer.
  const leftOut = () => (app.source.leftOut > 0 ? [`${count(app.source.leftOut)} pictures left out to keep this file small: gordian serve shows them · `] : []);
  return {
    element,
    showPage(page) {
      const {report} = page, limits = limitsOf(report), words = report.verdict || limits[0]?.title || "Nothing was found that limits the program.";
      document.title = words + " – Gordian";
      verdict.textContent = words;
      eyebrow.textContent = limits[0] ? "What limits it: " + (limits[0].kind_in_words || limits[0].kind) : "Gordian";
      facts.replaceChildren(...(report.recording ? [factsOf(report.recording) + " · ", ...leftOut(), lostOf(report.recording)] : []));
    },
    showReading(recording) {
      eyebrow.textContent = "Gordian";
      verdict.textContent = recording.state === "failed" ? "This recording cannot be read." : `Reading ${recording.name}…`;
      document.title = verdict.textContent;
      const part = recording.progress ?? 0;
      facts.replaceChildren(...(recording.state === "failed" ? [make("span", {class: "bad"}, recording.error || "It is not told why.")]
        : [make("progress", part > 0 ? {value: part, max: 1, "aria-label": "How much is read"} : {"aria-label": "How much is read"}), part > 0 ? " " + percent(part) : ""]));
    },
    showError(words) {
      eyebrow.textContent = "Gordian";
      verdict.textContent = "There is nothing to show.";
      facts.replaceChildren(make("span", {class: "bad"}, words));
    },
    showNodes(recordings) {
      eyebrow.textContent = "Gordian";
      verdict.textContent = `Session ${recordings[0]?.directory ?? ""} on ${counted(recordings.length, "node")}`;
      document.title = verdict.textContent + " – Gordian";
      facts.replaceChildren("asked where it lies; nothing is copied");
    },
    showRecordings(recordings) {
      if (recordings.length < 2) return choosers.replaceChildren();
      const choices = recordings.map((one) => [one.number, one.name + (one.kind === "live" ? " (live)" : one.state === "reading" ? " (being read)" : one.state === "failed" ? " (failed)" : "")]);
      choosers.replaceChildren(
        chooser("Recording", choices, app.state.recording, (value) => app.set({recording: Number(value), sel: null, at: null, phase: null, from: null, to: null, frame: null}), {id: "recording"}),
        chooser("compared with", [["", "none"], ...choices.filter(([number]) => number !== app.state.recording)], app.state.compared ?? "",
          (value) => app.set({compared: value === "" ? null : Number(value)}), {id: "compared"}));
    },
  };
}
