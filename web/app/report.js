// SPDX-License-Identifier: Apache-2.0
// The page of `gordian analyze --html`: one file with its data, for reading without a server.
import {start} from "./main.js";
import {staticSource} from "./source_static.js";
import {views} from "./views.js";

const dataOf = (id) => JSON.parse(document.getElementById(id).textContent);
const {answers, left_out} = dataOf("answers");
start(views, staticSource(dataOf("data"), answers, left_out));
