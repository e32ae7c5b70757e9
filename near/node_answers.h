// SPDX-License-Identifier: Apache-2.0
// Answers what is asked about one node's recording (schema/near.proto). It is read at the first
// question, and kept.
//
// Questions come from another machine: nothing in them is believed. An answer has
// kMostNearAnswerBytes at most; a question that would have a longer one gets an error that says so.
#pragma once

#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "analysis/recorded_phases.h"
#include "causes/causes.h"
#include "near/near_recording.h"
#include "near/node_views.h"
#include "query/query.h"
#include "schema/near.pb.h"

namespace gordian {

// What gRPC takes in one message, less a reserve.
inline constexpr size_t kMostNearAnswerBytes = 3 << 20;
// … of a question, unpacked.
inline constexpr size_t kMostNearQuestionBytes = 1 << 20;
// A part of a slice has no more stretches, whatever is asked for: 40 bytes each.
inline constexpr uint32_t kMostPartStretches = 50'000;

// What a question gets that does not fit to the recording.
absl::Status NotOfThisNode();

class NodeAnswers {
 public:
  NodeAnswers(std::string directory, int threads)
      : directory_(std::move(directory)), threads_(threads), views_(directory_, threads) {}

  // Never fails: what went wrong is the answer.
  pb::NearAnswer Answer(const pb::NearQuestion& question);

 private:
  pb::NearAnswer AnswerUnpacked(const pb::NearQuestion& question);
  absl::StatusOr<pb::NearAnswer> TryToAnswer(const pb::NearQuestion& question);
  absl::Status TakePauses(const pb::NearPauses& pauses);
  absl::Status Read();
  absl::StatusOr<pb::NearThread> ThreadOf(const pb::NearThreadQuestion& question) const;
  absl::StatusOr<pb::NearPart> PartOf(const pb::NearPartQuestion& question) const;
  absl::StatusOr<pb::NearSenders> SendersOf(const pb::NearSendersQuestion& question) const;
  absl::StatusOr<pb::NearSenders> WritersOf(const pb::NearWritersQuestion& question) const;
  absl::StatusOr<pb::NearSums> SumsOf(const pb::NearSumsQuestion& question) const;
  void TellOwn(const pb::NearSumsQuestion& question, pb::NearSums& answer) const;
  absl::StatusOr<pb::NearRows> RowsOf(const pb::NearSqlQuestion& question);
  absl::StatusOr<pb::NearView> ViewOf(const pb::NearViewQuestion& question);

  const std::string directory_;
  const int threads_;
  pb::NearPauses pauses_;
  std::unique_ptr<NearRecording> node_;
  std::unique_ptr<const RecordedPhases> phases_;
  std::unique_ptr<const ExecutionGraph> graph_;
  NodeViews views_;
  std::unique_ptr<QueryDatabase> database_;  // of their analysis
};

}  // namespace gordian
