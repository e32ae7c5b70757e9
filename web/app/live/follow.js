// SPDX-License-Identifier: Apache-2.0
// Follows a live recording: asks for the newest frame, and tells the page when there is one. It holds one frame, and a strip
// of bounded length. Plain questions, one after the other: a tunnel that breaks, a tab that sleeps and a server that begins
// anew need nothing special.
import {gone} from "../source_served.js";
import {makeStrip} from "./strip.js";

const following_ms = 500, paused_ms = 2000, afterFailure_ms = 3000;

// pin(): the number of the window that the page is paused at, or null. took(frame): awaited for each frame to be shown.
// changed(): called after each answer. wait: setTimeout, or a test's.
export function makeFollower(source, {pin, took, changed}, wait = (act, wait_ms) => setTimeout(act, wait_ms)) {
  let ended = false, told = [], failure = "", frame = null, newest = 0, oldest = 0, window_ns = 0, stopped = false, rouse = null;
  const strip = makeStrip();
  let knowsStrip = false;

  function take(answer) {
    ({newest, oldest, ended, told, window_ns} = answer);
    failure = "";
    const last = answer.frame?.frame.strip.at(-1);
    if (last) strip.add({number: answer.frame.number, judged: true, limit: last.limit, kind: last.kind, share: last.share, cpus: last.cpus});
    return answer.frame;
  }

  async function ask() {
    if (!knowsStrip) strip.reset((await source.ask("live_strip")).seconds);
    knowsStrip = true;
    const paused = pin(), asksForPaused = paused !== null && frame?.number !== paused;
    const next = take(await source.ask("live", asksForPaused ? {number: paused} : {after: paused === null ? frame?.number ?? 0 : newest}));
    if (!next || stopped || pin() !== paused || (paused !== null && !asksForPaused)) return;
    frame = next;
    await took(frame);
  }

  const sleep = (wait_ms) => new Promise((done) => {
    rouse = done;
    if (wait_ms !== null) wait(done, wait_ms);
  });

  async function follow() {
    while (!stopped) {
      let wait_ms = pin() === null ? following_ms : paused_ms;
      try {
        await ask();
        if (ended && (pin() === null ? frame?.number === newest : frame?.number === pin())) wait_ms = null;
      } catch (error) {
        if (!gone(error)) failure = error.message;
        wait_ms = afterFailure_ms;
      }
      if (stopped) return;
      changed();
      await sleep(wait_ms);
    }
  }
  follow();
  return {
    state: () => ({frame, newest, oldest, ended, told, failure, window_ns, seconds: strip.list()}),
    // The page was paused, or goes on: it does not wait for the next turn.
    wake: () => rouse?.(),
    stop() {
      stopped = true;
      rouse?.();
    },
  };
}
