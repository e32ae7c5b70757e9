// SPDX-License-Identifier: Apache-2.0
#include "whatif/ask/questions_left.h"

#include <utility>

#include "absl/status/status.h"
#include "report/vertex_names.h"

namespace gordian {
namespace {

bool IsAloneIn(const Changes& changes) {
  return changes.disks.empty() && changes.links.empty() && changes.splits.empty() &&
         changes.added_threads.empty() && changes.more_at_once.empty() &&
         changes.no_false_wakeups.empty() && changes.timers.empty() && changes.runs.empty() &&
         changes.cpus.empty() && changes.quotas.empty();
}

}  // namespace

absl::StatusOr<uint32_t> OneInHowManyLeft(const AnalyzedRecording& recording,
                                          const Changes& changes) {
  const auto& vertices = recording.report.vertices();
  uint32_t one_in = 0;
  for (const WaitChange& wait : changes.waits)
    if (IsThreadKind(vertices[static_cast<int>(wait.to)].kind())) one_in = wait.keeps_one_in;
  if (one_in == 0) return 0;
  for (const WaitChange& wait : changes.waits)
    if (wait.keeps_one_in != one_in || !IsAloneIn(changes))
      return absl::FailedPreconditionError(
          "--skip of one question in so many goes together with other changes only where packets "
          "show the questions; ask it by itself");
  return one_in;
}

Changes WithoutQuestions(Changes changes) {
  for (WaitChange& wait : changes.waits) wait.keeps_one_in = 0;
  return changes;
}

ReplayResult WithQuestionsLeft(ReplayResult none_left, uint32_t one_in) {
  const double left = 1.0 / one_in;
  const auto take = [&](double& gain) { gain = 1 / (left + (1 - left) / gain); };
  const auto take_reading = [&](Reading& reading) {
    take(reading.gain);
    reading.next = {};
  };
  for (double* gain : {&none_left.low, &none_left.expected, &none_left.high}) take(*gain);
  take_reading(none_left.wait_alone);
  take_reading(none_left.with_path);
  for (Reading& reading : none_left.other_paths) take_reading(reading);
  return none_left;
}

}  // namespace gordian
