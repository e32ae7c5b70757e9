// SPDX-License-Identifier: Apache-2.0
#include "mpi/rank_slice.h"

#include <utility>

#include "absl/strings/ascii.h"
#include "mpi/rank_analysis.h"
#include "mpi/rank_participation.h"

namespace gordian {

absl::StatusOr<RecordedSlice> SliceOnRanks(const RankWork& work, const SliceQuestion& question,
                                           const AnalysisOptions& options) {
  auto recording = work.settle();
  if (!recording.ok()) return recording.status();
  const auto phases = PhasesOfWork(work, *recording);
  if (!phases.ok()) return phases.status();
  return SliceIn(*std::move(recording), *phases, question, options.threads);
}

absl::StatusOr<pb::CriticalPath> CriticalPathOnRanks(const RankWork& work,
                                                     const SliceQuestion& question,
                                                     const AnalysisOptions& options) {
  const auto recording = work.settle();
  if (!recording.ok()) return recording.status();
  const auto phases = PhasesOfWork(work, *recording);
  if (!phases.ok()) return phases.status();
  return CriticalPathIn(*recording, *phases, question, options.threads);
}

absl::StatusOr<Analysis> PhasesOnRanks(const RankWork& work, const AnalysisOptions& options) {
  auto recording = work.settle();
  if (!recording.ok()) return recording.status();
  if (absl::Status status = CheckWordsAreHere(work, *recording); !status.ok()) return status;
  AnalysisOptions asked = options;
  // One node's session, as this rank sees it.
  if (recording->nodes == nullptr)
    asked.job->inputs.session_directory = recording->directories.front();
  return AnalysisOf(work, *std::move(recording), asked);
}

bool MayAskForEvents(const std::string& sql) {
  return absl::AsciiStrToLower(sql).find("event") != std::string::npos;
}

absl::Status QueryOnRanks(const RankWork& work, const AnalysisOptions& options,
                          const QueryLimits& limits,
                          const std::function<absl::Status(QueryDatabase& database)>& use) {
  auto recording = work.settle();
  if (!recording.ok()) return recording.status();
  // Tables of phases read what programs said once more.
  if (absl::Status status = CheckWordsAreHere(work, *recording); !status.ok()) return status;
  const auto analysis = AnalysisOf(work, *std::move(recording), options);
  if (!analysis.ok()) return analysis.status();
  const Analysis* const queried[] = {&*analysis};
  auto database = QueryDatabase::Open(queried, limits);
  return database.ok() ? use(*database) : database.status();
}

}  // namespace gordian
