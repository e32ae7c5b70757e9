// SPDX-License-Identifier: Apache-2.0
// Stacks as an icicle: the outermost function on top, below it whom it called, as wide as their shares. A click on a
// function gives it the whole width, a click above it goes back.
import {draw, make} from "../../elements.js";
import {count, percent, share} from "../../words.js";
import {chartWidth} from "./charts.js";

const flameRow = 17, flameLetter = 5.6, flameDeepest = 512;

export function callTree(code, stacks) {
  const root = {label: "all", share: 0, kernel: false, callees: new Map(), caller: null, depth: 0};
  for (const stack of stacks) {
    let node = root;
    node.share += stack.share;
    for (const index of stack.frames.slice(-flameDeepest).reverse()) {
      const frame = code[index];
      if (!frame) continue;
      let callee = node.callees.get(frame.label);
      if (!callee) {
        callee = {label: frame.label, share: 0, kernel: frame.kernel, module: frame.module, callees: new Map(), caller: node, depth: node.depth + 1};
        node.callees.set(frame.label, callee);
      }
      callee.share += stack.share;
      node = callee;
    }
  }
  return root;
}

function flameGraph(code, stacks, name) {
  const place = make("div", {class: "flames"}), whole = callTree(code, stacks);
  const show = (focus) => {
    const boxes = [];
    let deepest = focus.depth;
    const box = (node, x, width) => {
      deepest = Math.max(deepest, node.depth);
      const letters = Math.floor((width - 4) / flameLetter), y = node.depth * flameRow;
      const label = node.label.length <= letters ? node.label : letters > 3 ? node.label.slice(0, letters - 1) + "…" : "";
      boxes.push(draw("g", {class: node.kernel ? "frame kernel" : "frame", onclick: () => show(node)},
        draw("rect", {x, y, width: Math.max(0.5, width - 0.5), height: flameRow - 1}),
        draw("title", null, `${node.label}: ${percent(node.share)}${node.module ? " (" + node.module + ")" : ""}`),
        label ? draw("text", {x: x + 3, y: y + 12}, label) : null));
    };
    for (let above = focus.caller; above; above = above.caller) box(above, 0, chartWidth);
    const open = [[focus, 0, chartWidth]];
    while (open.length) {
      const [node, x, width] = open.pop();
      box(node, x, width);
      let at = x;
      for (const callee of [...node.callees.values()].sort((a, b) => b.share - a.share)) {
        const part = width * share(callee.share, node.share);
        if (part >= 0.5) open.push([callee, at, part]);
        at += part;
      }
    }
    place.replaceChildren(draw("svg", {class: "chart", viewBox: `0 0 ${chartWidth} ${(deepest + 1) * flameRow}`, role: "img",
      "aria-label": name}, boxes));
  };
  show(whole);
  return place;
}

// A part of the panel; nothing where there are no stacks.
export function codePart({report}, words, stacks, samples) {
  if (!stacks.length) return [];
  const listed = stacks.reduce((sum, stack) => sum + stack.share, 0);
  const rest = listed < 0.995 ? `, the heaviest stacks: ${percent(listed)} of it` : "";
  return [make("h3", null, words), flameGraph(report.code, stacks, words), make("p", {class: "quiet"}, `${count(samples)} ${samples === 1 ? "sample" : "samples"}${rest}`)];
}
