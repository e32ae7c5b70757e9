// SPDX-License-Identifier: Apache-2.0
// All views, in the order of their tabs. A view is
//   {name, title, key, keys: [["←/→", "what they do"]…], uses: ["filter", "level", "what", "range"],
//    mount(root, app) → {update(state, changed), unmount()}}
// onlyLive: it is there only for a recording that is still being written. onlyNodes: … that stays on its node.
// asks: the endpoints without which it has nothing to show; a report that holds no answer of them does not offer the view.
// `uses` says which controls of the toolbar mean something to it; all of them, if it says nothing.
import {ask} from "./views/ask/ask.js";
import {cluster} from "./views/cluster.js";
import {compare} from "./views/compare/compare.js";
import {frame} from "./views/frame.js";
import {live} from "./views/live/live.js";
import {nodes} from "./views/nodes/nodes.js";
import {overview} from "./views/overview/overview.js";
import {phases} from "./views/phases/phases.js";
import {requests} from "./views/requests/requests.js";
import {timeline} from "./views/timeline/index.js";
import {trend} from "./views/trend.js";
import {whatif} from "./views/whatif/whatif.js";

export const views = [live, nodes, overview, timeline, phases, requests, cluster, trend, frame, whatif, compare, ask];
