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
#include "output/text_page.h"
#include "schema/report.pb.h"
#include "schema/whatif.pb.h"
#include "trace/session_reader.h"
#include "whatif/replay.h"

namespace gordian {

// What is below is none that could be told from nothing.
inline constexpr double kNoGain = 1.03;

// As written on a command line. Names are those the report shows; a device may have its kind before
// it ("disk vda"), a thread may be named by its tid.
struct WhatIfRequest {
  std::vector<std::string> scale;             // DISK=FACTOR of its service times
  std::vector<std::string> async;             // WHO->WHOM
  std::vector<std::string> lock;              // WHO->WHOM
  std::vector<std::string> skip;              // WHO->WHOM
  std::vector<std::string> split;             // WHO->WHOM=WAYS
  std::vector<std::string> batch;             // WHO->WHOM
  std::vector<std::string> no_false_wakeups;  // THREAD
  std::vector<std::string> add_thread;        // THREAD or THREAD=COUNT
  std::vector<std::string> in_flight;         // THREAD=TIMES as many requests under way
  std::vector<std::string> clients;           // THREAD=TIMES as many such threads
  std::vector<std::string> timer;             // THREAD=FACTOR of its sleeps
  std::vector<std::string> function;          // NAME=FACTOR of the CPU time in it
  std::vector<std::string> run;               // THREAD=FACTOR of its CPU time
  uint32_t cpus = 0;
  std::string progress;  // wakes THREAD, io, io DISK, probe NAME, phase NAME; empty: the cycles of
                         // the first finding's threads
};

// A recording and what was found in it. All must outlive the call.
struct AnalyzedRecording {
  const Timeline& timeline;
  const pb::Report& report;
  std::span<const uint32_t> vertex_of_entity;
  const StackSums& stacks;
  const Code& code;
};

// InvalidArgument for a request that says nothing or what cannot be understood, NotFound for names
// that the recording does not hold. `session` is only read for progress told by probes.
absl::StatusOr<pb::WhatIf> AskWhatIf(const AnalyzedRecording& recording,
                                     const WhatIfRequest& request, SessionReader& session);

// Many questions of one recording, for the default progress alone: what they have in common is
// prepared once.
class WhatIfAsker {
 public:
  // `on_replay` is called after each replay, of which each answer needs some.
  WhatIfAsker(const AnalyzedRecording& recording, std::function<void()> on_replay);
  ~WhatIfAsker();
  WhatIfAsker(const WhatIfAsker&) = delete;
  WhatIfAsker& operator=(const WhatIfAsker&) = delete;

  absl::StatusOr<pb::WhatIf> Ask(const WhatIfRequest& request);
  // Of the wakes of that vertex by other kinds of threads those that are for nothing, as
  // --no-false-wakeups sees them.
  double ShareOfFalseWakeups(uint32_t vertex);
  // What all answers cost so far, in steps of the replayed programs.
  uint64_t replayed_steps() const;

 private:
  const AnalyzedRecording recording_;
  struct Shared;
  std::unique_ptr<Shared> shared_;
};

// What misses the recorded rate by more than that with nothing changed is a poor replay.
inline constexpr double kPoorSelfCheck = 0.1;

// Whether more than a thousandth of the steps had to go on although what they waited for had not
// happened: then nothing is predicted.
bool TooManyForced(const pb::WhatIf& answer);

// One page, the prediction first.
std::string WhatIfText(const pb::WhatIf& answer, const TextStyle& style);

}  // namespace gordian
