// SPDX-License-Identifier: Apache-2.0
#include "mpi/rank_traffic.h"

#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "mpi/kept_traffic.h"
#include "traffic/traffic_parts.h"
#include "words/clean_text.h"

namespace gordian {
namespace {

absl::Status StatusOfAnswer(const pb::RankMade& made) {
  return {static_cast<absl::StatusCode>(made.code()), made.failure()};
}

absl::Status DoesNotCheck(const SeenSession& session) {
  return absl::DataLossError(absl::StrCat("what a rank told of the recording of ",
                                          CleanText(session.node), " does not check"));
}

absl::StatusOr<TrafficFacts> FactsOf(const SeenSession& session, const pb::RankMade& made) {
  if (absl::Status status = StatusOfAnswer(made); !status.ok()) return status;
  pb::TrafficFactsAnswer answer;
  TrafficFacts facts;
  if (!answer.ParseFromString(made.answer()) || !facts.session.ParseFromString(answer.session()) ||
      answer.first_ns_size() != answer.last_ns_size())
    return DoesNotCheck(session);
  for (int i = 0; i < answer.first_ns_size(); ++i)
    facts.blocks.push_back({answer.first_ns(i), answer.last_ns(i)});
  return facts;
}

absl::StatusOr<std::vector<TrafficPhase>> PhasesOf(const SeenSession& session, size_t node,
                                                   const pb::RankMade& made) {
  if (absl::Status status = StatusOfAnswer(made); !status.ok()) return status;
  pb::TrafficPhasesAnswer answer;
  if (!answer.ParseFromString(made.answer()) || answer.start_ns_size() != answer.labels_size() ||
      answer.end_ns_size() != answer.labels_size() || answer.pids_size() != answer.labels_size())
    return DoesNotCheck(session);
  std::vector<TrafficPhase> phases;
  phases.reserve(static_cast<size_t>(answer.labels_size()));
  for (int i = 0; i < answer.labels_size(); ++i)
    phases.push_back({.label = answer.labels(i),
                      .start_ns = answer.start_ns(i),
                      .end_ns = answer.end_ns(i),
                      .node = node,
                      .pid = answer.pids(i)});
  return phases;
}

class RankTraffic {
 public:
  RankTraffic(const RankWork& work, const TrafficRequest& request)
      : work_(work), request_(request) {}

  absl::StatusOr<Traffic> Measure() {
    if (absl::Status status = GatherFacts(); !status.ok()) return status;
    const auto options = TrafficOptionsOf(request_, Sources());
    if (!options.ok()) return options.status();
    const auto plan = PlanTraffic(*options, facts_);
    if (!plan.ok()) return plan.status();
    std::vector<DealtUnit> units;
    for (size_t node = 0; node < work_.sessions.size(); ++node) {
      units.push_back(PassOf(node, *plan));
      if (units.back().unit.ByteSizeLong() >= kMostMessageBytes)
        return absl::ResourceExhaustedError(absl::StrCat(
            "--per ", request_.per, ": so many phases that no message between ranks holds them"));
    }
    std::vector<TrafficPart> parts;
    const absl::Status made = work_.make(units, [&](StoredEntry entry) {
      auto part = KeptTrafficPartOf(entry, plan->spans.spans.size());
      if (!part.ok()) return part.status();
      parts.push_back(*std::move(part));
      return absl::OkStatus();
    });
    if (!made.ok()) return made;
    return JoinTraffic(*options, facts_, *plan, parts);
  }

 private:
  DealtUnit UnitOf(const char* kind, const SeenSession& session) const {
    DealtUnit dealt;
    dealt.ranks = session.ranks;
    dealt.cost = session.bytes;
    dealt.unit.set_name(absl::StrCat(kind, " ", session.node));
    return dealt;
  }

  absl::Status GatherFacts() {
    std::vector<DealtUnit> units;
    for (const SeenSession& session : work_.sessions) {
      units.push_back(UnitOf("facts", session));
      units.back().unit.mutable_traffic_facts()->set_directory(session.directory);
    }
    const auto made = work_.ask(units);
    if (!made.ok()) return made.status();
    for (size_t i = 0; i < units.size(); ++i) {
      auto facts = FactsOf(work_.sessions[i], (*made)[i].made);
      if (!facts.ok()) return facts.status();
      facts_.push_back(*std::move(facts));
    }
    return absl::OkStatus();
  }

  TrafficSources Sources() {
    TrafficSources sources;
    for (const SeenSession& session : work_.sessions)
      sources.nodes.push_back({.name = session.node, .directory = session.directory, .rack = {}});
    sources.name_in_cluster = [this](size_t node) -> absl::StatusOr<std::string> {
      return facts_[node].session.node_clock().node();
    };
    sources.phases = [this](size_t node) { return Phases(node); };
    return sources;
  }

  absl::StatusOr<std::vector<TrafficPhase>> Phases(size_t node) {
    const SeenSession& session = work_.sessions[node];
    if (!request_.job.inputs.logs.empty()) {
      if (session.is_carried)
        return absl::FailedPreconditionError(
            absl::StrCat("rank 0 does not see the recording of ", CleanText(session.node),
                         ", by whose clock the log is read; start it where it lies"));
      return TrafficPhasesOf(request_, session.directory, node);
    }
    if (phases_.empty()) {
      std::vector<DealtUnit> units;
      for (const SeenSession& each : work_.sessions) units.push_back(PhasesUnitOf(each));
      auto made = work_.ask(units);
      if (!made.ok()) return made.status();
      phases_ = *std::move(made);
    }
    return PhasesOf(session, node, phases_[node].made);
  }

  DealtUnit PhasesUnitOf(const SeenSession& session) const {
    DealtUnit dealt = UnitOf("phases", session);
    pb::TrafficPhasesUnit& unit = *dealt.unit.mutable_traffic_phases();
    unit.set_directory(session.directory);
    unit.set_per(request_.per);
    unit.set_model(request_.job.model);
    unit.set_zone(request_.job.inputs.zone);
    return dealt;
  }

  DealtUnit PassOf(size_t node, const TrafficPlan& plan) const {
    const SeenSession& session = work_.sessions[node];
    DealtUnit dealt = UnitOf("traffic", session);
    pb::TrafficUnit& unit = *dealt.unit.mutable_traffic();
    unit.set_directory(session.directory);
    unit.set_node(static_cast<uint32_t>(node));
    for (const auto& [moment_ns, shift_ns] : plan.clock.shifts[node].measured()) {
      unit.add_moments_ns(moment_ns);
      unit.add_shifts_ns(shift_ns);
    }
    unit.set_start_ns(plan.spans.start_ns);
    unit.set_interval_ns(plan.spans.interval_ns);
    unit.set_plain_spans(plan.spans.FindKind(SpanKind::kOutside));
    for (const SpanPlan::Instance& phase : plan.spans.instances) {
      unit.add_phase_start_ns(phase.start_ns);
      unit.add_phase_end_ns(phase.end_ns);
      unit.add_phase_span(phase.span);
      unit.add_phase_node(phase.node);
      unit.add_phase_pid(phase.pid);
    }
    return dealt;
  }

  const RankWork& work_;
  const TrafficRequest& request_;
  std::vector<TrafficFacts> facts_;  // by node
  std::vector<MadeUnit> phases_;     // likewise; empty: not asked for yet
};

}  // namespace

absl::StatusOr<Traffic> TrafficOnRanks(const RankWork& work, const TrafficRequest& request) {
  return RankTraffic(work, request).Measure();
}

}  // namespace gordian
