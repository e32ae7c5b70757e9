// SPDX-License-Identifier: Apache-2.0
// The call chains of a kernel's trace, each once.
#pragma once

#include <cstdint>
#include <deque>
#include <span>
#include <string_view>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "trace/trace_event.h"

namespace gordian {

class KernelStacks {
 public:
  // Of all stacks together: 16 MiB, as of the recorder's own. Later ones are left out and counted.
  static constexpr uint64_t kMaxFrames = 2'000'000;

  struct Stack {
    uint64_t first_time_ns = 0;  // when it was met first: tells which program its process ran
    StackRecord record;
  };

  // The number of the stack: equal ones of one process have one. 0 for an empty one, and where the
  // room is used up. Addresses beyond kMaxStackFrames are cut.
  uint32_t Intern(int32_t tgid, uint64_t time_ns, std::span<const uint64_t> kernel,
                  std::span<const uint64_t> user);

  const Stack& operator[](uint32_t id) const { return stacks_[id - 1]; }
  // Numbers are 1 … size().
  uint32_t size() const { return static_cast<uint32_t>(stacks_.size()); }
  uint64_t dropped() const { return dropped_; }

 private:
  std::deque<Stack> stacks_;
  std::deque<std::vector<uint64_t>> keys_;               // never moves them
  absl::flat_hash_map<std::string_view, uint32_t> ids_;  // by the bytes of a key
  std::vector<uint64_t> key_;                            // its memory is reused
  uint64_t frames_ = 0;
  uint64_t dropped_ = 0;
};

}  // namespace gordian
