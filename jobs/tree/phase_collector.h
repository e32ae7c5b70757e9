// SPDX-License-Identifier: Apache-2.0
// Makes a Job of the words of logs, probes and spans.
//
// Sources tell their facts: a phase of a type, with these keys from the root down, begins or ends,
// or lasted from then to then. At the end each phase finds its parent: the one the source named,
// else the phase of the parent's type that has no other keys and was under way. If no source told
// of the parent itself, it is made, as long as the phases in it. Everything that does not fit is
// counted (phase_* and blocked_* in trace/counters.cc).
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/inlined_vector.h"
#include "jobs/job/job.h"
#include "jobs/tree/found_phases.h"
#include "jobs/tree/measured_resources.h"
#include "jobs/tree/phase_types.h"
#include "jobs/tree/tally.h"

namespace gordian {

// Which phase is meant.
struct PhaseMark {
  PhaseTypeId type = 0;
  std::span<const std::string_view> keys;  // from the root's on; empty ones, and those that are
                                           // left out at the end, are not told
  std::string_view node;
  int32_t pid = 0;
  int32_t tid = 0;
};

class PhaseCollector {
 public:
  static constexpr size_t kMaxPhases = 10'000'000;
  static constexpr size_t kMaxBlocked = 10'000'000;

  PhaseCollector(const PhaseModel& model, Tally& tally);

  PhaseTypes& types() { return types_; }
  MeasuredResources& resources() { return resources_; }
  // Of phases whose mark names no node.
  void set_default_node(std::string_view node) { default_node_ = found_.texts.Number(node); }
  std::string default_node() const { return std::string(found_.texts.Text(default_node_)); }

  // A source that names `other_name` means `node`.
  void set_node_name(std::string_view other_name, std::string_view node) {
    node_names_[std::string(other_name)] = std::string(node);
  }
  std::string NodeName(std::string_view node) const {
    const auto known = node_names_.find(std::string(node));
    return known == node_names_.end() ? std::string(node) : known->second;
  }

  // These return the phase's number, by which it can be named below; kNoId if there is none.
  uint32_t Begin(const PhaseMark& mark, uint64_t time_ns);
  uint32_t End(const PhaseMark& mark, uint64_t time_ns);
  uint32_t Add(const PhaseMark& mark, uint64_t start_ns, uint64_t end_ns);
  bool IsOpen(const PhaseMark& mark);

  // For sources that know the tree themselves. `parent` kNoId: the root.
  uint32_t BeginWithin(uint32_t parent, const PhaseMark& mark, uint64_t time_ns);
  uint32_t AddWithin(uint32_t parent, const PhaseMark& mark, uint64_t start_ns, uint64_t end_ns);
  // Its parent is found by keys and time, and SetEnd ends it.
  uint32_t BeginAlone(const PhaseMark& mark, uint64_t time_ns);
  void SetEnd(uint32_t phase, uint64_t time_ns);
  void SetAfter(uint32_t phase, std::vector<uint32_t> others);
  void SetPlace(uint32_t phase, std::string_view node, int32_t pid);
  PhaseTypeId TypeOf(uint32_t phase) const { return found_.phases[phase].type; }

  void BlockedBegin(const PhaseMark& mark, std::string_view resource, uint64_t time_ns);
  void BlockedEnd(const PhaseMark& mark, std::string_view resource, uint64_t time_ns);
  void Blocked(const PhaseMark& mark, std::string_view resource, uint64_t start_ns,
               uint64_t end_ns);
  void BlockedPhase(uint32_t phase, std::string_view resource, uint64_t start_ns, uint64_t end_ns);

  // Leaves the collector empty.
  Job Finish();

 private:
  uint32_t NodeNumber(std::string_view node) {
    return node_names_.empty() ? found_.texts.Number(node) : found_.texts.Number(NodeName(node));
  }
  using Identity = absl::InlinedVector<uint32_t, 12>;
  FoundPhase Make(const PhaseMark& mark, uint64_t start_ns, uint64_t end_ns);
  Identity IdentityOf(const PhaseMark& mark);
  uint32_t Keep(FoundPhase phase);
  bool KeepBlocked(const FoundBlocked& blocked);
  ResourceId BlockingResource(std::string_view name, uint32_t node);
  void Saw(uint64_t time_ns);

  Tally& tally_;
  PhaseTypes types_;
  MeasuredResources resources_;
  FoundPhases found_;
  uint32_t default_node_ = 0;
  absl::flat_hash_map<std::string, std::string> node_names_;
  absl::flat_hash_map<Identity, uint32_t> open_;
  absl::flat_hash_map<Identity, uint32_t> open_blocked_;  // of found_.blocked
};

}  // namespace gordian
