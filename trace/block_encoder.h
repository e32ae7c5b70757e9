// SPDX-License-Identifier: Apache-2.0
// Turns events into blocks of a trace file: header and compressed columns.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "schema/activities.pb.h"
#include "schema/trace.pb.h"
#include "trace/block_header.h"
#include "trace/event_block.h"
#include "trace/frame.h"

namespace gordian {

class EventColumns;

// Puts events in order of time; equal times keep their order. Returns how many stood after one of a
// later time. Quick for what rings give: a few events a few places off.
uint64_t SortByTime(std::vector<TraceEvent>& events);

// A block as it goes into the file. The bytes are valid until the encoder's next call.
struct EncodedBlock {
  BlockHeader header;
  std::span<const uint8_t> bytes;
};

// Not thread-safe; keeps its memory from block to block: in the long run nothing is allocated.
class BlockEncoder {
 public:
  BlockEncoder();
  ~BlockEncoder();

  // Encodes events [first, first + count) of `block`, which must be in order of time and at most
  // kMaxBlockEvents. OutOfRange if their message would be larger than kMaxBlockRawBytes: give
  // fewer. InvalidArgument if an event refers past the end of a side table: a bug of the code that
  // filled the block.
  absl::StatusOr<EncodedBlock> EncodeEvents(const EventBlock& block, size_t first, size_t count,
                                            BlockKind kind, uint64_t sequence);
  absl::StatusOr<EncodedBlock> EncodeResources(const pb::ResourceBlock& resources,
                                               uint64_t sequence);
  // `edges` in `activities` lie between these times.
  absl::StatusOr<EncodedBlock> EncodeActivities(const pb::ActivityBlock& activities, size_t edges,
                                                uint64_t first_ns, uint64_t last_ns,
                                                uint64_t sequence);

 private:
  absl::StatusOr<EncodedBlock> Finish(const google::protobuf::Message& message, BlockHeader header);

  std::unique_ptr<EventColumns> columns_;
  FrameCompressor compressor_;
  std::vector<uint8_t> raw_;
  std::vector<size_t> borders_;
  std::vector<uint8_t> encoded_;
};

}  // namespace gordian
