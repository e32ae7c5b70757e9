// SPDX-License-Identifier: Apache-2.0
// How a recording is read.
#pragma once

#include <cstdint>
#include <limits>
#include <string>

#include "analyzer/timeline/timeline.h"
#include "store/store.h"

namespace gordian {

// About as much memory as an analysis takes. What does not fit lies in unlinked files.
struct MemoryOptions {
  uint64_t bytes = uint64_t{1} << 30;
  std::string folder;  // for these; empty: $TMPDIR, else /var/tmp
};

struct ReadOptions {
  int threads = 0;
  MemoryOptions memory;
  Store store;  // where stages of earlier analyses are looked up, and kept on demand; default: none
  // See TimelineOptions.
  uint64_t until_ns = std::numeric_limits<uint64_t>::max();
  KeepReading keep_reading;
};

}  // namespace gordian
