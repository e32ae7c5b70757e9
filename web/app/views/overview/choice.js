// SPDX-License-Identifier: Apache-2.0
// Which vertices and edges the picture shows: the finding's members, and around them the vertices with the heaviest edges to
// what is already there. The rest comes on demand, so that two thousand threads cost as much as twenty.
import {key} from "./data.js";

export const moreNeighbours = 14;
const firstNeighbours = 14, mostMembers = 24, leastShare = 0.005;
const inScope = (vertex) => vertex.in_scope || vertex.target;

// What stands in the middle for a finding; for none, what is waited for most.
export function centreOf({limits, vertices, edges, report}, finding) {
  // A finding about phases has no members: then the first that has.
  const drawn = finding?.members.length ? finding : limits.find((one) => one.members.length);
  const members = drawn ? drawn.members.filter((id) => vertices.has(id)) : [];
  if (members.length > 0) return members.slice(0, mostMembers);
  const weight = new Map();
  for (const edge of edges) if (edge.to !== edge.from) weight.set(edge.to, (weight.get(edge.to) || 0) + edge.weight_s);
  const heaviest = [...weight].sort((a, b) => b[1] - a[1])[0];
  const any = heaviest ? heaviest[0] : report.vertices[0]?.id;
  return any === undefined ? [] : [any];
}

// The next `number` vertices, heaviest edge first.
export function neighbours({touching, vertices}, ids, number, least, wanted = () => true) {
  const have = new Set(ids), best = new Map();
  for (const id of ids) {
    for (const edge of touching.get(id)) {
      const other = edge.from === id ? edge.to : edge.from;
      if (have.has(other) || !wanted(vertices.get(other))) continue;
      if (edge.weight_s >= least && edge.weight_s > (best.get(other) ?? -1)) best.set(other, edge.weight_s);
    }
  }
  return [...best].sort((a, b) => b[1] - a[1]).slice(0, number).map((entry) => entry[0]);
}

export function surroundings(data, ids) {
  const least = leastShare * data.recording.seconds;
  // Next to the finding everybody; a step further only who belongs to what was analyzed.
  const all = [...ids, ...neighbours(data, ids, firstNeighbours, least)];
  all.push(...neighbours(data, all, firstNeighbours - (all.length - ids.length), least, inScope));
  return all;
}

// The names ("1>2") of the edges that a finding is about.
export function knotEdges({edges}, finding) {
  if (!finding) return new Set();
  const about = new Set(finding.edges.map((edge) => key(edge.from, edge.to)));
  if (finding.edge) about.add(key(finding.edge.from, finding.edge.to));
  if (finding.edges.length > 0 || finding.kind !== "knot") return about;
  const members = new Set(finding.members);
  for (const edge of edges) if (members.has(edge.from) && members.has(edge.to)) about.add(key(edge.from, edge.to));
  return about;
}

export function edgesAmong({touching}, ids, knot) {
  const have = new Set(ids);
  const all = ids.flatMap((id) => touching.get(id).filter((edge) => edge.from === id && have.has(edge.to)));
  const heaviest = Math.max(0, ...all.map((edge) => edge.weight_s));
  return all.filter((edge) => knot.has(key(edge.from, edge.to)) || edge.weight_s >= heaviest * 0.002).slice(0, 400);
}
