// SPDX-License-Identifier: Apache-2.0
// Compressed parts of traces. A part never takes more memory than its reader says it may.
#pragma once

#include <zstd.h>

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "absl/status/status.h"

namespace gordian {

enum class PackedBy : uint8_t { kNothing, kZlib, kZstd };

// Replaces `out` by what `packed` holds: at most `most_bytes`. InvalidArgument if it is damaged, or
// holds more.
absl::Status Unpack(PackedBy by, std::span<const uint8_t> packed, uint64_t most_bytes,
                    std::vector<uint8_t>& out);

// One stream of zstd that comes in pieces.
class ZstdStream {
 public:
  ZstdStream() : context_(ZSTD_createDCtx()) {}

  // Takes bytes from the front of `packed` and appends at most `most_bytes` to `out`. Everything is
  // taken and given once `packed` is empty and less than `most_bytes` were appended.
  absl::Status Expand(std::span<const uint8_t>& packed, size_t most_bytes,
                      std::vector<uint8_t>& out);

 private:
  struct Free {
    void operator()(ZSTD_DCtx* context) const { ZSTD_freeDCtx(context); }
  };
  std::unique_ptr<ZSTD_DCtx, Free> context_;  // its window is at most 128 MiB: zstd's own limit
};

}  // namespace gordian
