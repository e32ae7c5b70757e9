// SPDX-License-Identifier: Apache-2.0
#include "loglines/told_blame.h"

#include <algorithm>
#include <array>
#include <map>
#include <string_view>
#include <tuple>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "words/clean_text.h"
#include "words/moment_text.h"
#include "words/quantities.h"
#include "words/vertex_labels.h"

namespace gordian {
namespace {

constexpr std::array<std::string_view, 7> kChargeNames = {"run",    "ready", "disk",   "link",
                                                          "device", "timer", "unknown"};
// More waits are told by their sums in the charges alone.
constexpr size_t kMostLostEdges = 200;
// A sentence with more of them is no longer read.
constexpr size_t kMostInSentence = 4;

// Waits alike within one wait.
struct WaitGroup {
  BlamedWait longest;
  int32_t parent = -1;  // a group
  uint64_t count = 0;
  uint64_t all_ns = 0;
  // Of that, the thread waited for was on a CPU, or ready for one, itself.
  uint64_t runs_ns = 0;
  uint64_t ready_ns = 0;
};

// A parent before its children.
std::vector<WaitGroup> GroupsOf(const Blame& blame) {
  std::vector<WaitGroup> groups;
  std::vector<int32_t> group_of(blame.waits.size());
  using Key = std::tuple<int32_t, EntityId, EntityId, BlameKind, bool>;
  std::map<Key, int32_t> numbers;
  for (size_t i = 0; i < blame.waits.size(); ++i) {
    const BlamedWait& wait = blame.waits[i];
    const int32_t parent = wait.parent == kNoBlamedWait ? -1 : group_of[wait.parent];
    const Key key = {parent, wait.waiter, wait.waited_for, wait.kind, wait.in_vain};
    const auto [at, is_new] = numbers.try_emplace(key, static_cast<int32_t>(groups.size()));
    if (is_new) groups.push_back({.longest = wait, .parent = parent});
    group_of[i] = at->second;
    WaitGroup& group = groups[static_cast<size_t>(at->second)];
    ++group.count;
    group.all_ns += wait.to_ns - wait.from_ns;
    if (wait.to_ns - wait.from_ns > group.longest.to_ns - group.longest.from_ns)
      group.longest = wait;
  }
  for (const BlameStep& step : blame.steps) {
    if (step.wait == kNoBlamedWait) continue;
    WaitGroup& group = groups[static_cast<size_t>(group_of[step.wait])];
    const uint64_t time_ns = step.to_ns - step.from_ns;
    if (step.kind == BlameKind::kRun) group.runs_ns += time_ns;
    if (step.kind == BlameKind::kReady) group.ready_ns += time_ns;
  }
  return groups;
}

std::string AwaitedPhrase(const Timeline& timeline, const BlamedWait& wait) {
  switch (wait.kind) {
    case BlameKind::kRun:
      return WhoOf(timeline, wait.waited_for);
    case BlameKind::kDisk:
      return wait.waited_for == kNobody ? "a disk" : WhoOf(timeline, wait.waited_for);
    case BlameKind::kLink:
      return absl::StrCat("a message under way on ", WhoOf(timeline, wait.waited_for));
    case BlameKind::kTimer:
      return "a time of its own (a sleep or a timeout)";
    case BlameKind::kDevice:
      return WhoOf(timeline, wait.waited_for);
    case BlameKind::kReady:
    case BlameKind::kUnknown:
      break;
  }
  return wait.waited_for == kNobody ? "something that was not recorded"
                                    : WhoOf(timeline, wait.waited_for);
}

// The child with the most time; -1: there is none.
int32_t LargestChild(const std::vector<WaitGroup>& groups, int32_t parent) {
  int32_t largest = -1;
  for (size_t i = 0; i < groups.size(); ++i) {
    if (groups[i].parent != parent) continue;
    if (largest < 0 || groups[i].all_ns > groups[static_cast<size_t>(largest)].all_ns)
      largest = static_cast<int32_t>(i);
  }
  return largest;
}

std::string WaitWords(const Timeline& timeline, const WaitGroup& group) {
  std::string words = absl::StrCat("waited ", FormatDuration(group.all_ns), " ",
                                   group.longest.in_vain ? "in vain for " : "for ",
                                   AwaitedPhrase(timeline, group.longest));
  if (group.count > 1) absl::StrAppend(&words, " (", FormatCount(group.count, "time"), ")");
  return words;
}

// What a thread did itself in a wait for it, or in all of its work.
struct OwnTimes {
  uint64_t runs_ns = 0;
  uint64_t ready_ns = 0;
  uint64_t largest_ns() const { return std::max(runs_ns, ready_ns); }
  std::string Words() const {
    return runs_ns >= ready_ns
               ? absl::StrCat("ran for ", FormatDuration(runs_ns))
               : absl::StrCat("was ready for ", FormatDuration(ready_ns), " without a CPU");
  }
};

// Follows the largest part of each wait down: what the one waited for waited for, until most of it
// is its own work.
std::string AnswerOf(const Timeline& timeline, const std::vector<WaitGroup>& groups,
                     const OwnTimes& own, EntityId thread, uint64_t since_ns, uint64_t at_ns) {
  std::string answer = absl::StrCat("Before this line, ", WhoOf(timeline, thread), " ");
  OwnTimes part = own;
  int32_t at = -1;
  for (size_t depth = 0; depth < kMostInSentence; ++depth) {
    if (depth > 0) answer += depth == 1 ? ", which " : ", and that one ";
    const int32_t child = LargestChild(groups, at);
    const bool is_wait =
        child >= 0 && groups[static_cast<size_t>(child)].all_ns >= part.largest_ns();
    answer += is_wait ? WaitWords(timeline, groups[static_cast<size_t>(child)]) : part.Words();
    if (!is_wait) break;
    const WaitGroup& wait = groups[static_cast<size_t>(child)];
    if (wait.longest.kind != BlameKind::kRun) break;  // a device does nothing itself
    part = {wait.runs_ns, wait.ready_ns};
    at = child;
    if (LargestChild(groups, at) < 0 && part.largest_ns() == 0) break;
  }
  return absl::StrCat(answer, ". Its work took ", FormatDuration(at_ns - since_ns), ", from ",
                      MomentText(since_ns - timeline.start_ns()), " to ",
                      MomentText(at_ns - timeline.start_ns()), " of the recording.");
}

void TellCharges(const Timeline& timeline, const Blame& blame, pb::LogExplanation& told) {
  std::map<std::pair<EntityId, BlameKind>, uint64_t> sums;
  for (const BlameStep& step : blame.steps) {
    const bool is_device = step.device != kNobody;
    sums[{is_device ? step.device : step.thread, step.kind}] += step.to_ns - step.from_ns;
  }
  std::vector<std::pair<std::pair<EntityId, BlameKind>, uint64_t>> rows(sums.begin(), sums.end());
  std::stable_sort(rows.begin(), rows.end(),
                   [](const auto& a, const auto& b) { return a.second > b.second; });
  for (const auto& [what, time_ns] : rows) {
    pb::TimeCharge& charge = *told.add_charges();
    charge.set_name(WhoOf(timeline, what.first));
    charge.set_state(std::string(kChargeNames[static_cast<size_t>(what.second)]));
    charge.set_time_ns(time_ns);
  }
}

void TellEdges(const Timeline& timeline, const std::vector<WaitGroup>& groups,
               pb::LogExplanation& told) {
  // A wait is no shorter than those within it: so the largest ones bring their parents along.
  std::vector<size_t> by_time(groups.size());
  for (size_t i = 0; i < by_time.size(); ++i) by_time[i] = i;
  std::stable_sort(by_time.begin(), by_time.end(),
                   [&groups](size_t a, size_t b) { return groups[a].all_ns > groups[b].all_ns; });
  std::vector<uint8_t> is_told(groups.size());
  for (size_t i = 0; i < std::min(by_time.size(), kMostLostEdges); ++i) is_told[by_time[i]] = 1;
  std::vector<std::vector<size_t>> children(groups.size() + 1);  // by parent + 1, largest first
  for (const size_t group : by_time) {
    if (is_told[group] != 0)
      children[static_cast<size_t>(int64_t{groups[group].parent} + 1)].push_back(group);
  }
  std::vector<std::pair<size_t, int32_t>> open;  // with the parent's place among those told
  for (auto at = children[0].rbegin(); at != children[0].rend(); ++at) open.emplace_back(*at, -1);
  while (!open.empty()) {
    const auto [number, parent] = open.back();
    open.pop_back();
    const WaitGroup& group = groups[number];
    const auto place = told.edges_size();
    pb::LostEdge& edge = *told.add_edges();
    edge.set_waiter(WhoOf(timeline, group.longest.waiter));
    edge.set_waited_for(AwaitedPhrase(timeline, group.longest));
    edge.set_kind(group.longest.kind == BlameKind::kRun
                      ? "thread"
                      : std::string(kChargeNames[static_cast<size_t>(group.longest.kind)]));
    edge.set_from_ns(group.longest.from_ns - timeline.start_ns());
    edge.set_to_ns(group.longest.to_ns - timeline.start_ns());
    edge.set_in_vain(group.longest.in_vain);
    edge.set_parent(parent);
    edge.set_count(group.count);
    edge.set_all_ns(group.all_ns);
    const std::vector<size_t>& inner = children[number + 1];
    for (auto at = inner.rbegin(); at != inner.rend(); ++at) open.emplace_back(*at, place);
  }
}

}  // namespace

std::string WhoOf(const Timeline& timeline, EntityId id) {
  if (id >= timeline.entities().size()) return "something that was not recorded";
  const Entity& entity = timeline.entities()[id];
  std::string label;
  if (id < timeline.thread_count()) {
    label = ThreadLabel(entity.name, entity.tid);
  } else if (entity.kind == EntityKind::kDisk && !absl::StartsWith(entity.name, "disk")) {
    label = absl::StrCat("disk ", entity.name);
  } else if (entity.kind == EntityKind::kUnknown) {
    label = "an unknown cause";
  } else if (entity.kind == EntityKind::kNic) {
    label = absl::StrCat("network ", entity.name);
  } else {
    label = entity.name;
  }
  label = CleanText(label);
  if (timeline.nodes().empty() || entity.kind == EntityKind::kLink) return label;
  return absl::StrCat(CleanText(timeline.nodes()[entity.node]), "/", label);
}

void TellBlame(const Timeline& timeline, const Blame& blame, EntityId thread, uint64_t since_ns,
               uint64_t at_ns, pb::LogExplanation& told) {
  const std::vector<WaitGroup> groups = GroupsOf(blame);
  TellCharges(timeline, blame, told);
  TellEdges(timeline, groups, told);
  OwnTimes own;
  for (const BlameStep& step : blame.steps) {
    if (step.wait != kNoBlamedWait) continue;
    if (step.kind == BlameKind::kRun) own.runs_ns += step.to_ns - step.from_ns;
    if (step.kind == BlameKind::kReady) own.ready_ns += step.to_ns - step.from_ns;
  }
  told.set_answer(AnswerOf(timeline, groups, own, thread, since_ns, at_ns));
}

}  // namespace gordian
