// SPDX-License-Identifier: Apache-2.0
// What the page knows of a recording, by the names and numbers that stand in rows: for row_links.js.

// page, units: of app; either may be null.
export function knownOf(page, units) {
  const labels = new Map(), tids = new Map(), vertexOfThread = new Map(), report = page?.report;
  for (const vertex of report?.vertices ?? []) if (vertex.label) labels.set(vertex.label, vertex.id);
  const threads = units?.threads;
  threads?.tid.forEach((tid, row) => {
    if (!tids.has(tid)) tids.set(tid, []);
    tids.get(tid).push(row);
    if (threads.vertex[row] >= 0) vertexOfThread.set(threads.id[row], threads.vertex[row]);
  });
  for (const device of units?.devices ?? []) if (device.vertex >= 0) vertexOfThread.set(device.id, device.vertex);
  const nodeIndex = (name) => {
    const index = units?.nodes.findIndex((node) => node.name === name) ?? -1;
    return index < 0 ? null : index;
  };
  return {
    end_ns: report?.recording ? Math.round(report.recording.seconds * 1e9) : undefined,
    vertexOfLabel: (label) => labels.get(label) ?? null,
    vertexOfThread: (thread) => vertexOfThread.get(thread) ?? null,
    // The kernel gives numbers again: of several lives the one at that moment; without one nothing is guessed.
    threadOfTid(tid, node, at) {
      let rows = tids.get(tid) ?? [];
      if (node !== null && nodeIndex(node) !== null) rows = rows.filter((row) => units.processes[threads.process[row]]?.node === nodeIndex(node));
      if (at !== null && rows.length > 1) rows = rows.filter((row) => threads.begin_ns[row] <= at && at <= threads.end_ns[row]);
      return rows.length === 1 ? threads.id[rows[0]] : null;
    },
    processOfPid(pid, node) {
      const found = (units?.processes ?? []).map((process, index) => ({...process, index}))
        .filter((process) => process.pid === pid && (node === null || nodeIndex(node) === null || process.node === nodeIndex(node)));
      return found.length === 1 ? found[0].index : null;
    },
    containerOf(name) {
      const index = units?.containers.findIndex((container) => container.name === name) ?? -1;
      return index < 0 ? null : index;
    },
    nodeOf: nodeIndex,
  };
}
