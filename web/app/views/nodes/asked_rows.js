// SPDX-License-Identifier: Apache-2.0
// What nodes tell of themselves, asked a few at a time: a browser has six connections to a server, and a node that hangs holds
// one for a minute.
import {gone} from "../../source_served.js";

const mostAtOnce = 3;

// shown(row): it has changed. row: {number, name, state, brief, error}; state and brief: null while they are not known.
export function askedRows(source, shown) {
  const rows = new Map(), waiting = [], end = new AbortController();
  let asking = 0;

  async function askOne({row, again}) {
    const ask = (endpoint, parameters) => source.ask(endpoint, parameters, {recording: row.number, signal: end.signal});
    Object.assign(row, {error: "", ...(again ? {state: null, brief: null} : {})});
    shown(row);
    try {
      row.state = await ask("state");
      shown(row);
      row.brief = await ask("brief", again ? {again: 1} : undefined);
    } catch (error) {
      if (gone(error)) return;
      row.error = error.message;
    }
    shown(row);
  }
  function next() {
    while (asking < mostAtOnce && waiting.length > 0) {
      ++asking;
      askOne(waiting.shift()).finally(() => {
        --asking;
        next();
      });
    }
  }
  return {
    add({number, name}) {
      const row = {number, name, state: null, brief: null, error: ""};
      rows.set(number, row);
      return row;
    },
    ask(number) {
      waiting.push({row: rows.get(number), again: false});
      next();
    },
    // Before those that wait: somebody asks for this one.
    askAgain(number) {
      waiting.unshift({row: rows.get(number), again: true});
      next();
    },
    stop: () => end.abort(),
  };
}
