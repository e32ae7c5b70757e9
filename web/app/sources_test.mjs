// SPDX-License-Identifier: Apache-2.0
// Names in recordings are hostile, and a report in one file must ask nobody: no module has the means to get that wrong.
import assert from "node:assert/strict";
import {readdirSync, readFileSync} from "node:fs";
import {join} from "node:path";
import {test} from "node:test";

const folder = new URL(".", import.meta.url).pathname;
const sources = readdirSync(folder, {recursive: true, encoding: "utf8"}).filter((name) => name.endsWith(".js")).map((name) => ({name, text: readFileSync(join(folder, name), "utf8")}));

const onlyServed = new Set(["source_served.js", "served.js"]);
const never = [
  [/\b(inner|outer)HTML\b|insertAdjacentHTML|document\.write|createContextualFragment|DOMParser|srcdoc/, "makes markup of text"],
  [/\beval\b|new Function\b|set(?:Timeout|Interval)\(\s*["'`]/, "runs text"],
  [/setAttribute\(\s*["'](?:style|on)/, "sets a style or a listener by its text"],
  [/\bjavascript:/, "has an address that runs"],
  [/<\/script|<!--/, "would end the report's script"],
];
const neverInReports = [[/\bfetch\(|XMLHttpRequest|WebSocket|EventSource|sendBeacon|\bimport\(|https?:|src=|href=|url\(/, "asks somebody"]];

test("there are sources", () => assert.ok(sources.length > 20));
for (const {name, text} of sources) {
  test(name + " leaves names what they are", () => {
    for (const [pattern, what] of [...never, ...(onlyServed.has(name) ? [] : neverInReports)]) {
      const line = text.split("\n").findIndex((one) => pattern.test(one));
      assert.equal(line, -1, `${name}:${line + 1} ${what}: ${text.split("\n")[line]?.trim()}`);
    }
  });
}
