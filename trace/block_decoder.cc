// SPDX-License-Identifier: Apache-2.0
#include "trace/block_decoder.h"

namespace gordian {

absl::Status BlockDecoder::ParseMessage(const BlockHeader& header, std::span<const uint8_t> payload,
                                        google::protobuf::MessageLite& message) {
  if (payload.size() != header.payload_bytes || header.raw_bytes > kMaxBlockRawBytes) {
    return absl::DataLossError("the payload has not the size its header tells");
  }
  const auto raw = decompressor_.Decompress(payload, header.raw_bytes);
  if (!raw.ok()) return raw.status();
  if (!message.ParseFromArray(raw->data(), static_cast<int>(raw->size()))) {
    return absl::DataLossError("the message in the frame cannot be parsed");
  }
  return absl::OkStatus();
}

absl::Status BlockDecoder::DecodeEvents(const BlockHeader& header, std::span<const uint8_t> payload,
                                        EventBlock& out) {
  out.Clear();
  out.cpu = header.cpu;
  auto status = ParseMessage(header, payload, message_);
  if (status.ok() &&
      (message_.kinds().size() != header.events || header.events > kMaxBlockEvents)) {
    status = absl::DataLossError("the number of events is not the one its header tells");
  }
  if (status.ok()) status = rows_.Read(message_, header, out);
  if (!status.ok()) out.Clear();
  return status;
}

absl::Status BlockDecoder::DecodeResources(const BlockHeader& header,
                                           std::span<const uint8_t> payload,
                                           pb::ResourceBlock& out) {
  if (auto status = ParseMessage(header, payload, out); !status.ok()) return status;
  if (out.samples_size() != static_cast<int>(header.events) ||
      out.resources_size() > static_cast<int>(kMaxBlockEvents)) {
    return absl::DataLossError("the number of samples is not the one its header tells");
  }
  for (const pb::ResourceSample& sample : out.samples()) {
    if (sample.resource() >= static_cast<uint32_t>(out.resources_size())) {
      return absl::DataLossError("a sample is of no resource");
    }
  }
  return absl::OkStatus();
}

}  // namespace gordian
