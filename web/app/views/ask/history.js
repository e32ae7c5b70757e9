// SPDX-License-Identifier: Apache-2.0
// The questions of this tab, the last one first. They go when the tab does.
const place = "gordian.ask", most = 50;

// `store`: sessionStorage; a browser may refuse it.
export function history(store = () => sessionStorage) {
  let asked = [], at = -1, draft = "";
  try {
    const kept = JSON.parse(store().getItem(place) ?? "[]");
    if (Array.isArray(kept)) asked = kept.filter((sql) => typeof sql === "string").slice(0, most);
  } catch { /* then it begins anew */ }
  return {
    list: () => asked,
    add(sql) {
      asked = [sql, ...asked.filter((one) => one !== sql)].slice(0, most);
      at = -1;
      try { store().setItem(place, JSON.stringify(asked)); } catch { /* it is kept as long as the page */ }
    },
    // −1: an earlier one; 1: a later one, and at last what was being written. null: there is none.
    step(step, text) {
      const next = at - step;
      if (next < -1 || next >= asked.length) return null;
      if (at === -1) draft = text;
      at = next;
      return at === -1 ? draft : asked[at];
    },
  };
}
