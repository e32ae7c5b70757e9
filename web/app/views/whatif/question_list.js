// SPDX-License-Identifier: Apache-2.0
// What may be asked: of the selection, of findings, of the machine, and in one's own words.
import {button, chooser, make} from "../../elements.js";
import {changeOf, shortGain} from "./model.js";

const predicted = (prediction) => (prediction ? make("span", {class: "gain-tag", title: `The report predicts ${prediction.low.toFixed(2)} to ${prediction.high.toFixed(2)}: ${prediction.sure}`},
  prediction.at_least ? `≥ ${shortGain(prediction.low)}` : shortGain(prediction.expected)) : null);

// acts: {first(change), second(change), also(change), chosen(): {a: changes, b: changes}, canAsk}
export function questionList(groups, acts) {
  const {a, b} = acts.chosen();
  const row = (question) => {
    const change = changeOf(question), place = a.includes(change) ? "first" : b.includes(change) ? "second" : null;
    return make("li", {class: place, "aria-current": place ? "true" : null}, button([make("span", {class: "condition"}, question.condition || question.change), predicted(question.prediction)], () => acts.first(change, question),
      {class: "link", "data-change": change, title: question.change}),
    make("span", {class: "more"}, button("compare", () => acts.second(change, question), {class: "plain", "aria-label": `Compare with: ${question.condition}`, disabled: a.length === 0 || place ? "" : null}),
      acts.canAsk ? button("and", () => acts.also(change), {class: "plain", "aria-label": `And also: ${question.condition}`, disabled: a.length === 0 || a.length > 3 || place ? "" : null}) : null));
  };
  const heads = {selected: "What is selected", finding: "What limits it", machine: "The machine"};
  return groups.map((group) => make("section", {class: `group ${group.of}`}, make("h3", null, group.finding ? `Finding ${group.finding}` : heads[group.of] ?? ""), group.of === "machine" ? null : make("p", null, group.title),
    group.questions.length ? make("ul", null, group.questions.map(row)) : make("p", {class: "quiet"}, group.none_because || "There is nothing to try.")));
}

export function ownChange(changes, act) {
  const argument = make("input", {type: "text", id: "wi-argument", "aria-label": "Argument", spellcheck: "false", autocomplete: "off", onkeydown: (event) => { if (event.key === "Enter") { event.preventDefault(); go(); } }});
  const help = make("p", {class: "quiet"}), pick = chooser("Change", changes.map((one) => [one.option, one.option]), "scale", () => show(), {id: "wi-option"});
  const chosen = () => changes.find((one) => one.option === pick.querySelector("select").value);
  const show = () => {
    argument.placeholder = chosen()?.argument ?? "";
    help.textContent = chosen()?.help ?? "";
  };
  const go = () => { if (argument.value.trim()) act(`${chosen().option}:${argument.value.trim()}`); };
  show();
  return make("section", {class: "group"}, make("h3", null, "Something else"), make("div", {class: "own"}, pick, argument, button("Predict", go)), help);
}
