// SPDX-License-Identifier: Apache-2.0
// The data that a reader had to pass over.
#pragma once

#include <cstdint>

namespace gordian {

struct ReadDamage {
  uint64_t corrupt_blocks = 0;  // a header or payload that does not check
  uint64_t torn_tails = 0;      // a file that ends inside a block
  uint64_t skipped_bytes = 0;
  uint64_t unreadable_files = 0;
  uint64_t unknown_blocks = 0;  // of a kind newer than this reader
  uint64_t missing_blocks = 0;  // numbers left out between the blocks of a stream, or before them
  uint64_t unknown_events = 0;  // in readable blocks, of a kind newer than this reader
  ReadDamage& operator+=(const ReadDamage& other);
  bool operator==(const ReadDamage&) const = default;
};

}  // namespace gordian
