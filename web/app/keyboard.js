// SPDX-License-Identifier: Apache-2.0
// Keys that mean the same in every view. What a view does with a key itself never gets here: it calls preventDefault.
export const typing = (target) => target instanceof Element && target.closest("input:not([type=checkbox]):not([type=radio]), select, textarea, [contenteditable]") !== null;

export const sharedKeys = [["/", "filter by name"], ["?", "these keys"], ["Esc", "close, or forget the selection"], ["w", "the whole time again"],
  ["Alt + ←", "back to what was shown before"]];

// acts: {key: function}
export function listenForKeys(acts) {
  const listen = (event) => {
    if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return;
    if (document.querySelector("dialog[open]")) return;  // the browser closes it by Escape
    if (typing(event.target) && event.key !== "Escape") return;
    const act = Object.hasOwn(acts, event.key) ? acts[event.key] : null;
    if (!act) return;
    event.preventDefault();
    act(event);
  };
  addEventListener("keydown", listen);
  return () => removeEventListener("keydown", listen);
}
