// SPDX-License-Identifier: Apache-2.0
// What `gordian top` shows: what limits the target now, since when, and what it waits for. Each part is made once, and filled
// again with each frame.
import {make, nothing} from "../../elements.js";
import {dataPart} from "./data.js";
import {limitPart} from "./limit.js";
import {minutesPart} from "./minutes.js";
import {resourcesPart} from "./resources.js";
import {verticesPart, waitsPart} from "./tables.js";

export const live = {
  name: "live", title: "Live", key: "l", uses: ["filter"], onlyLive: true,
  keys: [["space", "pause, or go on"], ["← →", "a second back, a second forth"], ["End", "go on"]],
  mount(root, app) {
    const waiting = nothing("The first seconds are being recorded.");
    const parts = [limitPart(app), minutesPart(app), waitsPart(app), verticesPart(app), resourcesPart(app), dataPart(app)];
    const page = make("div", {class: "live"}, parts.map((part) => part.element));
    root.append(waiting, page);
    function show() {
      const state = app.live?.state(), frame = state?.frame?.frame;
      waiting.hidden = Boolean(frame);
      page.hidden = !frame;
      if (frame) for (const part of parts) part.show(frame, state);
    }
    show();
    return {update: show, unmount() {}};
  },
};
