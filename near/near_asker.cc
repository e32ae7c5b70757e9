// SPDX-License-Identifier: Apache-2.0
#include "near/near_asker.h"

#include <algorithm>
#include <functional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "analyzer/timeline/pauses.h"
#include "near/asked_packed.h"
#include "nodes/joint_time.h"
#include "words/clean_text.h"

namespace gordian {

absl::StatusOr<pb::NearAnswer> NearAsker::Ask(size_t node, pb::NearQuestion question) {
  question.set_pauses_key(pauses_.key());
  for (bool is_again = false;; is_again = true) {
    auto answer = AskOnce(node, question);
    const bool needs_pauses =
        answer.ok() && answer->has_error() && answer->error().needs_pauses() && !is_again;
    if (needs_pauses) {
      pb::NearQuestion telling;
      *telling.mutable_pauses() = pauses_;
      if (const auto told = AskOnce(node, telling); !told.ok()) return told.status();
      continue;
    }
    if (answer.ok() && answer->has_error())
      return absl::Status(static_cast<absl::StatusCode>(answer->error().code()),
                          CleanText(answer->error().message()));
    return answer;
  }
}

absl::StatusOr<pb::NearAnswer> NearAsker::AskOnce(size_t node, const pb::NearQuestion& question) {
  ++costs_.questions;
  MovedBytes moved;
  auto answer = AskPacked(nodes_, node, question, states_[node].about.takes_packed(), moved);
  costs_.asked_bytes += moved.asked;
  costs_.answered_bytes += moved.answered;
  return answer;
}

std::optional<pb::NearAnswer> NearAsker::AskOfAny(size_t node, const pb::NearQuestion& question) {
  if (!away(node).ok()) return std::nullopt;
  SetAsked(node);
  auto answer = Ask(node, question);
  if (answer.ok()) return *std::move(answer);
  SetAway(node, answer.status());
  return std::nullopt;
}

void NearAsker::SetAway(size_t node, const absl::Status& why) {
  states_[node].away = why;
  Note(absl::StrCat(name(node), " does not answer, so nothing goes on there: ", why.message()));
}

void NearAsker::Note(std::string line) {
  if (std::find(notes_.begin(), notes_.end(), line) == notes_.end())
    notes_.push_back(std::move(line));
}

absl::Status NearAsker::AskAbout() {
  absl::Status first_failure;
  const State* known = nullptr;
  pb::NearQuestion question;
  question.mutable_about();
  for (size_t node = 0; node < size(); ++node) {
    auto answer = Ask(node, question);
    if (answer.ok() && !answer->has_about())
      answer = absl::DataLossError("it answered something else than it was asked");
    if (!answer.ok()) {
      first_failure.Update(answer.status());
      SetAway(node, answer.status());
      continue;
    }
    State& state = states_[node];
    state.about = answer->about();
    costs_.collecting_bytes += state.about.bytes();
    if (known == nullptr) known = &state;
    if (absl::Status status = CheckClock(node, *known); !status.ok()) return status;
    widest_bound_ns_ = std::max(widest_bound_ns_, state.about.clock_bound_ns());
  }
  return known == nullptr ? first_failure : JoinPauses();
}

absl::Status NearAsker::CheckClock(size_t node, const State& known) const {
  const pb::NearAbout& told = about(node);
  const bool is_comparable = told.is_clock_measured() &&
                             told.reference() == known.about.reference() &&
                             told.reference_boot_id() == known.about.reference_boot_id();
  if (size() < 2 || is_comparable) return absl::OkStatus();
  return absl::FailedPreconditionError(absl::StrCat(
      name(node), " did not measure its clock against that of ", CleanText(known.about.reference()),
      ", as a session of gordian start --nodes does; ", kCollectInstead));
}

absl::Status NearAsker::JoinPauses() {
  std::vector<std::pair<uint64_t, uint64_t>> stretches;
  for (const State& state : states_) {
    const pb::NearPauses& own = state.about.pauses();
    for (int i = 0; i < std::min(own.from_ns_size(), own.length_ns_size()); ++i)
      stretches.emplace_back(own.from_ns(i), own.from_ns(i) + own.length_ns(i));
  }
  const bool is_any = !stretches.empty();
  const pb::Session joint = UnionOfPauses(std::move(stretches));
  for (const pb::Pause& pause : joint.pauses()) {
    pauses_.add_from_ns(pause.from_ns());
    pauses_.add_length_ns(pause.to_ns() - pause.from_ns());
  }
  if (is_any) pauses_.set_key(std::hash<std::string>()(pauses_.SerializeAsString()) | 1);
  if (pauses_.ByteSizeLong() > kMostQuestionBytes)
    return absl::ResourceExhaustedError(absl::StrCat(
        "the nodes paused too often for a question to tell all of it; ", kCollectInstead));
  const Pauses pauses(joint, 0);
  for (const State& state : states_)
    if (state.away.ok()) from_ns_ = std::min(from_ns_, pauses.RecordedTime(state.about.start_ns()));
  return absl::OkStatus();
}

NearCosts NearAsker::TakeCosts() {
  for (size_t node = 0; node < size(); ++node)
    if (states_[node].is_asked) costs_.asked_nodes.push_back(name(node));
  return std::move(costs_);
}

}  // namespace gordian
