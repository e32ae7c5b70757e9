// SPDX-License-Identifier: Apache-2.0
// Elements made in one expression. Names in recordings are hostile: what comes from outside only ever becomes text.
// Attributes whose name begins with "on" are listeners; `style` is an object of CSS properties; null and false are left out.
function fill(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes || {})) {
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (name === "style") for (const [property, worth] of Object.entries(value)) element.style.setProperty(property, worth);
    else if (value !== undefined && value !== null && value !== false) element.setAttribute(name, value);
  }
  for (const child of children.flat(Infinity)) if (child !== null && child !== undefined && child !== false) element.append(child);
  return element;
}

export const make = (tag, attributes, ...children) => fill(document.createElement(tag), attributes, children);
// The name of SVG's space is asked of the page: a report contains no address of anybody.
export const draw = (tag, attributes, ...children) =>
  fill(document.createElementNS(document.querySelector("svg").namespaceURI, tag), attributes, children);
export const change = (element, attributes) => fill(element, attributes, []);

export const button = (words, act, attributes) => make("button", {type: "button", onclick: act, ...attributes}, words);

// What a view says where it has nothing to show: one line that says why, and what to do about it.
export const nothing = (words) => make("p", {class: "nothing"}, words);

// A list to choose from. choices: [[value, words]…]
export const chooser = (label, choices, chosen, act, attributes) => make("label", {class: "chooser"}, label,
  make("select", {...attributes, onchange: (event) => act(event.target.value)},
    choices.map(([value, words]) => make("option", {value, selected: String(value) === String(chosen)}, words))));

// Enter and space do what a click does, on what is no button by itself.
export const pressable = (act) => ({tabindex: 0, role: "button", onclick: act,
  onkeydown: (event) => { if (event.key === "Enter" || event.key === " ") { event.preventDefault(); act(event); } }});
