// SPDX-License-Identifier: Apache-2.0
// Flame graphs of any threads and range: where in their code they waited, ran, or were on the
// critical path.
//
// Estimates from samples. A sampled wait counts its part of the range 2^weight_log2 times, as each
// wait was chosen with that chance. A sample of a running thread counts the sampling interval. Of
// critical paths see participation/recorded_rows.h.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "analyzer/stacks/stacks.h"
#include "analyzer/timeline/timeline.h"
#include "participation/recorded_participation.h"

namespace gordian {

enum class FlameKind : uint8_t { kWaits, kRunning, kCritical };

struct FlameRequest {
  FlameKind kind = FlameKind::kWaits;
  uint64_t from_ns = 0;  // since the recording's start
  uint64_t to_ns = 0;
  std::vector<uint8_t> is_asked;     // by thread; of critical paths: where they end
  std::function<bool()> stop_asked;  // may be empty
};

// A function below its caller. In preorder, siblings with most time first; the root is all.
struct FlameNode {
  uint32_t depth = 0;
  uint32_t frame = 0;  // index in Code::frames()
  double ns = 0;       // with all below
  double own_ns = 0;   // the innermost function
  uint64_t samples = 0;
};
// More is too narrow to be seen.
inline constexpr size_t kMostFlameNodes = 4'000;

struct Flame {
  std::vector<FlameNode> nodes;
  double not_shown_ns = 0;  // of branches beyond the limit
  uint64_t samples = 0;
};

// Cancelled if it was asked to stop.
absl::StatusOr<Flame> MakeFlame(const Timeline& timeline, const Code& code,
                                const FlameRequest& request);

}  // namespace gordian
