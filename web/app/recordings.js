// SPDX-License-Identifier: Apache-2.0
// Which recordings there are and how far they are read: asked again while one is being read, more and more rarely.
const notServed = "The address names a recording that is not served here.";
const soonest_ms = 300, latest_ms = 5000;

// told: {changed(list), reading(recording), failed(text), renewed()}: renewed when there is another page of the chosen one, as
// early looks while it is read. The result has list(), choose(number) and chosenIsServed().
export function watchRecordings(source, told, wait = (act, wait_ms) => setTimeout(act, wait_ms)) {
  let list = [], chosen = 0, wait_ms = soonest_ms, know;
  const known = new Promise((done) => { know = done; });

  function tellChosen() {
    const recording = list.find((one) => one.number === chosen);
    source.isLive = recording?.kind === "live";
    source.isOfNodes = recording?.kind === "node";
    if (recording && recording.state !== "ready") told.reading(recording);
    if (list.length && !recording) told.failed(notServed);
  }

  async function ask() {
    try {
      const next = await source.recordings();
      if (JSON.stringify(next) !== JSON.stringify(list)) wait_ms = soonest_ms;
      const pageOf = (all) => all.find((one) => one.number === chosen)?.page;
      const renewed = list.length > 0 && pageOf(next) !== undefined && pageOf(list) !== pageOf(next);
      list = next;
      if (renewed) told.renewed();
    } catch (error) {
      if (!list.length) told.failed(error.message);
      know();
      return;
    }
    know();
    tellChosen();
    told.changed(list);
    if (!list.some((one) => one.state === "reading")) return;
    wait(ask, wait_ms);
    wait_ms = Math.min(latest_ms, wait_ms * 1.4);
  }

  ask();
  return {
    list: () => list,
    // When it is known which there are; an error if the chosen one is none of them.
    async chosenIsServed() {
      await known;
      if (list.length && !list.some((one) => one.number === chosen)) throw new Error(notServed);
    },
    choose(number) {
      chosen = number;
      source.recording = number;
      tellChosen();
    },
  };
}
