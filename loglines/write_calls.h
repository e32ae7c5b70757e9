// SPDX-License-Identifier: Apache-2.0
// When threads called write and its relatives, if the recording counted these calls
// (`gordian record --syscall write`): a log line is such a call.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "analysis/recording.h"

namespace gordian {

class WriteCalls {
 public:
  WriteCalls() = default;  // none was recorded
  static WriteCalls Read(const LoadedRecording& recording);

  bool empty() const { return calls_.empty(); }
  // Of that thread in [from_ns, to_ns), in order.
  std::vector<uint64_t> Within(EntityId thread, uint64_t from_ns, uint64_t to_ns) const;
  // Calls beyond ten million, which were not kept.
  uint64_t left_out() const { return left_out_; }

 private:
  struct Call {
    EntityId thread = kNobody;
    uint64_t time_ns = 0;
  };
  std::vector<Call> calls_;  // by thread and time
  uint64_t left_out_ = 0;
};

}  // namespace gordian
