// SPDX-License-Identifier: Apache-2.0
// A command to copy.
import {button, make} from "../../elements.js";

export function copyable(command, about) {
  const said = make("span", {class: "quiet", role: "status"}), code = make("code", {tabindex: 0}, command);
  return make("div", {class: "command"}, about ? make("span", {class: "quiet"}, about) : null, code, button("Copy", async () => {
    try {
      await navigator.clipboard.writeText(command);
      said.textContent = "copied";
    } catch {
      getSelection()?.selectAllChildren(code);
      said.textContent = "selected: copy it by Ctrl+C";
    }
  }), said);
}
