// SPDX-License-Identifier: Apache-2.0
// Asks the nodes of a slice: counts what that takes, tells them the pauses of all, and knows who
// does not answer.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "near/near_slice.h"
#include "schema/near.pb.h"

namespace gordian {

// What answers a question that nodes alone cannot.
inline constexpr char kCollectInstead[] =
    "gordian collect, then gordian slice on the folder, finds it (or gordian-mpi, where it lies)";
// Both ends of gRPC: a request has 64 KiB at most.
inline constexpr size_t kMostQuestionBytes = 60'000;

class NearAsker {
 public:
  explicit NearAsker(const NearNodes& nodes) : nodes_(nodes), states_(nodes.names.size()) {}

  // Asks all when their recordings begin, and joins their pauses: all times are without these from
  // then on. The first failure if no node answers.
  absl::Status AskAbout();

  // Whoever does not know the pauses of all nodes is told, and asked again.
  absl::StatusOr<pb::NearAnswer> Ask(size_t node, pb::NearQuestion question);
  // Nothing if that node does not answer, now or before.
  std::optional<pb::NearAnswer> AskOfAny(size_t node, const pb::NearQuestion& question);

  void SetAsked(size_t node) { states_[node].is_asked = true; }
  // It is asked nothing more, and told why.
  void SetAway(size_t node, const absl::Status& why);
  // A line for people; each once.
  void Note(std::string line);

  size_t size() const { return states_.size(); }
  const NearNodes& nodes() const { return nodes_; }
  const std::string& name(size_t node) const { return nodes_.names[node]; }
  const absl::Status& away(size_t node) const { return states_[node].away; }
  const pb::NearAbout& about(size_t node) const { return states_[node].about; }
  uint64_t from_ns() const { return from_ns_; }  // the first node's start
  // By how much a clock is in doubt, at worst.
  uint64_t widest_bound_ns() const { return widest_bound_ns_; }
  uint64_t questions() const { return costs_.questions; }

  NearCosts TakeCosts();
  std::vector<std::string> TakeNotes() { return std::move(notes_); }

 private:
  struct State {
    absl::Status away;  // why it does not answer
    pb::NearAbout about;
    bool is_asked = false;  // for more than about
  };
  absl::StatusOr<pb::NearAnswer> AskOnce(size_t node, const pb::NearQuestion& question);
  absl::Status CheckClock(size_t node, const State& known) const;
  absl::Status JoinPauses();

  const NearNodes& nodes_;
  std::vector<State> states_;
  pb::NearPauses pauses_;
  uint64_t from_ns_ = UINT64_MAX;
  uint64_t widest_bound_ns_ = 0;
  NearCosts costs_;
  std::vector<std::string> notes_;
};

}  // namespace gordian
