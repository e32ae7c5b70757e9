// SPDX-License-Identifier: Apache-2.0
// The fixed little-endian header in front of every block of a trace file. FORMAT.md tells it byte
// by byte.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

namespace gordian {

// The newest version of blocks that this code reads. It writes it where a block needs it, so that
// older readers miss as little as possible.
inline constexpr uint16_t kBlockVersion = 2;
inline constexpr uint16_t kOldestBlockVersion = 1;

// Not text, holds both kinds of line ends (so that a transfer that changes them shows), and no zstd
// frame begins so.
inline constexpr std::array<uint8_t, 8> kBlockMagic = {0x8b, 'G', 'R', 'D', '\r', '\n', 0x1a, '\n'};

inline constexpr size_t kBlockHeaderBytes = 72;      // of versions 1 and 2
inline constexpr size_t kMaxBlockHeaderBytes = 512;  // of any version to come
inline constexpr uint32_t kMaxBlockEvents = 1u << 16;
inline constexpr uint32_t kMaxBlockRawBytes = 4u << 20;  // of a message before compression
inline constexpr uint32_t kMaxBlockPayloadBytes =
    5u << 20;  // a frame that does not compress is a bit larger

// Values are written to files: only append.
enum class BlockKind : uint16_t {
  kEvents = 1,      // pb::EventBlock of one CPU
  kTasks = 2,       // pb::EventBlock of tasks.trace
  kResources = 3,   // pb::ResourceBlock
  kActivities = 4,  // pb::ActivityBlock of an imported graph
};

struct BlockHeader {
  uint16_t version = kOldestBlockVersion;
  uint16_t header_bytes = kBlockHeaderBytes;
  BlockKind kind = BlockKind::kEvents;
  uint16_t cpu = 0;
  uint32_t payload_bytes = 0;  // the zstd frame that follows
  uint32_t raw_bytes = 0;      // the message in it
  uint64_t sequence = 0;       // of the block in its stream
  uint64_t first_time_ns = 0;
  uint64_t last_time_ns = 0;
  uint32_t events = 0;  // resource samples in kResources, edges in kActivities
  uint64_t lost = 0;    // records that its loss events tell of

  uint64_t block_bytes() const { return uint64_t{header_bytes} + payload_bytes; }
};

void WriteBlockHeader(const BlockHeader& header, std::span<uint8_t, kBlockHeaderBytes> out);

// Nothing if `bytes` does not begin with a whole header that checks: magic, its hash, and sizes
// within the limits. A newer version's header is given back with its version and sizes, so that its
// block can be stepped over.
std::optional<BlockHeader> ParseBlockHeader(std::span<const uint8_t> bytes);

// The offset of the next magic in `bytes` at or after `from`, or of the beginning of one cut off by
// the end; else the size.
size_t FindBlockMagic(std::span<const uint8_t> bytes, size_t from);

}  // namespace gordian
