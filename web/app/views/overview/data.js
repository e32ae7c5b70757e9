// SPDX-License-Identifier: Apache-2.0
// The report, and indices over it.
export const key = (from, to) => from + ">" + to;
export const isThread = (vertex) => vertex.kind === "thread" || vertex.kind === "group";

// Of the page's data (schema/listings.proto).
export function indexed(page) {
  const {report} = page;
  const recording = report.recording || {seconds: 0, nodes: [], cpus: 0, events: 0, lost: 0, command: []};
  const vertices = new Map(report.vertices.map((vertex) => [vertex.id, vertex]));
  const edges = report.edges.filter((edge) => vertices.has(edge.from) && vertices.has(edge.to));
  const edgeOf = new Map(edges.map((edge) => [key(edge.from, edge.to), edge]));
  const historyOf = new Map(page.histories.map((history) => [key(history.from, history.to), history]));
  const touching = new Map(report.vertices.map((vertex) => [vertex.id, []]));
  for (const edge of edges) {
    touching.get(edge.from).push(edge);
    if (edge.to !== edge.from) touching.get(edge.to).push(edge);
  }
  for (const list of touching.values()) list.sort((a, b) => b.weight_s - a.weight_s);
  const vertexOfThread = new Map();
  for (const vertex of report.vertices) for (const member of vertex.members) vertexOfThread.set(member, vertex.id);
  // One label for each, no label for two; reports of older versions have only names.
  const nameOf = (id) => vertices.get(id)?.label || vertices.get(id)?.name || (vertices.has(id) ? "#" + id : "?");
  const limits = report.findings.filter((finding) => finding.kind !== "background" && !finding.apart);
  const verdict = report.verdict || limits[0]?.title || "Nothing was found that limits the program.";
  return {page, report, recording, vertices, edges, edgeOf, historyOf, touching, vertexOfThread, nameOf, limits, verdict};
}

// Whether a vertex belongs to those that a filter names.
export function named(data, id, filter) {
  if (!filter) return true;
  const vertex = data.vertices.get(id), wanted = filter.toLowerCase();
  return [data.nameOf(id), vertex.process, vertex.name].some((name) => name && name.toLowerCase().includes(wanted));
}
