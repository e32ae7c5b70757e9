// SPDX-License-Identifier: Apache-2.0
// Does what rules say, one after the other, on a thread of its own: following never waits for it.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "base/file_descriptor.h"
#include "live/rules/kept_recordings.h"
#include "live/rules/rule.h"

namespace gordian {

inline constexpr size_t kMostWaitingActions = 16;

// A rule that fired, and on which frame.
struct RuleFiring {
  Rule rule;
  std::string at;       // wall clock, RFC 3339; empty: not known
  double to_s = 0;      // the frame's end, since the recording's start
  CutLast cut;          // on the thread of the actions
  std::string verdict;  // clean text
  std::string frame_json;
};

struct RuleOutcome {
  std::string rule;
  std::string kept;     // the folder, if one was kept
  std::string failure;  // what went wrong, in one line; empty: nothing
};

class FiredRules {
 public:
  // `kept`: where rules keep; none if no rule does. `is_silent`: commands' output goes nowhere.
  FiredRules(std::optional<KeptRecordings> kept, bool is_silent);
  // Ends a command that runs. What waits is left out.
  ~FiredRules();
  FiredRules(const FiredRules&) = delete;
  FiredRules& operator=(const FiredRules&) = delete;

  // False, and nothing is done, if kMostWaitingActions wait already.
  bool Add(RuleFiring firing);
  // Of the firings that were dealt with since the last call.
  std::vector<RuleOutcome> TakeOutcomes();
  bool is_busy();
  // Waits until nothing is left to do. Each command has its limit.
  void Finish();

 private:
  void Run();
  RuleOutcome DoAll(const RuleFiring& firing);

  std::optional<KeptRecordings> kept_;
  bool is_silent_;
  FileDescriptor stop_;  // can be read once all shall end
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<RuleFiring> waiting_;
  std::vector<RuleOutcome> outcomes_;
  bool is_busy_ = false;
  bool is_ending_ = false;
  std::thread thread_;  // the last: it uses all others
};

}  // namespace gordian
