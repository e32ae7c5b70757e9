// SPDX-License-Identifier: Apache-2.0
// A moment of a recording. A duration's two or three digits would not tell one moment from the
// next.
#pragma once

#include <cstdint>
#include <string>

#include "absl/strings/str_format.h"

namespace gordian {

// Counted from the recording's start, to the microsecond: 12.345678 s.
inline std::string MomentText(uint64_t since_start_ns) {
  return absl::StrFormat("%d.%06d s", since_start_ns / 1'000'000'000,
                         since_start_ns / 1'000 % 1'000'000);
}

}  // namespace gordian
