// SPDX-License-Identifier: Apache-2.0
// `?`: which keys there are, of all views and of the one that is shown.
import {button, make} from "./elements.js";
import {sharedKeys} from "./keyboard.js";

const keyList = (keys) => make("dl", {class: "keys"}, keys.map(([key, words]) => [make("dt", null, make("kbd", null, key)), make("dd", null, words)]));

// views(): those that can be shown now.
export function makeHelp(views) {
  const content = make("div"), dialog = make("dialog", {id: "help", "aria-label": "Keys"}, content);
  return {
    element: dialog,
    isOpen: () => dialog.open,
    close: () => dialog.close(),
    show(view) {
      content.replaceChildren(make("h2", null, "Keys"),
        make("h3", null, "Everywhere"), keyList([...views().filter((one) => one.key).map((one) => [one.key, one.title]), ...sharedKeys]),
        ...(view.keys?.length ? [make("h3", null, view.title), keyList(view.keys)] : []),
        make("p", {class: "quiet"}, "What is shown is in the page's address: who opens it sees the same."),
        button("Close", () => dialog.close()));
      if (!dialog.open) dialog.showModal();
    },
  };
}
