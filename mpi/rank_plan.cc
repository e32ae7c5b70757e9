// SPDX-License-Identifier: Apache-2.0
#include "mpi/rank_plan.h"

#include <span>
#include <utility>

#include "absl/strings/str_cat.h"
#include "store/entry_format.h"

namespace gordian {
namespace {

constexpr char kPlanSection[] = "plan";
constexpr char kPointsSection[] = "points";

// A point of a clock's bounds, without a byte left to chance.
struct KeptClockPoint {
  uint64_t time_ns = 0;
  int64_t lowest_ns = 0;
  int64_t highest_ns = 0;
  uint64_t jumps = 0;
};

pb::RankPlan Told(const RankPlan& plan) {
  pb::RankPlan told;
  for (size_t i = 0; i < plan.facts.size(); ++i) {
    pb::RankPlanNode& node = *told.add_nodes();
    *node.mutable_facts() = RankNodeOf(plan.facts[i]);
    *node.mutable_timeline() = plan.timelines[i];
    *node.mutable_senders() = plan.senders[i];
    node.set_points(plan.bounds[i].points().size());
    node.set_drift_ppb(plan.bounds[i].drift_ppb());
    if (!plan.moved.empty()) *node.mutable_moved() = plan.moved[i];
  }
  for (const NodeWay& way : plan.joining.ways) {
    told.add_ways(way.from);
    told.add_ways(way.to);
  }
  return told;
}

std::vector<KeptClockPoint> PointsOf(const RankPlan& plan) {
  std::vector<KeptClockPoint> points;
  for (const ClockBounds& bounds : plan.bounds) {
    for (const ClockBounds::Point& point : bounds.points())
      points.push_back({point.time_ns, point.range.lowest_ns, point.range.highest_ns,
                        point.jumps ? uint64_t{1} : 0});
  }
  return points;
}

absl::Status Contradicts() { return absl::DataLossError("a kept plan contradicts itself"); }

}  // namespace

pb::RankNode RankNodeOf(const NodeFacts& facts) {
  pb::RankNode node;
  node.set_name(facts.name);
  *node.mutable_session() = facts.session;
  node.set_start_ns(facts.start_ns);
  node.set_end_ns(facts.end_ns);
  for (const auto& [from_ns, to_ns] : facts.pauses.Stretches()) {
    node.add_pauses(from_ns);
    node.add_pauses(to_ns);
  }
  node.set_threads(facts.threads);
  node.set_pseudo_threads(facts.pseudo_threads);
  node.set_devices(facts.devices);
  node.set_cgroups(facts.cgroups);
  return node;
}

NodeFacts FactsOf(const pb::RankNode& node) {
  std::vector<std::pair<uint64_t, uint64_t>> pauses;
  for (int i = 0; i + 1 < node.pauses_size(); i += 2)
    pauses.emplace_back(node.pauses(i), node.pauses(i + 1));
  return {.name = node.name(),
          .session = node.session(),
          .start_ns = node.start_ns(),
          .end_ns = node.end_ns(),
          .pauses = Pauses(pauses),
          .threads = node.threads(),
          .pseudo_threads = node.pseudo_threads(),
          .devices = node.devices(),
          .cgroups = node.cgroups()};
}

std::vector<std::string> RankPlan::names() const {
  std::vector<std::string> names;
  names.reserve(facts.size());
  for (const NodeFacts& node : facts) names.push_back(node.name);
  return names;
}

void FinishPlan(std::vector<NodeWay> ways, RankPlan& plan) {
  plan.joining = PlanJoining(plan.facts, plan.bounds);
  plan.joining.ways = std::move(ways);
  plan.pauses = Pauses(plan.joining.pauses);
}

std::string HashOfPlan(const RankPlan& plan) {
  const std::string told = Told(plan).SerializeAsString();
  const std::vector<KeptClockPoint> points = PointsOf(plan);
  return absl::StrCat(ContentHash(std::as_bytes(std::span(told.data(), told.size()))), "-",
                      ContentHash(std::as_bytes(std::span(points))));
}

void KeepPlan(const RankPlan& plan, StoreWriter& writer) {
  writer.AddMessage(kPlanSection, Told(plan));
  writer.AddColumn<KeptClockPoint>(kPointsSection, PointsOf(plan));
}

absl::StatusOr<RankPlan> KeptPlanOf(StoredEntry& entry) {
  pb::RankPlan told;
  if (absl::Status status = entry.Message(kPlanSection, told); !status.ok()) return status;
  const auto points = entry.Column<KeptClockPoint>(kPointsSection);
  if (!points.ok()) return points.status();
  RankPlan plan;
  std::span<const KeptClockPoint> left = *points;
  for (const pb::RankPlanNode& node : told.nodes()) {
    if (node.points() == 0 || node.points() > left.size()) return Contradicts();
    std::vector<ClockBounds::Point> own;
    own.reserve(node.points());
    for (const KeptClockPoint& point : left.first(node.points()))
      own.push_back({point.time_ns, {point.lowest_ns, point.highest_ns}, point.jumps != 0});
    left = left.subspan(node.points());
    plan.facts.push_back(FactsOf(node.facts()));
    plan.bounds.push_back(ClockBounds::OfPoints(std::move(own), node.drift_ppb()));
    plan.timelines.push_back(node.timeline());
    plan.senders.push_back(node.senders());
    if (node.has_moved()) plan.moved.push_back(node.moved());
  }
  std::vector<NodeWay> ways;
  for (int i = 0; i + 1 < told.ways_size(); i += 2) {
    const NodeWay way{told.ways(i), told.ways(i + 1)};
    if (way.from >= plan.facts.size() || way.to >= plan.facts.size()) return Contradicts();
    ways.push_back(way);
  }
  if (!left.empty() || plan.facts.empty() ||
      (!plan.moved.empty() && plan.moved.size() != plan.facts.size()))
    return Contradicts();
  FinishPlan(std::move(ways), plan);
  return plan;
}

absl::StatusOr<std::vector<pb::RankKey>> KeptPartsOf(StoredEntry& entry) {
  pb::RankPlan told;
  if (absl::Status status = entry.Message(kPlanSection, told); !status.ok()) return status;
  std::vector<pb::RankKey> parts;
  for (const pb::RankPlanNode& node : told.nodes()) parts.push_back(node.moved());
  return parts;
}

}  // namespace gordian
