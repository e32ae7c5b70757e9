// SPDX-License-Identifier: Apache-2.0
// Above all views of a live recording: whether it is followed or paused, and the last minutes to go back to.
import {button, make} from "../elements.js";
import {count, seconds} from "../words.js";

// 2026-11-27T07:23:18Z as people say it.
const timeOfDay = (at) => {
  const moment = new Date(at);
  return at && !Number.isNaN(moment.getTime()) ? moment.toLocaleTimeString() : "";
};

export function makeBar(live, app) {
  const said = make("span", {id: "live-said", role: "status"}), told = make("span", {class: "bad"});
  const pause = button("Pause", () => live.toggle(), {id: "live-pause", title: "Pause, or go on (space)"});
  const slider = make("input", {id: "live-back", type: "range", min: 1, max: 1, step: 1, "aria-label": "Back through the last minutes",
    oninput: () => { ago.textContent = agoText(Number(slider.max) - Number(slider.value)); },
    onchange: () => live.goTo(Number(slider.value))});
  const ago = make("span", {class: "quiet", id: "live-ago"});
  const element = make("div", {id: "live-bar", role: "group", "aria-label": "Live"}, pause, said, make("label", {class: "back"}, "Back ", slider), ago, told);
  const agoText = (steps) => (steps <= 0 ? "now" : `${seconds(steps)} ago`);
  let lastSaid = "";

  function sentence(state, pin) {
    const at = timeOfDay(state.frame?.frame.at), newer = pin === null ? 0 : state.newest - pin;
    if (pin !== null) return `Paused${at ? " at " + at : ""}${newer > 0 ? `, ${count(newer)} s behind` : ""}`;
    if (state.ended) return `The recording has ended${at ? " at " + at : ""}`;
    return state.frame ? `Live${at ? ", until " + at : ""}` : "Live: the first seconds are being recorded";
  }
  return {
    element,
    update(state, pin) {
      const words = sentence(state, pin);
      if (words !== lastSaid) said.textContent = lastSaid = words;
      element.dataset.state = pin !== null ? "paused" : state.ended ? "ended" : "follows";
      pause.textContent = pin === null ? "Pause" : state.ended ? "The end" : "Go on";
      pause.disabled = pin === null && (!state.frame || state.ended);
      slider.min = state.oldest;
      slider.max = state.newest;
      if (document.activeElement !== slider || pin === null) slider.value = pin ?? state.newest;
      slider.disabled = state.newest <= state.oldest;
      ago.textContent = agoText(state.newest - (pin ?? state.newest));
      const failure = state.failure || state.told[state.told.length - 1] || "";
      if (told.textContent !== failure) told.textContent = failure;
    },
  };
}
