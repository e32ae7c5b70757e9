// SPDX-License-Identifier: Apache-2.0
// Text can be read, light and dark: by the formulas of WCAG 2.1.
import assert from "node:assert/strict";
import {readdirSync, readFileSync} from "node:fs";
import {test} from "node:test";

const folder = new URL(".", import.meta.url);
const colourText = readFileSync(new URL("colours.css", folder), "utf8");
const valuesIn = (text) => Object.fromEntries([...text.matchAll(/--([\w-]+):\s*(#[0-9a-f]{6})/gi)].map((found) => [found[1], found[2]]));
const [lightText, darkText] = colourText.split("@media");
const light = valuesIn(lightText), dark = {...light, ...valuesIn(darkText)};

const channels = (colour) => [1, 3, 5].map((at) => parseInt(colour.slice(at, at + 2), 16) / 255);
const linear = (value) => (value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4);
const luminance = (colour) => channels(colour).map(linear).reduce((sum, value, i) => sum + value * [0.2126, 0.7152, 0.0722][i], 0);
const contrast = (a, b) => {
  const [high, low] = [luminance(a), luminance(b)].sort((x, y) => y - x);
  return (high + 0.05) / (low + 0.05);
};

test("the formula knows black on white", () => assert.equal(contrast("#000000", "#ffffff"), 21));

// What text of these colours stands on.
const texts = {ink: ["paper", "card", "grid", "knot-soft", "pick-soft", "node"], quiet: ["paper", "card", "node", "knot-soft", "pick-soft", "grid"], knot: ["paper", "card"],
  pick: ["paper", "card"], bad: ["paper", "card"]};
const shapes = {edge: ["card"], "node-line": ["card"], bar: ["card"], "state-run": ["card"], "state-spin": ["card"]};

for (const [scheme, values] of Object.entries({light, dark})) {
  for (const [text, grounds] of Object.entries(texts))
    for (const ground of grounds)
      test(`${scheme}: ${text} on ${ground} can be read`, () => {
        const is = contrast(values[text], values[ground]);
        assert.ok(is >= 4.5, `${is.toFixed(2)}:1`);
      });
  for (const [shape, grounds] of Object.entries(shapes))
    for (const ground of grounds)
      test(`${scheme}: ${shape} on ${ground} can be seen`, () => {
        const is = contrast(values[shape], values[ground]);
        assert.ok(is >= 3, `${is.toFixed(2)}:1`);
      });
}

// Protanopia, deuteranopia and tritanopia by Viénot's and Brettel's matrices (linear RGB, the usual approximation).
const blindness = {
  protan: [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]],
  deutan: [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.01182, 0.04294, 0.968881]],
  tritan: [[1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602], [0.004733, 0.691367, 0.3039]]};
const seen = (colour, matrix) => matrix.map((row) => row.reduce((sum, part, i) => sum + part * linear(channels(colour)[i]), 0));
function lab([r, g, b]) {
  const xyz = [[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]].map((row) => row[0] * r + row[1] * g + row[2] * b);
  const [x, y, z] = [xyz[0] / 0.9505, xyz[1], xyz[2] / 1.089].map((value) => (value > 0.008856 ? Math.cbrt(value) : 7.787 * value + 16 / 116));
  return [116 * y - 16, 500 * (x - y), 200 * (y - z)];
}
const distance = (a, b, matrix) => Math.hypot(...lab(seen(a, matrix)).map((value, i) => value - lab(seen(b, matrix))[i]));

// States that a pattern does not tell apart must differ in colour for every eye.
const plain = ["run", "ready", "wait", "spin"];
for (const [scheme, values] of Object.entries({light, dark}))
  for (const [kind, matrix] of Object.entries(blindness))
    test(`${scheme}: ${kind} eyes tell the states apart`, () => {
      for (const a of plain) for (const b of plain) if (a < b) {
        const is = distance(values["state-" + a], values["state-" + b], matrix);
        assert.ok(is > 12, `${a} and ${b}: ${is.toFixed(1)}`);
      }
    });

test("styles ask nobody for anything", () => {
  for (const name of readdirSync(folder).filter((one) => one.endsWith(".css")))
    assert.doesNotMatch(readFileSync(new URL(name, folder), "utf8").replace(/@import "\.\/[a-z_]+\.css";/g, ""), /url\(|@import|https?:/, name);
});
