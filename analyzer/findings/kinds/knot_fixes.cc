// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <optional>

#include "absl/strings/str_cat.h"
#include "analyzer/findings/evidence/thresholds.h"
#include "analyzer/findings/kinds/knot_advice.h"

namespace gordian {
namespace {

double OwnNs(const Edge& edge) { return static_cast<double>(edge.own_ns); }

bool IsWorthIt(const Case& it, const Edge& edge) {
  return ShareOfLife(it, edge.from, OwnNs(edge)) >= kMatters;
}

double ShareAsleep(const Case& it, uint32_t vertex) {
  double asleep_ns = 0;
  for (const Edge& edge : it.measures().edges_from(vertex)) {
    if (it.vertex(edge.to).kind == VertexKind::kTimer) asleep_ns += OwnNs(edge);
  }
  return ShareOfLife(it, vertex, asleep_ns);
}

// Waits for kernel threads that pass on a disk's completions are waits for the disk.
uint32_t BehindRelays(const Case& it, uint32_t from, uint32_t to) {
  if (!it.vertex(to).has_threads() || !it.vertex(to).kernel_thread) return to;
  for (const Edge& edge : it.measures().edges_from(from)) {
    const Edge* passed_on = it.measures().FindEdge(to, edge.to);
    if (it.vertex(edge.to).kind == VertexKind::kDisk && passed_on != nullptr &&
        passed_on->own_ns > 0)
      return edge.to;
  }
  return to;
}

// A member waits for a thread outside of the target that mostly sleeps: it answers each request
// after a while, and could answer more of them at a time.
bool WaitsForOutsiderByTheClock(const Case& it) {
  for (const uint32_t member : it.limit.members) {
    for (const Edge& edge : it.measures().edges_from(member)) {
      if (it.vertex(edge.to).has_threads() && !it.evidence.IsTarget(edge.to) &&
          IsWorthIt(it, edge) && !it.measures().Asks(edge.to, member) &&
          ShareAsleep(it, edge.to) >= kMostOfTheTime)
        return true;
    }
  }
  return false;
}

NaturalFix NotToWaitFor(uint32_t from, uint32_t to) {
  return {.change = FixChange::kAsync, .who = from, .whom = to};
}

// The heaviest wait of a circle may be a wait for work. A thread of the circle that waits for a
// disk may hold all others up.
std::optional<NaturalFix> DiskInCircle(const Case& it) {
  const Edge* heaviest = nullptr;
  for (const uint32_t member : it.limit.members) {
    if (!it.vertex(member).has_threads() || it.vertex(member).kernel_thread) continue;
    for (const Edge& edge : it.measures().edges_from(member)) {
      if (!it.limit.has_member(edge.to) || it.vertex(edge.to).kind != VertexKind::kDisk ||
          !IsWorthIt(it, edge))
        continue;
      if (heaviest == nullptr || edge.own_ns > heaviest->own_ns) heaviest = &edge;
    }
  }
  if (heaviest == nullptr) return std::nullopt;
  return NotToWaitFor(heaviest->from, heaviest->to);
}

// Threads that take turns at a disk wait for it one at a time, so however many there are, it is for
// a part of the recording, and not of all their lives.
bool TakesTurnsAt(const Case& it, const Edge& edge) {
  const auto span_ns = static_cast<double>(it.measures().span_ns());
  return OwnNs(edge) >= kMattersMuch * span_ns && OwnNs(edge) <= span_ns;
}

const Edge* LongestWaitForDisk(const Case& it, uint32_t vertex) {
  const Edge* longest = nullptr;
  for (const Edge& edge : it.measures().edges_from(vertex)) {
    if (it.vertex(edge.to).kind != VertexKind::kDisk) continue;
    if (!IsWorthIt(it, edge) && !TakesTurnsAt(it, edge)) continue;
    if (longest == nullptr || edge.own_ns > longest->own_ns) longest = &edge;
  }
  return longest;
}

// Threads that take turns at a disk flush (reads need no turns): the fix is that they do not. If
// that is little of their lives, they may as well take turns at something else.
NaturalFixes OfAlikeThreads(const Case& it, uint32_t vertex) {
  NaturalFixes found;
  found.fixes.push_back(FewerWakes(vertex));
  const Edge* const disk = LongestWaitForDisk(it, vertex);
  if (disk != nullptr)
    found.fixes.push_back({.change = FixChange::kSkip, .who = vertex, .whom = disk->to});
  if (disk == nullptr || !IsWorthIt(it, *disk))
    found.fixes.push_back({.change = FixChange::kLock, .who = vertex, .whom = vertex});
  found.fixes.push_back({.change = FixChange::kBatch, .who = vertex, .whom = vertex});
  return found;
}

NaturalFixes OfWaitForThread(const Case& it, uint32_t from, uint32_t to) {
  NaturalFixes found;
  if (ThreadsOf(it, from) > 1) found.fixes.push_back(FewerWakes(from));
  found.fixes.push_back(NotToWaitFor(from, to));
  if (std::optional<NaturalFix> disk = DiskInCircle(it)) found.fixes.push_back(*std::move(disk));
  if (ThreadsOf(it, to) > 1) found.fixes.push_back(MoreThreads(it, to));
  found.fixes.push_back(MoreInFlight(from));
  return found;
}

}  // namespace

NaturalFixes KnotFixes(const Case& it) {
  const uint32_t from = it.limit.attack->from;
  const uint32_t to = BehindRelays(it, from, it.limit.attack->to);
  const VertexKind whom = it.vertex(to).kind;
  if (from == to && it.vertex(from).has_threads() && IsMemberOutside(it, from))
    return OfAlikeThreads(it, from);
  if (!it.vertex(from).has_threads() || whom == VertexKind::kNic)
    return NoFix("a replay knows nothing of the other end");
  if (whom == VertexKind::kLink) return NoFixOfLink(it, to);
  if (IsMemberOutside(it, from))
    return NoFix(absl::StrCat(it.Does(from, "is", "are"), " not of the target, and what waits"));
  if (IsMemberOutside(it, to) || WaitsForOutsiderByTheClock(it)) return {{MoreInFlight(from)}, ""};
  if (from == to) return OfAlikeThreads(it, from);
  if (whom == VertexKind::kDisk) return {{NotToWaitFor(from, to)}, ""};
  if (it.vertex(to).has_threads()) return OfWaitForThread(it, from, to);
  return NoFix(absl::StrCat("what ", it.Name(to), " stands for was not recorded"));
}

}  // namespace gordian
