// SPDX-License-Identifier: Apache-2.0
#include "trace/activities/activity.h"

namespace gordian {

absl::StatusOr<uint32_t> ActivityNames::Number(std::string_view text) {
  if (text.empty()) return 0;
  if (const auto found = numbers_.find(text); found != numbers_.end()) return found->second;
  if (texts_.size() == kMaxNames || text.size() > kMaxBytes - bytes_) {
    return absl::ResourceExhaustedError(
        "the graph has too many different names (16 million, or 256 MiB of text): give activities "
        "that do the same the same label");
  }
  bytes_ += text.size();
  const auto number = static_cast<uint32_t>(texts_.size());
  numbers_.emplace(texts_.emplace_back(text), number);
  return number;
}

}  // namespace gordian
