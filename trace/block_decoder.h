// Turns the payload of a block back into events, trusting nothing in it.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "schema/trace.pb.h"
#include "trace/block_header.h"
#include "trace/event_block.h"
#include "trace/frame.h"

namespace gordian {

class EventRows;

// Not thread-safe; keeps its memory from block to block.
class BlockDecoder {
 public:
  // Replaces what is in `out`, whose memory is reused. After OK every index in its events is valid
  // and its events are in order of time, from the header's first to its last. DataLoss if the
  // payload does not check.
  absl::Status DecodeEvents(const BlockHeader& header, std::span<const uint8_t> payload,
                            EventBlock& out);
  // After OK every sample's resource is valid.
  absl::Status DecodeResources(const BlockHeader& header, std::span<const uint8_t> payload,
                               pb::ResourceBlock& out);

 private:
  absl::Status ParseMessage(const BlockHeader& header, std::span<const uint8_t> payload,
                            google::protobuf::MessageLite& message);
  absl::Status ReadMessage(const BlockHeader& header, EventBlock& out);
  absl::Status ReadEvents(const BlockHeader& header, EventRows& rows, EventBlock& out);

  FrameDecompressor decompressor_;
  pb::EventBlock message_;
  std::vector<int32_t> thread_of_code_;
  std::vector<std::string_view> names_;
};

}  // namespace gordian
