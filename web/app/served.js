// SPDX-License-Identifier: Apache-2.0
// The page of `gordian serve`.
import {start} from "./main.js";
import {servedSource} from "./source_served.js";
import {views} from "./views.js";

start(views, servedSource());
