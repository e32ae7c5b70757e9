// SPDX-License-Identifier: Apache-2.0
// The source of a served page: `gordian serve` answers. An answer that nobody waits for any more is aborted, a recording that
// is still being read is asked again, and whatever goes wrong is told in one line.
import {questionOf} from "./question.js";

export const gone = (error) => error?.name === "AbortError";

// `get`: fetch; `pause`: waits some milliseconds, but not beyond an abort. Tests put theirs in their place.
export function servedSource(get = (address, options) => fetch(address, options), pause = pauseFor) {
  const open = new Map();  // who asks → what ends it

  async function answer(address, binary, signal) {
    for (let wait_ms = 150; ; wait_ms = Math.min(2000, wait_ms * 1.5)) {
      let response;
      try {
        response = await get(address, {signal, credentials: "same-origin"});
      } catch (error) {
        if (gone(error)) throw error;
        throw new Error("gordian serve does not answer. Is it still running?");
      }
      if (response.ok) return binary ? response.arrayBuffer() : response.json();
      const told = await response.json().catch(() => ({}));
      if (response.status === 503) await pause(wait_ms, signal);  // still being read
      else if (response.status === 401 || response.status === 403) throw new Error("This page may not ask any more. Open the address that gordian serve printed.");
      else throw new Error(typeof told.error === "string" ? told.error : `gordian serve answers ${response.status}`);
    }
  }

  const source = {
    isStatic: false,
    isLive: false,      // whether the shown recording still grows; main.js sets both
    isOfNodes: false,   // whether it stays on its node, which is asked; likewise
    instead: "",        // then: the command for what needs all nodes at once
    recording: 0,
    pin: null,          // of a live recording: the window that all questions are about, where the page is paused …
    window: null,       // … and while it is followed
    recordings: async () => {
      const told = await answer("api/recordings", false);
      source.instead = told.instead ?? "";
      return told.recordings;
    },
    // signal: ends the question. instead: a name; a later question by that name ends this one (of a range that one left).
    // recording: another than the one that is shown, to compare with.
    async ask(endpoint, parameters, {binary = false, signal, instead, recording = source.recording} = {}) {
      const end = new AbortController();
      if (signal?.aborted) end.abort();
      signal?.addEventListener("abort", () => end.abort(), {once: true});
      if (instead) {
        open.get(instead)?.abort();
        open.set(instead, end);
      }
      try {
        const window = source.pin ?? source.window;
        const asked = source.isLive && recording === source.recording && window !== null ? {pin: window, ...parameters} : parameters;
        return await answer(`api/${recording}/${questionOf(endpoint, asked)}`, binary, end.signal);
      } finally {
        if (instead && open.get(instead) === end) open.delete(instead);
      }
    },
  };
  return source;
}

function pauseFor(wait_ms, signal) {
  return new Promise((done, fail) => {
    const timer = setTimeout(done, wait_ms);
    signal?.addEventListener("abort", () => {
      clearTimeout(timer);
      fail(new DOMException("no longer asked", "AbortError"));
    }, {once: true});
  });
}
