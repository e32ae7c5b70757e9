// SPDX-License-Identifier: Apache-2.0
// What the pointer or the keyboard is at, in words beside it; screen readers say it.
import {make} from "./elements.js";

function bubble() {
  let told = document.getElementById("told");
  if (!told) document.body.append(told = make("div", {id: "told", role: "status", hidden: ""}));
  return told;
}

export function tell(words, x, y) {
  const told = bubble();
  told.hidden = false;
  if (told.textContent !== words) told.textContent = words;
  const size = told.getBoundingClientRect();
  told.style.left = Math.max(4, Math.min(x + 12, innerWidth - size.width - 8)) + "px";
  told.style.top = (y + 16 + size.height > innerHeight ? Math.max(4, y - size.height - 10) : y + 16) + "px";
}
export function tellNothing() { bubble().hidden = true; }

// Attributes of an element: it tells that while it is under the pointer or has the focus.
export const telling = (words) => ({
  onpointermove: (event) => tell(words, event.clientX, event.clientY), onpointerleave: tellNothing,
  onfocus: (event) => { const size = event.target.getBoundingClientRect(); tell(words, size.left, size.bottom - 12); }, onblur: tellNothing,
});
