// SPDX-License-Identifier: Apache-2.0
// Times as logs write them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "absl/time/time.h"
#include "jobs/logs/fixed_time.h"
#include "jobs/models/phase_model.h"

namespace gordian {

class LogTimeParser {
 public:
  // The format's zone must be one that ParseModel accepted; another counts as UTC.
  explicit LogTimeParser(LogTimeFormat format);

  // Nanoseconds since 1970 (or, of a monotonic clock, since its beginning). Nothing if the text is
  // no such time, or one before 1970 or after 2262.
  std::optional<uint64_t> Parse(std::string_view text) const;
  // "a time like 2026-03-05 10:00:11.250 (time: iso8601)", for messages about other texts.
  const std::string& expected() const { return expected_; }

 private:
  std::optional<uint64_t> ParseIso(std::string_view text) const;
  std::optional<uint64_t> ParsePattern(std::string_view text) const;

  std::optional<uint64_t> At(const absl::CivilSecond& second, uint64_t fraction_ns,
                             std::optional<int> offset_s) const;

  LogTimeFormat format_;
  absl::TimeZone zone_;
  bool is_utc_ = false;
  bool comma_fraction_ = false;
  std::optional<FixedTime> fixed_;
  std::string expected_;
};

}  // namespace gordian
