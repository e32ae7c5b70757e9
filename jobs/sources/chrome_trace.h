// SPDX-License-Identifier: Apache-2.0
// Chrome's trace events, as clang's -ftime-trace, Bazel's --profile and many others write them: an
// object with a list `traceEvents`, or the list alone (whose end may be missing). Read as a stream.
//
// Events with a length ("X") and pairs of beginnings and ends ("B", "E") of each thread become
// phases: each lies in the innermost event of its thread in which its middle lies (times are
// rounded, so an end may stand out by a little). Its name is its type, `args.detail` or `args.name`
// its key. An event within one of its own name is a part of that one: so types stay few where
// headers include headers. The time of an event between those within it becomes phases `itself`.
// clang's "Total …" events are sums over all others, and left out.
//
// If the model's root has a phase of its own, each file is one such phase, by its name; and all
// events lie in it, otherwise below the root.
//
// Times are microseconds: since `beginningOfTime` (clang), else since 1970 or, with
// `clock: monotonic`, on the recorded node's monotonic clock.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "jobs/sources/log_reader.h"
#include "jobs/tree/text_numbers.h"

namespace gordian {

// As the parser finds it. Texts are empty, and times have no digits, where they are not told.
struct ChromeEvent {
  std::string phase, name, key, timestamp, duration;
  int32_t pid = 0;
  int32_t tid = 0;
  bool is_sum = false;
};

class ChromeTrace : public LogReader {
 public:
  ChromeTrace(const LogRules& rules, LogSinks& sinks);
  absl::Status Read(LogBytes& bytes, const std::string& name) override;

  // For the parser.
  void AddEvent(const ChromeEvent& event, uint64_t line);
  void SetBeginning(std::string_view beginning_us);

 private:
  struct Span {
    uint64_t start_ns;
    uint64_t end_ns;
    uint32_t name;  // index into the names
    uint32_t key;
    int32_t pid;
    int32_t tid;
  };
  struct OpenSpan {
    uint64_t start_ns;
    uint32_t name, key;
  };
  void KeepSpan(const Span& span);
  bool End(const ChromeEvent& event, uint64_t time_ns);
  void HandOver(const std::string& file);
  std::optional<uint64_t> JobTime(uint64_t time_ns) const;
  uint32_t AddPhase(const Span& span, uint32_t parent);

  LogSinks& sinks_;
  bool monotonic_;
  PhaseTypeId file_type_ = kNoId;
  std::string file_;
  uint64_t beginning_ns_ = 0;
  TextNumbers names_;
  std::vector<Span> spans_;
  absl::flat_hash_map<std::pair<int32_t, int32_t>, std::vector<OpenSpan>> open_;  // by pid, tid
};

}  // namespace gordian
