// SPDX-License-Identifier: Apache-2.0
// Has questions about sessions answered by helpers: a process of its own for each session that is
// asked about (near/main.cc). The daemon analyzes nothing, and what a helper does harms no session:
// it may only read, has little memory, and is ended if an answer takes too long.
#pragma once

#include <chrono>
#include <list>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "schema/control.pb.h"

namespace gordian {

struct SessionHelperOptions {
  std::string program;  // gordian-near
  // Each holds a recording in memory.
  size_t most_helpers = 2;
  std::chrono::milliseconds longest_answer = std::chrono::seconds(50);
  std::chrono::milliseconds idle_end = std::chrono::minutes(5);
  size_t most_answer_bytes = 4 << 20;
};

// Thread-safe: different sessions are asked at once, one session question by question.
class SessionHelpers {
 public:
  explicit SessionHelpers(SessionHelperOptions options);
  ~SessionHelpers();
  SessionHelpers(const SessionHelpers&) = delete;
  SessionHelpers& operator=(const SessionHelpers&) = delete;

  // The helper's answer, as it is. `session` tells the folder and whether it still grows: a helper
  // knows what was recorded when it was first asked, so one of a session that has ended since is
  // replaced. Errors are a line.
  absl::StatusOr<std::string> Ask(const pb::SessionStatus& session, std::string_view question);
  // Ends those that nobody has asked for a while. To be called now and then.
  void EndIdle();

 private:
  struct Helper;
  std::shared_ptr<Helper> Find(const pb::SessionStatus& session);
  void Drop(const std::shared_ptr<Helper>& helper);

  const SessionHelperOptions options_;
  std::mutex mutex_;
  std::list<std::shared_ptr<Helper>> helpers_;  // asked last comes first
};

// The helper's program, beside this one.
std::string HelperBesideThisProgram();

}  // namespace gordian
