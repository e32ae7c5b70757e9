// SPDX-License-Identifier: Apache-2.0
// The frames of a recording as a strip of bars, with the needle of the trend: a click shows that frame.
import {draw, make} from "../../elements.js";
import {added, barsPath, windowsOfPage} from "../trend/pages.js";

const inside = {width: 1000, height: 26};

// By window: what all rows of a trend together have of it.
export const sumsOf = (trend, what) => trend.rows.map((row) => row.values[what === "bytes" ? "sent_bytes" : "wait_ns"]).reduce(added, trend.windows.from_ns.map(() => 0));

export function makeStrip(go) {
  const bars = draw("path", {class: "bars"}), needle = draw("rect", {class: "strip-needle", y: 0, height: inside.height, width: 0});
  const picture = draw("svg", {viewBox: `0 0 ${inside.width} ${inside.height}`, preserveAspectRatio: "none", class: "frame-strip", "aria-hidden": "true"}, bars, needle);
  let windows = 0;
  picture.addEventListener("click", (event) => {
    const place = picture.getBoundingClientRect();
    if (windows > 0) go(Math.min(windows - 1, Math.floor((event.clientX - place.left) / place.width * windows)));
  });
  return {
    element: make("div", {class: "frame-strip-place"}, picture),
    show(trend, what) {
      const sums = trend ? sumsOf(trend, what) : [];
      windows = sums.length;
      // All of them in one width: as if they were one page.
      const stretch = windows > 0 ? windowsOfPage / windows : 1;
      bars.setAttribute("d", barsPath(sums, {first: 0, end: windows}, Math.max(0, ...sums), inside));
      bars.setAttribute("transform", `scale(${stretch} 1)`);
    },
    at(frame) {
      needle.setAttribute("width", frame === null || windows === 0 ? 0 : Math.max(2, inside.width / windows));
      if (frame !== null && windows > 0) needle.setAttribute("x", frame / windows * inside.width);
    },
  };
}
