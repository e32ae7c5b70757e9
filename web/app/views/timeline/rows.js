// SPDX-License-Identifier: Apache-2.0
// The rows of the timeline: CPUs and devices, then the units of the chosen level; each unit opens into the next one below it.
// A row: {key, kind, id, sel, label, note, depth, canOpen, isOpen}. Its key is how the server calls it: t12, p3, c0, n1, r0, d45, u0.
export const sorts = {busy: "busiest first", part: "most on critical paths first", wait: "longest waits first", name: "name", first: "first activity"};
const letters = {thread: "t", process: "p", container: "c", node: "n", rack: "r", device: "d", cpus: "u"};
export const keyOf = (kind, id) => letters[kind] + id;

// What never changes for a recording: sums of each unit, and who belongs to whom.
export function hierarchyOf(units) {
  const threads = units.threads, none = () => ({busy: 0, part: 0, wait: 0, first: Infinity, children: []});
  const make = (count) => Array.from({length: count}, none);
  const sums = {thread: [], process: make(units.processes.length), container: make(units.containers.length), node: make(units.nodes.length), rack: make(units.racks.length)};
  const place = new Map();  // id of a thread → its place in the columns
  for (let i = 0; i < threads.id.length; ++i) {
    place.set(threads.id[i], i);
    const process = threads.process[i], {container, node} = units.processes[process];
    const one = {part: 0, busy: threads.run_ns[i] + threads.spin_ns[i] + threads.runnable_ns[i], wait: threads.wait_ns[i],
      first: threads.run_ns[i] > 0 || threads.wait_ns[i] > 0 ? threads.begin_ns[i] : Infinity, children: []};
    sums.thread.push(one);
    sums.process[process].children.push(i);
    for (const sum of [sums.process[process], sums.container[container], sums.node[node], sums.rack[units.nodes[node].rack]]) {
      if (!sum) continue;
      sum.busy += one.busy;
      sum.wait += one.wait;
      sum.first = Math.min(sum.first, one.first);
    }
  }
  units.processes.forEach(({container, node}, i) => {
    if (container >= 0) sums.container[container].children.push(i);
    sums.node[node].children.push(i);
  });
  units.nodes.forEach(({rack}, i) => sums.rack[rack].children.push(i));
  return {units, sums, place};
}

// columns: number: thread, participation, as /amounts has them.
export function takeParticipation(hierarchy, columns) {
  const {units, sums, place} = hierarchy;
  hierarchy.hasParticipation = true;
  columns.number.forEach((thread, at) => {
    const i = place.get(thread);
    if (i === undefined) return;
    const share = columns.participation[at] ?? 0, process = units.threads.process[i], {container, node} = units.processes[process];
    sums.thread[i].part = share;
    for (const sum of [sums.process[process], sums.container[container], sums.node[node], sums.rack[units.nodes[node].rack]]) if (sum) sum.part += share;
  });
}

const contains = (text, words) => text.toLowerCase().includes(words);

// A function of (kind, index) that tells whether the filter leaves it: by its own name, those above it, or those below it.
function matcher({units, sums}, filter) {
  const words = filter.trim().toLowerCase();
  if (!words) return () => true;
  const threads = units.threads, process = units.processes.map((one) => contains(`${one.name} ${one.pid}`, words));
  const thread = threads.id.map((_, i) => contains(`${threads.name[i]} ${threads.tid[i]}`, words) || process[threads.process[i]]);
  const below = units.processes.map((_, i) => process[i] || sums.process[i].children.some((child) => thread[child]));
  const own = {container: (i) => contains(units.containers[i].name, words), node: (i) => contains(units.nodes[i].name, words), rack: (i) => contains(units.racks[i].name, words)};
  const known = {
    thread: (i) => thread[i], process: (i) => below[i],
    container: (i) => own.container(i) || sums.container[i].children.some((child) => below[child]),
    node: (i) => own.node(i) || sums.node[i].children.some((child) => below[child]),
    rack: (i) => own.rack(i) || sums.rack[i].children.some((child) => known.node(child)),
    device: (i) => contains(units.devices[i].name, words),
    cpus: (i) => contains("cpus " + units.nodes[i].name, words),
  };
  return (kind, i) => known[kind](i);
}

function nameOf({units}, kind, i) {
  const threads = units.threads, node = (at) => (units.nodes.length > 1 ? units.nodes[at].name : "");
  switch (kind) {
    case "thread": {
      const process = units.processes[threads.process[i]];
      return {id: threads.id[i], label: `${threads.name[i]} ${threads.tid[i]}`, note: [process.name !== threads.name[i] ? process.name : "", node(process.node)].filter(Boolean).join(" · ")};
    }
    case "process": return {id: i, label: `${units.processes[i].name} ${units.processes[i].pid}`, note: [units.containers[units.processes[i].container]?.name, node(units.processes[i].node)].filter(Boolean).join(" · ")};
    case "container": return {id: i, label: units.containers[i].name, note: node(units.containers[i].node)};
    case "node": return {id: i, label: units.nodes[i].name, note: units.racks.length > 1 ? units.racks[units.nodes[i].rack].name : ""};
    case "rack": return {id: i, label: units.racks[i].name, note: ""};
    case "device": return {id: units.devices[i].id, label: units.devices[i].name, note: [units.devices[i].kind === "disk" ? "disk" : "link", node(units.devices[i].node)].filter(Boolean).join(" · ")};
    default: return {id: i, label: "CPUs in use", note: [`of ${units.nodes[i].cpus}`, node(i)].filter(Boolean).join(" · ")};
  }
}

const below = {rack: "node", node: "process", container: "process", process: "thread"};

// level: of the state. open: a set of keys. A filter opens what has a match below it.
export function rowsOf(hierarchy, {level, filter, sort, open}) {
  const {units, sums} = hierarchy, leaves = matcher(hierarchy, filter), rows = [];
  const add = (kind, i, depth) => {
    const {id, label, note} = nameOf(hierarchy, kind, i), key = keyOf(kind, id), children = sums[kind]?.[i].children ?? [];
    const canOpen = kind in below && children.length > 0, isOpen = canOpen && open.has(key);
    rows.push({key, kind, id, sel: kind === "cpus" ? `node:${id}` : `${kind}:${id}`, label, note, depth, canOpen, isOpen});
    if (isOpen) addAll(below[kind], children, depth + 1);
  };
  const addAll = (kind, all, depth) => {
    const shown = all.filter((i) => leaves(kind, i)), of = sums[kind];
    const names = sort === "name" ? new Map(shown.map((i) => [i, nameOf(hierarchy, kind, i).label])) : null;
    const compare = {busy: (a, b) => of[b].busy - of[a].busy, part: (a, b) => of[b].part - of[a].part, wait: (a, b) => of[b].wait - of[a].wait, first: (a, b) => (of[a].first === of[b].first ? 0 : of[a].first - of[b].first),
      name: (a, b) => names.get(a).localeCompare(names.get(b), "en", {numeric: true})}[sort] ?? (() => 0);
    shown.sort((a, b) => compare(a, b) || a - b);
    for (const i of shown) add(kind, i, depth);
  };
  for (let i = 0; i < units.nodes.length; ++i) if (leaves("cpus", i)) add("cpus", i, 0);
  for (let i = 0; i < units.devices.length; ++i) if (leaves("device", i)) add("device", i, 0);
  const kind = level === "vertex" ? "thread" : level;
  addAll(kind, (kind === "thread" ? units.threads.id : sums[kind]).map((_, i) => i), 0);
  return rows;
}

// (thread) => the place of the row that shows it: its own, or of what it belongs to; -1 if none does.
export function placesOf(hierarchy, rows) {
  const at = new Map(rows.map((row, i) => [row.key, i])), {units, place} = hierarchy;
  return (thread) => {
    const own = at.get(keyOf("thread", thread));
    if (own !== undefined) return own;
    const i = place.get(thread);
    if (i === undefined) return at.get(keyOf("device", thread)) ?? -1;
    const process = units.threads.process[i], {container, node} = units.processes[process];
    return at.get(keyOf("process", process)) ?? at.get(keyOf("container", container)) ?? at.get(keyOf("node", node)) ?? at.get(keyOf("rack", units.nodes[node].rack)) ?? -1;
  };
}

// What must be open so that the thread has a row of its own.
export function openFor({units, place}, thread, level) {
  const i = place.get(thread);
  if (i === undefined || level === "thread" || level === "vertex") return [];
  const process = units.threads.process[i], {container, node} = units.processes[process], keys = [keyOf("process", process)];
  if (level === "container") keys.push(keyOf("container", container));
  if (level === "node" || level === "rack") keys.push(keyOf("node", node));
  if (level === "rack") keys.push(keyOf("rack", units.nodes[node].rack));
  return keys;
}

// The threads that a selection or row stands for, by id; at most `most`.
export function threadsOf({units, sums}, kind, id, most) {
  if (kind === "thread") return [id];
  const found = [], take = (what, i) => {
    if (found.length >= most) return;
    if (what === "thread") found.push(units.threads.id[i]);
    else for (const child of sums[what]?.[i]?.children ?? []) take(below[what], child);
  };
  take(kind, id);
  return found.slice(0, most);
}
