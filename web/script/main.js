// SPDX-License-Identifier: Apache-2.0
function showHead() {
  document.title = verdict + " – Gordian";
  document.getElementById("verdict").textContent = verdict;
  document.getElementById("eyebrow").textContent = limits[0] ? "What limits it: " + (limits[0].kind_in_words || limits[0].kind) : "Gordian";
  const gone = [Number(recording.lost) ? count(recording.lost) + " records lost" : "",
                Number(recording.missing_blocks) ? count(recording.missing_blocks) + " blocks missing" : ""].filter(Boolean);
  const lost = gone.length ? make("span", {class: "bad"}, gone.join(", ")) : make("span", null, "nothing lost");
  const facts = [seconds(recording.seconds) + (Number(recording.pauses) ? ` (and ${count(recording.pauses)} pauses, ${seconds(recording.paused_s)} in all, to keep to its budget)` : "") + (Number(recording.suspends) ? ` (and the machine slept for ${seconds(recording.suspended_s)})` : "") + (recording.stopped ? ` (the first ${seconds(recording.stopped.read_s)} of ${seconds(recording.stopped.recorded_s)}: the analysis was stopped)` : "") + (recording.nodes.length ? " on " + recording.nodes.join(", ") : ""),
                 recording.cpus + (recording.cpus === 1 ? " CPU" : " CPUs"), count(recording.events) + " events",
                 recording.started, recording.command.join(" ")].filter(Boolean).join(" · ");
  document.getElementById("facts").append(facts + " · ", lost);
}

showHead();
prepareGraph();
focusFinding(chosen);
showPanel();
preparePhases();
preparePath();
prepareLists();
