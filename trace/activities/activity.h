// SPDX-License-Identifier: Apache-2.0
// The edges of an activity graph, and the names in them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <limits>
#include <string>
#include <string_view>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace gordian {

inline constexpr uint64_t kMaxActivityNs = std::numeric_limits<int64_t>::max();
inline constexpr size_t kMaxActivityNameBytes = 64u << 10;

// From one point, which is a worker at a time, to another. Names are numbers of ActivityNames.
struct ActivityEdge {
  uint64_t src_ns = 0;
  uint64_t dst_ns = 0;  // not before src_ns
  uint32_t src_worker = 0;
  uint32_t dst_worker = 0;
  uint32_t type = 0;
  uint32_t label = 0;
  bool traversable = true;

  bool operator==(const ActivityEdge&) const = default;
};

struct ToldActivity {
  std::string_view src_worker;
  uint64_t src_ns = 0;
  std::string_view dst_worker;
  uint64_t dst_ns = 0;
  std::string_view type;
  std::string_view label;
  bool traversable = true;
};

// Takes activities in any order. An error ends whatever gives them.
class ActivitySink {
 public:
  virtual ~ActivitySink() = default;
  virtual absl::Status Add(const ToldActivity& activity) = 0;
};

// Texts as numbers, in order of appearance; number 0 is the empty text. Memory grows with the
// different texts, up to a limit.
class ActivityNames {
 public:
  static constexpr size_t kMaxNames = 16u << 20;
  static constexpr size_t kMaxBytes = 256u << 20;  // of all texts

  ActivityNames() { texts_.emplace_back(); }
  ActivityNames(const ActivityNames&) = delete;
  ActivityNames& operator=(const ActivityNames&) = delete;

  // ResourceExhausted beyond the limits.
  absl::StatusOr<uint32_t> Number(std::string_view text);
  // `number` must be one that Number has given.
  const std::string& Text(uint32_t number) const { return texts_[number]; }
  size_t size() const { return texts_.size(); }

 private:
  absl::flat_hash_map<std::string_view, uint32_t> numbers_;
  std::deque<std::string> texts_;  // a deque never moves them
  size_t bytes_ = 0;
};

}  // namespace gordian
