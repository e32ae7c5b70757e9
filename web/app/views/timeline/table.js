// SPDX-License-Identifier: Apache-2.0
// The visible rows as a table, for screen readers: what each did with the shown time.
import {make} from "../../elements.js";
import {percent} from "../../words.js";

const columns = [[1, "runs"], [2, "wants a CPU"], [3, "waits"], [4, "spins"], [0, "unknown"]];

// The mean shares of a row over the range, from the best sheet; null without one.
export function sharesOf(sheets, key, range, plot) {
  const sheet = sheets.layers(key, range, (range.to - range.from) / plot).at(-1);
  if (!sheet) return null;
  const from = Math.max(0, Math.floor((range.from - sheet.from) / sheet.resolution)), to = Math.min(sheet.pixels, Math.ceil((range.to - sheet.from) / sheet.resolution));
  const sums = [0, 0, 0, 0, 0], base = sheet.place.get(key) * sheet.pixels;
  for (let pixel = from; pixel < to; ++pixel) for (let kind = 0; kind < 5; ++kind) sums[kind] += sheet.shares[5 * (base + pixel) + kind];
  return to > from ? sums.map((sum) => sum / 255 / (to - from)) : null;
}

export function makeTable() {
  const body = make("tbody"), element = make("div", {class: "unseen"}, make("table", {class: "tl-table"}, make("caption", null, "Visible rows and how they spend the shown time"),
    make("thead", null, make("tr", null, make("th", {scope: "col"}, "Row"), columns.map(([, words]) => make("th", {scope: "col"}, words)))), body));
  return {
    element,
    show({rows, sheets, range, plot}) {
      body.replaceChildren(...rows.map((row) => {
        const shares = sharesOf(sheets, row.key, range, plot);
        return make("tr", null, make("th", {scope: "row"}, `${row.label} ${row.note}`.trim()), columns.map(([kind]) => make("td", null, shares ? percent(shares[kind]) : "?")));
      }));
    },
  };
}
