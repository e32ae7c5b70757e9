// SPDX-License-Identifier: Apache-2.0
// One zstd frame with its own checksum: how the message of a block is stored.
#pragma once

#include <zstd.h>

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace gordian {

// Not thread-safe; keeps its memory from frame to frame.
class FrameCompressor {
 public:
  FrameCompressor();
  // Appends the frame of `raw` to `out`. The parts between the borders, which are in order and
  // within it, each get statistics of their own.
  absl::Status Compress(std::span<const uint8_t> raw, std::span<const size_t> borders,
                        std::vector<uint8_t>& out);
  absl::Status Compress(std::span<const uint8_t> raw, std::vector<uint8_t>& out) {
    return Compress(raw, {}, out);
  }

 private:
  struct Free {
    void operator()(ZSTD_CCtx* context) const { ZSTD_freeCCtx(context); }
  };
  std::unique_ptr<ZSTD_CCtx, Free> context_;
};

class FrameDecompressor {
 public:
  FrameDecompressor();
  // The message in `frame`, which must say and have exactly `raw_bytes`; valid until the next call.
  // DataLoss if the frame is damaged. No more than `raw_bytes` of memory are taken.
  absl::StatusOr<std::span<const uint8_t>> Decompress(std::span<const uint8_t> frame,
                                                      uint32_t raw_bytes);

 private:
  struct Free {
    void operator()(ZSTD_DCtx* context) const { ZSTD_freeDCtx(context); }
  };
  std::unique_ptr<ZSTD_DCtx, Free> context_;
  std::vector<uint8_t> raw_;
};

}  // namespace gordian
