// SPDX-License-Identifier: Apache-2.0
// What can be asked about participation, of recordings and imported graphs alike.
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <optional>
#include <string_view>
#include <vector>

namespace gordian {

// What the rows of an answer are.
enum class ParticipationBy : uint8_t {
  kActivity,
  kThread,
  kVertex,
  kOperator,
  kFunction,
  kLink,
  kPhase,
};

// By ParticipationBy.
inline constexpr std::array<std::string_view, 7> kParticipationByNames = {
    "activity", "thread", "vertex", "operator", "function", "link", "phase"};

constexpr std::string_view NameOf(ParticipationBy by) {
  return kParticipationByNames[static_cast<size_t>(by)];
}
constexpr std::optional<ParticipationBy> ParticipationByNamed(std::string_view name) {
  for (size_t i = 0; i < kParticipationByNames.size(); ++i) {
    if (kParticipationByNames[i] == name) return static_cast<ParticipationBy>(i);
  }
  return std::nullopt;
}

// Two points of a clock, the first before the second.
struct ClockRange {
  uint64_t from_ns = 0;
  uint64_t to_ns = 0;
};

struct ParticipationRequest {
  uint64_t window_ns = 0;  // 0: the whole range is one window
  // Counted from the beginning.
  uint64_t from_ns = 0;
  uint64_t to_ns = std::numeric_limits<uint64_t>::max();
  // Instead of all above: one window in the times that the graph, or the recording, has itself.
  std::optional<ClockRange> between;
  std::vector<ParticipationBy> by = {ParticipationBy::kActivity};  // each is an answer of its own
};

}  // namespace gordian
