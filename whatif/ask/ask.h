// SPDX-License-Identifier: Apache-2.0
// `gordian whatif`: changes and progress in the words of the report, asked of the replay.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "analyzer/stacks/stacks.h"
#include "analyzer/timeline/timeline.h"
#include "schema/report.pb.h"
#include "schema/whatif.pb.h"
#include "trace/session_reader.h"
#include "whatif/ask/thresholds.h"
#include "whatif/requests/requests.h"
#include "whatif/score/score.h"

namespace gordian {

// A change that can be asked for, as an option of the command line has it.
struct ChangeOption {
  const char* name;      // "scale", of --scale
  const char* argument;  // DISK=FACTOR
  const char* help;      // in one sentence
  bool once = false;     // else it may be repeated
};
// All, in the order in which help and answers tell of them (change_table.cc has them whole).
std::span<const ChangeOption> ChangeOptions();

// "name a change: --scale, … or --cpus".
std::string NameAChange();

// As written on a command line. Names are those the report shows; a device may have its kind before
// it ("disk vda"), a thread may be named by its tid.
struct WhatIfRequest {
  struct Change {
    std::string option;  // the name of a ChangeOption
    std::string text;    // its argument
  };
  std::vector<Change> changes;
  // wakes THREAD, io, io DISK, probe NAME, phase NAME. Empty: what the target does for its clients,
  // or the cycles of the first finding's threads (DefaultProgress).
  std::string progress;
};

// What the target did for its clients, in words: answers of port 80. May be empty.
struct TargetAnswers {
  std::vector<ProgressMark> marks;
  std::string what;
};

// A recording and its findings. All must outlive the call. Of a part of a recording the timeline is
// that part's excerpt, and all the rest is about it.
struct AnalyzedRecording {
  const Timeline& timeline;
  const pb::Report& report;
  std::span<const uint32_t> vertex_of_entity;
  const StackSums& stacks;
  const Code& code;
  const TargetAnswers* answers = nullptr;  // not known
};

// Whether the first finding is a program whose cgroup has used up its CPU quota. Replays of
// requests know no quotas.
bool LimitedByQuota(const pb::Report& report);

// The events of one node, to be read again.
struct NodeEvents {
  SessionReader& session;
  // From its clock to that of the timeline before pauses are cut out.
  std::function<uint64_t(uint64_t time_ns)> to_timeline = [](uint64_t time_ns) { return time_ns; };
};

// The events that count as throughput.
struct ProgressTimes {
  std::vector<uint64_t> times_ns;  // in recorded time, in order
  std::string what;                // in words: wakes of A
};
// `progress` as in WhatIfRequest, but not empty.
absl::StatusOr<ProgressTimes> TimesOfProgress(const AnalyzedRecording& recording,
                                              const std::string& progress,
                                              std::span<const NodeEvents> events);

// InvalidArgument for an empty or unclear request, NotFound for names that the recording does not
// hold. `events`, by node, are only read for progress told by probes. `on_replay` is called after
// each replay, of which an answer needs some; once it is false, the answer is Cancelled.
absl::StatusOr<pb::WhatIf> AskWhatIf(
    const AnalyzedRecording& recording, const WhatIfRequest& request,
    std::span<const NodeEvents> events, std::function<bool()> on_replay = [] { return true; });

// Whether answers are about the recording's requests, too: which progress counts is theirs to say.
bool MayTellRequests(const WhatIfRequest& request);
// The answer tells how many requests a second there are then, and how long each takes. It becomes
// theirs where they tell gains better than threads do. If they come by themselves, it is their
// servers' utilisation. `model`: the recording's requests, or why there are none.
void AskRequests(const AnalyzedRecording& recording, const WhatIfRequest& request,
                 const absl::StatusOr<TokenModel>& model, pb::WhatIf& answer);
// The same where the replay of threads has no answer: `why` is its FailedPrecondition, which stays
// the status if requests do not answer either.
absl::StatusOr<pb::WhatIf> AskRequestsAlone(const AnalyzedRecording& recording,
                                            const WhatIfRequest& request,
                                            const absl::StatusOr<TokenModel>& model,
                                            const absl::Status& why);

// Widens the interval of the last word on a question, so that it holds the measured gain 9 times of
// 10: by past predictions of that kind that were measured, and by the user's own. May be repeated.
void Calibrate(std::span<const pb::PredictionScore* const> own, pb::WhatIf& answer);

// Many questions of one recording, for the default progress alone: their common part is prepared
// once.
class WhatIfAsker {
 public:
  // `on_replay` is called after each replay, of which each answer needs some. Once it is false,
  // there are no more answers.
  WhatIfAsker(const AnalyzedRecording& recording, std::function<bool()> on_replay);
  ~WhatIfAsker();
  WhatIfAsker(const WhatIfAsker&) = delete;
  WhatIfAsker& operator=(const WhatIfAsker&) = delete;

  // Cancelled if `on_replay` was false.
  absl::StatusOr<pb::WhatIf> Ask(const WhatIfRequest& request);
  // The wakes of that vertex by other kinds of threads that are for nothing, as --no-false-wakeups
  // sees them.
  double ShareOfFalseWakeups(uint32_t vertex);
  // The cost of all answers so far, in steps of the replayed programs.
  uint64_t replayed_steps() const;

 private:
  const AnalyzedRecording recording_;
  struct Shared;
  std::unique_ptr<Shared> shared_;
};

// Whether so many steps were forced on before their wait was over that nothing is predicted.
bool TooManyForced(const pb::WhatIf& answer);

}  // namespace gordian
