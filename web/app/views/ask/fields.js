// SPDX-License-Identifier: Apache-2.0
// The values of a question beside it: what the selection gives, what is typed in, and the numbers that one may want to change.
import {make} from "../../elements.js";
import {ofSelection, placeholdersIn, valuesIn, withValue} from "./placeholders.js";

const mostValues = 6;
const whatToSelect = {thread: "select a thread", vertex: "select a thread or a node of the graph", at: "select a moment", from_vertex: "select a wait of the graph", to_vertex: "select a wait of the graph"};

const input = (name, value, act, attributes) => make("label", {class: "value"}, name, make("input", {type: "text", value, size: Math.max(4, Math.min(24, String(value).length + 1)), autocomplete: "off",
  spellcheck: "false", ...attributes, onchange: (event) => act(event.target.value, false), onkeydown: (event) => { if (event.key === "Enter") { event.preventDefault(); act(event.target.value, true); } }}));

// told: {sql, schema, selection: values of the selection, typed: {name: text}}; acts: {type(name, text, ask), replace(sql, ask)}
export function fieldsOf({sql, schema, selection, typed}, acts) {
  const fields = [];
  for (const name of placeholdersIn(sql)) {
    const given = selection[name];
    if (ofSelection.includes(name))
      fields.push(make("span", {class: given === undefined ? "value missing" : "value"}, `:${name}`, make("b", null, given === undefined ? whatToSelect[name] ?? "nothing is selected" : String(given))));
    else fields.push(input(`:${name}`, typed[name] ?? "", (text, ask) => acts.type(name, text, ask), {"data-value": name}));
  }
  if (schema) {
    valuesIn(sql, schema).slice(0, mostValues).forEach((value, i) =>
      fields.push(input(value.name, value.text, (text, ask) => { if (text !== value.text || ask) acts.replace(withValue(sql, value, text), ask); }, {"data-place": i})));
  }
  return fields;
}
