// SPDX-License-Identifier: Apache-2.0
import {make, nothing} from "../elements.js";

export const overview = {
  name: "overview", title: "Overview", key: "o", keys: [], uses: ["filter"],
  mount(root, app) {
    app.page().then((page) => root.replaceChildren(make("p", null, page.report.verdict || "Nothing was found that limits the program.")),
      (error) => root.replaceChildren(nothing(error.message)));
    return {update() {}, unmount() {}};
  },
};
