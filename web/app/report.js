// SPDX-License-Identifier: Apache-2.0
// The page of `gordian analyze --html`: one file with its data, for reading without a server.
import {unpacked} from "./bytes.js";
import {start} from "./main.js";
import {staticSource} from "./source_static.js";
import {views} from "./views.js";

const dataOf = (id) => JSON.parse(document.getElementById(id).textContent);
const {answers, left_out} = dataOf("answers");
const show = (data) => start(views, staticSource(data, answers, left_out));
const data = dataOf("data");
if (data.gzip) unpacked(data).then(show);
else show(data);
