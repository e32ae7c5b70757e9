// SPDX-License-Identifier: Apache-2.0
// A live recording in the page. While it is followed, all views show the newest window, and the range of the state is that
// window; it is no part of the address. A zoom pauses: the state's pin is then the number of the window, and the address has
// both. Back and forth goes by pinning another window.
import {makeBar} from "./bar.js";
import {makeFollower} from "./follow.js";
import {keyOf, selectionOf} from "./same.js";

// hooks: {page, units}: promises of what is shown now; show(changes, answers): sets the state without a step in the address;
// answers are the page and units of the window, if they were asked for.
export function makeLive(app, source, hooks) {
  let window = null;  // {number, from_ns, to_ns}: what the views show
  const follower = makeFollower(source, {pin: () => app.state.pin, took, changed: () => update()});
  const live = {
    state: follower.state,
    pause: () => { if (app.state.pin === null && window) app.set({pin: window.number}); },
    goOn: () => { if (app.state.pin !== null) app.set({pin: null}); },
    toggle: () => (app.state.pin === null ? live.pause() : live.goOn()),
    // The window of that number, or the nearest that is kept.
    goTo(number) {
      const {newest, oldest} = follower.state();
      const kept = Math.max(oldest, Math.min(newest, Math.round(number)));
      if (kept === newest) live.goOn();
      else if (kept > 0) app.set({pin: kept, from: null, to: null});
    },
    // What a view sets, with what it means for a window that passes.
    completed(changes) {
      if (!window || !("from" in changes || "to" in changes) || ("pin" in changes && changes.pin !== app.state.pin)) return changes;
      const from = "from" in changes ? changes.from : app.state.from, to = "to" in changes ? changes.to : app.state.to;
      if (from === null && to === null) return {...changes, from: window.from_ns, to: window.to_ns};
      return app.state.pin === null && (from !== window.from_ns || to !== window.to_ns) ? {...changes, pin: window.number} : changes;
    },
    // The state as an address tells it.
    lasting: (state) => (state.pin === null ? {...state, from: null, to: null} : state),
    // The state has changed, by whatever.
    changed(changed) {
      if (changed.has("pin")) follower.wake();
      update();
    },
    stop() {
      source.window = null;
      follower.stop();
      bar.element.remove();
    },
  };
  const bar = makeBar(live, app);

  async function took(frame) {
    const from = frame.from_ns, to = frame.to_ns, isPaused = app.state.pin !== null;
    const before = isPaused ? null : keyOf(app.state.sel, await hooks.page(), await hooks.units());
    // Nobody looks, or the frame says all that is shown: then the rest is not asked for.
    const needsAll = !document.hidden && (app.state.view !== "live" || before !== null);
    const [page, units] = needsAll ? await Promise.all([source.ask("page", {pin: frame.number}), source.ask("units", {pin: frame.number}).catch(() => null)]) : [];
    if ((app.state.pin !== null) !== isPaused || (isPaused && app.state.pin !== frame.number)) return;
    window = {number: frame.number, from_ns: from, to_ns: to};
    source.window = frame.number;
    const keepsRange = isPaused && app.state.from !== null;
    hooks.show({...(keepsRange ? {} : {from, to}), ...(before ? {sel: selectionOf(before, page, units), at: null} : {})}, page ? {page, units} : null, frame);
  }
  function update() { bar.update(follower.state(), app.state.pin); }
  return {...live, bar: bar.element};
}
