// SPDX-License-Identifier: Apache-2.0
// One prediction in words, as `gordian whatif` says it, with its doubts and the command that asks the same.
import {make} from "../../elements.js";
import {copyable} from "../requests/copyable.js";
import {leastWords} from "./model.js";

const letters = ["A", "B"];

export function predictionCard(entry, i, both) {
  const title = both ? make("p", {class: `letter interval${i}`}, letters[i]) : null;
  if (entry.problem) return make("article", {class: "card prediction"}, title, make("p", {class: "problem", role: "alert"}, entry.problem));
  if (!entry.told && !entry.kept) return make("article", {class: "card prediction", "aria-busy": "true"}, title, make("p", {class: "quiet"}, "Replaying the recording…"));
  return make("article", {class: "card prediction"}, title, entry.told ? whole(entry.told) : kept(entry.kept, entry.waits));
}

function whole({answer, lines, command}) {
  return [make("h2", null, answer.verdict), make("dl", {class: "lines"}, lines.map((line) => [make("dt", null, line.label), make("dd", null, line.text)])), copyable(command, "The same in a terminal")];
}

// What the report holds of it.
function kept(prediction, waits) {
  const told = prediction.at_least ? leastWords(prediction) : `${prediction.low.toFixed(2)} to ${prediction.high.toFixed(2)} times, between these ${prediction.expected.toFixed(2)}`;
  const condition = prediction.condition[0].toUpperCase() + prediction.condition.slice(1);
  return [make("h2", null, `${condition}: ${told} the throughput.`), make("dl", {class: "lines"},
    make("dt", null, "rate of"), make("dd", null, prediction.progress), make("dt", null, "sure"), make("dd", null, prediction.sure),
    make("dt", null, "check"), make("dd", null, `with nothing changed the replay misses the recorded rate by ${(100 * prediction.self_check).toFixed(1)} %`)),
  copyable(prediction.command, "Asked in full in a terminal"), waits ? make("p", {class: "quiet", role: "status"}, "This is the report's prediction; the whole recording is being replayed…") : null];
}
