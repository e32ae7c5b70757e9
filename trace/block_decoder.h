// SPDX-License-Identifier: Apache-2.0
// Turns the payload of a block back into events, trusting nothing in it.
#pragma once

#include <cstdint>
#include <span>

#include "absl/status/status.h"
#include "schema/activities.pb.h"
#include "schema/trace.pb.h"
#include "trace/block_header.h"
#include "trace/event_block.h"
#include "trace/event_rows.h"
#include "trace/frame.h"

namespace gordian {

// Not thread-safe; keeps its memory from block to block.
class BlockDecoder {
 public:
  // Replaces the contents of `out`, whose memory is reused. After OK every index in its events is
  // valid and its events are in order of time, from the header's first to its last. DataLoss if the
  // payload does not check.
  absl::Status DecodeEvents(const BlockHeader& header, std::span<const uint8_t> payload,
                            EventBlock& out);
  // After OK every sample's resource is valid.
  absl::Status DecodeResources(const BlockHeader& header, std::span<const uint8_t> payload,
                               pb::ResourceBlock& out);
  // Only the message: trace/activities checks its columns.
  absl::Status ParseActivities(const BlockHeader& header, std::span<const uint8_t> payload,
                               pb::ActivityBlock& out) {
    return ParseMessage(header, payload, out);
  }

 private:
  absl::Status ParseMessage(const BlockHeader& header, std::span<const uint8_t> payload,
                            google::protobuf::MessageLite& message);

  FrameDecompressor decompressor_;
  pb::EventBlock message_;
  EventRows rows_;
};

}  // namespace gordian
