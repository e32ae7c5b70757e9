// SPDX-License-Identifier: Apache-2.0
// The state in the browser's address: a step that the way back takes back, or a correction of where one is.
import {readAddress, writeAddress} from "./state.js";

const settled_ms = 250;  // browsers stop pages that correct their address more often than some times a second

// `moved`: called with the state of an address that came from outside (the way back, a link, typing).
export function openAddress(usualView, moved) {
  let timer = 0, pending = null;
  const write = (how, state) => {
    const words = writeAddress(state, usualView());
    try {
      history[how](null, "", words ? "#" + words : location.href.replace(/#.*$/, ""));
    } catch { /* a page inside another may not */ }
  };
  const settle = () => {
    clearTimeout(timer);
    if (pending) write("replaceState", pending);
    pending = null;
  };
  const listen = () => {
    clearTimeout(timer);
    pending = null;
    moved(readAddress(location.hash, usualView()));
  };
  addEventListener("hashchange", listen);
  addEventListener("popstate", listen);
  return {
    namesView: () => /(^|&)view=/.test(location.hash.slice(1)),
    read: () => readAddress(location.hash, usualView()),
    step(state) {
      settle();
      write("pushState", state);
    },
    correct(state) {
      pending = state;
      clearTimeout(timer);
      timer = setTimeout(settle, settled_ms);
    },
    settle,
  };
}
