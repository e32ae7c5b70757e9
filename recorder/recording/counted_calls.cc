// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "absl/strings/ascii.h"
#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "bpf/events.h"
#include "recorder/recording/recording.h"

namespace gordian {
namespace {

constexpr size_t kLongestName = 64;

// Names such as the kernel's tracepoints have; attaching finds those that are no calls.
bool MayBeName(const std::string& call) {
  return !call.empty() && call.size() <= kLongestName &&
         std::all_of(call.begin(), call.end(), [](unsigned char c) {
           return absl::ascii_islower(c) || absl::ascii_isdigit(c) || c == '_';
         });
}

}  // namespace

absl::Status CheckCountedCalls(const std::vector<std::string>& calls) {
  if (calls.size() > GD_COUNTED_CALLS) {
    return absl::InvalidArgumentError(absl::StrCat("a recording counts at most ", GD_COUNTED_CALLS,
                                                   " system calls, not ", calls.size()));
  }
  for (const std::string& call : calls) {
    if (!MayBeName(call)) {
      return absl::InvalidArgumentError(
          absl::StrCat("'", absl::CHexEscape(call.substr(0, kLongestName)),
                       "' is no name of a system call; give one like accept4 or fdatasync"));
    }
  }
  return absl::OkStatus();
}

}  // namespace gordian
