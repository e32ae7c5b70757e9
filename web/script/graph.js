// SPDX-License-Identifier: Apache-2.0
// The picture: the chosen finding's members in the middle and, around them, the vertices with the heaviest edges to what
// is already there. The rest comes on demand, so that two thousand threads cost as much as twenty.
const picture = document.getElementById("graph");
const firstNeighbours = 14, moreNeighbours = 14, mostMembers = 24, leastShare = 0.005, labelledShare = 0.1;

let chosen = limits[0] || null;   // the finding in the middle
let shownIds = [];
let picked = null;                // {edge} or {vertex}
let view = {x: 0, y: 0, width: 1, height: 1};

function centreIds() {
  // A finding about phases has no members: then the first that has.
  const drawn = chosen?.members.length ? chosen : limits.find((finding) => finding.members.length);
  const members = drawn ? drawn.members.filter((id) => vertices.has(id)) : [];
  if (members.length > 0) return members.slice(0, mostMembers);
  // Nothing found: the one that is waited for most.
  const weight = new Map();
  for (const edge of edges) if (edge.to !== edge.from) weight.set(edge.to, (weight.get(edge.to) || 0) + edge.weight_s);
  const heaviest = [...weight].sort((a, b) => b[1] - a[1])[0];
  const any = heaviest ? heaviest[0] : report.vertices[0]?.id;
  return any === undefined ? [] : [any];
}

// The next `number` vertices, heaviest edge first.
function neighbours(ids, number, least, wanted = () => true) {
  const have = new Set(ids);
  const best = new Map();
  for (const id of ids) {
    for (const edge of touching.get(id)) {
      const other = edge.from === id ? edge.to : edge.from;
      if (have.has(other) || !wanted(vertices.get(other))) continue;
      if (edge.weight_s >= least && edge.weight_s > (best.get(other) ?? -1)) best.set(other, edge.weight_s);
    }
  }
  return [...best].sort((a, b) => b[1] - a[1]).slice(0, number).map((entry) => entry[0]);
}

function surroundings(ids) {
  const least = leastShare * recording.seconds;
  // Next to the finding everybody; a step further only who belongs to what was analyzed.
  const all = [...ids, ...neighbours(ids, firstNeighbours, least)];
  all.push(...neighbours(all, firstNeighbours - (all.length - ids.length), least, inScope));
  return all;
}

function edgesAmong(ids) {
  const have = new Set(ids);
  const all = ids.flatMap((id) => touching.get(id).filter((edge) => edge.from === id && have.has(edge.to)));
  const knot = new Set(knotEdges());
  const heaviest = Math.max(0, ...all.map((edge) => edge.weight_s));
  return all.filter((edge) => knot.has(key(edge.from, edge.to)) || edge.weight_s >= heaviest * 0.002).slice(0, 400);
}

function knotEdges() {
  if (!chosen) return [];
  const named = chosen.edges.map((edge) => key(edge.from, edge.to));
  if (chosen.edge) named.push(key(chosen.edge.from, chosen.edge.to));
  if (chosen.edges.length > 0 || chosen.kind !== "knot") return named;
  const members = new Set(chosen.members);
  return edges.filter((edge) => members.has(edge.from) && members.has(edge.to)).map((edge) => key(edge.from, edge.to));
}

// ---- shapes

function bodyOf(kind) {
  const w = boxWidth / 2, h = boxHeight / 2;
  const box = (radius) => draw("rect", {class: "body", x: -w, y: -h, width: boxWidth, height: boxHeight, rx: radius});
  switch (kind) {
    case "disk":
      return draw("g", null,
        draw("path", {class: "body", d: `M${-w} ${-h}a${w} 7 0 0 1 ${boxWidth} 0v${boxHeight}a${w} 7 0 0 1 ${-boxWidth} 0z`}),
        draw("path", {class: "body lid", d: `M${-w} ${-h}a${w} 7 0 0 0 ${boxWidth} 0`}));
    case "nic":
      return draw("path", {class: "body", d: `M${-w} 0L${-w + 18} ${-h}H${w - 18}L${w} 0L${w - 18} ${h}H${-w + 18}z`});
    case "timer":
      return box(h);
    case "irq":
      return draw("path", {class: "body", d: `M${-w + 14} ${-h}H${w}L${w - 14} ${h}H${-w}z`});
    case "remote":
      return draw("path", {class: "body", d: `M${-w} ${h}V${-h + 12}L0 ${-h - 4}L${w} ${-h + 12}V${h}z`});
    case "group":
      return draw("g", null, draw("rect", {class: "body", x: -w + 5, y: -h - 5, width: boxWidth, height: boxHeight, rx: 7}), box(7));
    default:
      return box(7);
  }
}

const roughly = (part) => (part > 0 && part < 0.01 ? "<1" : (part * 100).toFixed(0)) + " %";
const shorten = (text, most) => ([...text].length > most ? [...text].slice(0, most - 1).join("") + "…" : text);

function smallWords(vertex) {
  const whole = recording.seconds;
  if (vertex.kind === "disk" || vertex.kind === "nic") return vertex.kind + ", busy " + percent(share(vertex.busy_s, whole));
  if (!isThread(vertex)) return vertex.kind.replace("_", " ");
  if (vertex.kind === "group") {
    const run = share(vertex.run_s, whole);
    return vertex.members.length + (vertex.members.length === 1 ? " thread, " : " threads, ") + (run < 1 ? "runs " + roughly(run) : trimmed(run) + " CPUs");
  }
  return "runs " + roughly(share(vertex.run_s, whole)) + ", waits " + roughly(share(vertex.wait_s, whole));
}

function drawVertex(id, at, centre, outside) {
  const vertex = vertices.get(id);
  const marks = ["node", centre.has(id) && chosen ? "knot" : "", outside.has(id) ? "outside" : "", picked?.vertex === id ? "picked" : ""];
  const pick = () => choose({vertex: id});
  return draw("g", {class: marks.join(" "), transform: `translate(${at.x} ${at.y})`, tabindex: 0, role: "button",
                    "data-vertex": id, onclick: pick, onkeydown: (event) => event.key === "Enter" && pick()},
    draw("title", null, nameOf(id) + (vertex.process ? " of " + vertex.process : "")),
    bodyOf(vertex.kind),
    draw("text", {y: -1}, shorten(nameOf(id), 17)),
    draw("text", {y: 15, class: "small"}, outside.has(id) ? "outside the target" : smallWords(vertex)));
}

function drawEdge(edge, place, knot, heaviest) {
  const width = Math.max(1, 11 * Math.sqrt(share(edge.weight_s, heaviest)));
  const from = place.get(edge.from);
  const line = edge.from === edge.to ? loop(from, width) : curve(from, place.get(edge.to), width);
  const id = key(edge.from, edge.to);
  const marks = ["edge", knot.has(id) ? "knot" : "", picked?.edge === id ? "picked" : ""];
  const label = `${nameOf(edge.from)} waits for ${nameOf(edge.to)}: ${seconds(edge.weight_s)}, own ${seconds(edge.own_s)}`;
  const pick = () => choose({edge: id});
  // Many light edges: their numbers show when one points at them.
  const words = seconds(edge.weight_s), half = 4 + words.length * 3.4;
  if (!knot.has(id) && edge.weight_s < heaviest * labelledShare) marks.push("light");
  return draw("g", {class: marks.join(" "), tabindex: 0, role: "button", "aria-label": label, "data-edge": id,
                    onclick: pick, onkeydown: (event) => event.key === "Enter" && pick()},
    draw("title", null, label),
    draw("path", {d: line.path, "stroke-width": width}),
    draw("path", {d: line.path, class: "grip"}),
    draw("polygon", {points: arrowHead(line)}),
    draw("rect", {class: "plate", x: line.label.x - half, y: line.label.y - 9, width: 2 * half, height: 18, rx: 4}),
    draw("text", {x: line.label.x, y: line.label.y + 4}, words));
}

// ---- the view

function setView(next) {
  view = next;
  picture.setAttribute("viewBox", [view.x, view.y, view.width, view.height].join(" "));
}

function fitView() {
  const ids = [...picture.querySelectorAll(".node")];
  if (ids.length === 0) return;
  const bounds = picture.getBBox(), margin = 30;
  const size = picture.getBoundingClientRect();
  // Never larger than life: two boxes should not fill the screen.
  const scale = Math.max((bounds.width + 2 * margin) / size.width, (bounds.height + 2 * margin) / size.height, 0.65);
  const width = size.width * scale, height = size.height * scale;
  setView({x: bounds.x + bounds.width / 2 - width / 2, y: bounds.y + bounds.height / 2 - height / 2, width, height});
}

function showGraph(keepView) {
  const centre = centreIds();
  const drawn = edgesAmong(shownIds);
  const place = layOut(shownIds, drawn, centre);
  const heaviest = Math.max(0, ...drawn.map((edge) => edge.weight_s));
  const knot = new Set(knotEdges());
  const outside = new Set(chosen ? chosen.outside : []);
  const order = [...drawn].sort((a, b) => knot.has(key(a.from, a.to)) - knot.has(key(b.from, b.to)) || a.weight_s - b.weight_s);
  picture.replaceChildren(
    ...order.map((edge) => drawEdge(edge, place, knot, heaviest)),
    ...shownIds.map((id) => drawVertex(id, place.get(id), new Set(centre), outside)));
  if (!keepView) fitView();
  const all = report.vertices.length;
  document.getElementById("shown").textContent = shownIds.length === all
    ? `all ${count(all)} threads, groups and devices`
    : `${count(shownIds.length)} of ${count(all)} threads, groups and devices`;
  document.getElementById("more").disabled = neighbours(shownIds, 1, 0).length === 0;
  document.getElementById("fewer").disabled = shownIds.length <= centre.length;
}

function focusFinding(finding) {
  chosen = finding;
  shownIds = surroundings(centreIds());
  showGraph(false);
}

// Brings vertices into the picture that were not in it.
function reveal(ids) {
  const missing = ids.filter((id) => !shownIds.includes(id));
  if (missing.length === 0) return showGraph(true);
  shownIds = [...shownIds, ...missing];
  showGraph(false);
}

function prepareGraph() {
  document.getElementById("more").onclick = () => reveal(neighbours(shownIds, moreNeighbours, 0));
  document.getElementById("fewer").onclick = () => { shownIds = centreIds(); showGraph(false); };
  document.getElementById("fit").onclick = fitView;
  picture.addEventListener("wheel", (event) => {
    event.preventDefault();
    const size = picture.getBoundingClientRect(), factor = Math.exp(Math.sign(event.deltaY) * 0.15);
    const px = (event.clientX - size.left) / size.width, py = (event.clientY - size.top) / size.height;
    setView({x: view.x + view.width * px * (1 - factor), y: view.y + view.height * py * (1 - factor),
             width: view.width * factor, height: view.height * factor});
  }, {passive: false});
  let drag = null;
  picture.addEventListener("pointerdown", (event) => { drag = {x: event.clientX, y: event.clientY, view}; });
  addEventListener("pointermove", (event) => {
    if (!drag) return;
    const scale = view.width / picture.getBoundingClientRect().width;
    picture.classList.add("dragging");
    setView({...drag.view, x: drag.view.x - (event.clientX - drag.x) * scale, y: drag.view.y - (event.clientY - drag.y) * scale});
  });
  addEventListener("pointerup", () => { drag = null; picture.classList.remove("dragging"); });
  const kinds = new Set(report.vertices.map((vertex) => vertex.kind));
  const words = ["An arrow points at who ends the wait; its width is the waiting it carries.",
                 chosen ? "Coloured: what holds the throughput." : "", chosen?.outside.length ? "Dashed: outside the target." : "",
                 kinds.has("disk") ? "Drum: disk." : "", kinds.has("nic") ? "Hexagon: interface." : "",
                 kinds.has("timer") ? "Pill: timer." : "", kinds.has("group") ? "Stack: similar threads." : ""];
  document.getElementById("legend").append(...words.filter(Boolean).map((word) => make("li", null, word)));
}
