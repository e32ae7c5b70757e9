// SPDX-License-Identifier: Apache-2.0
// Flame graphs of the selection, or of all, over the range: callers below, callees above them. A click on a function makes it all.
import {button, make} from "../../elements.js";
import {nanoseconds, percent, share} from "../../words.js";

export const flameKinds = {waits: "where it waited", running: "where it ran", critical: "on the critical path"};
const leastShare = 0.002;  // narrower than a pixel or two

// Nodes in preorder as a tree: {name, ns, depth, children, kernel, own_ns, samples}
export function treeOf(nodes) {
  const root = {...nodes[0], children: []}, open = [root];
  for (const node of nodes.slice(1)) {
    const one = {...node, children: []};
    open.length = node.depth;
    open[node.depth - 1].children.push(one);
    open.push(one);
  }
  return root;
}

// Boxes of a tree: [{node, x, width, depth}…], shares of the whole from 0 to 1; none that nobody could see.
export function boxesOf(root) {
  const boxes = [], add = (node, x, depth) => {
    const width = share(node.ns, root.ns);
    if (width < leastShare) return;
    boxes.push({node, x, width, depth});
    let at = x;
    for (const child of node.children) {
      add(child, at, depth + 1);
      at += share(child.ns, root.ns);
    }
  };
  add(root, 0, 0);
  return boxes;
}

export function makeFlame({ask, close}) {
  const place = make("div", {class: "tl-flame-boxes", role: "tree"}), title = make("h2"), told = make("p", {class: "quiet"});
  let kind = "waits", whole = null;
  const choices = Object.entries(flameKinds).map(([name, words]) => button(words, () => show(name), {"data-kind": name}));
  const element = make("section", {class: "tl-flame card", hidden: "", "aria-label": "Flame graph"}, make("div", {class: "tl-flame-head"}, title, choices, button("All", () => whole && draw(whole)), button("×", close, {"aria-label": "Close the flame graph"})), told, place);

  function draw(root) {
    const boxes = boxesOf(root), most = boxes.reduce((deepest, box) => Math.max(deepest, box.depth), 0);
    place.style.height = `${(most + 1) * 18}px`;
    place.replaceChildren(...boxes.map(({node, x, width, depth}) => {
      const words = `${node.name || "all"}: ${nanoseconds(node.ns)} (${percent(share(node.ns, whole.ns))}), ${node.samples} samples`;
      return make("button", {type: "button", role: "treeitem", "aria-label": words, title: words, class: node.kernel ? "kernel" : null, onclick: () => draw(node),
        style: {left: `${x * 100}%`, width: `${width * 100}%`, bottom: `${depth * 18}px`, "--tone": String(toneOf(node.name))}}, width > 0.03 ? node.name || "all" : "");
    }));
  }
  async function show(name) {
    kind = name;
    for (const one of choices) one.setAttribute("aria-pressed", String(one.dataset.kind === kind));
    element.hidden = false;
    const answer = await ask(kind);
    if (!answer) { told.textContent = "The page in one file holds no stacks of single ranges: gordian serve does."; place.replaceChildren(); return; }
    title.textContent = answer.title;
    whole = treeOf(answer.flame.nodes);
    told.textContent = answer.flame.samples > 0 ? `${nanoseconds(whole.ns)} estimated from ${answer.flame.samples} samples` : "no samples here: gordian record takes stacks unless it is told --stacks off";
    if (answer.flame.samples > 0) draw(whole);
    else place.replaceChildren();
  }
  return {element, show, get kind() { return kind; }, hide() { element.hidden = true; }, get isShown() { return !element.hidden; }};
}

// Functions of a name have one tone everywhere.
function toneOf(name) {
  let sum = 7;
  for (const letter of name) sum = (sum * 31 + letter.codePointAt(0)) % 1009;
  return (sum % 100) / 100;
}
