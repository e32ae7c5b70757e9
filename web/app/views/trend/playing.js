// SPDX-License-Identifier: Apache-2.0
// Goes from window to window: the trend's needle, and the frames behind it.
export const speeds = [1, 2, 4, 8, 16];  // windows in a second

// next() shows the next window and says whether there is one. Timers are the page's; tests put theirs in their place.
export function makePlayer(next, changed = () => {}, timers = {set: (act, ms) => setTimeout(act, ms), clear: (timer) => clearTimeout(timer)}) {
  let timer = null, speed = 2;
  const step = async () => {
    timer = null;
    const goesOn = await next();
    // Stopped meanwhile, or begun anew?
    if (playing && goesOn && timer === null) timer = timers.set(step, 1000 / speed);
    else if (!goesOn) stop();
  };
  let playing = false;
  function stop() {
    if (!playing) return;
    playing = false;
    if (timer !== null) timers.clear(timer);
    timer = null;
    changed();
  }
  return {
    get isPlaying() { return playing; },
    get speed() { return speed; },
    setSpeed(value) { if (speeds.includes(Number(value))) speed = Number(value); },
    start() { if (playing) return; playing = true; timer = timers.set(step, 0); changed(); },
    stop,
  };
}
