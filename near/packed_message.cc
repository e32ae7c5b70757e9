// SPDX-License-Identifier: Apache-2.0
// In the zstd frame: the length of the message without its lists, that message, the lists.
#include "near/packed_message.h"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <span>
#include <vector>

#include "near/message_columns.h"
#include "near/varints.h"
#include "trace/frame.h"

namespace gordian {
namespace {

absl::Status DoesNotCheck() { return absl::DataLossError("a packed message does not check"); }

}  // namespace

std::optional<std::string> Packed(const google::protobuf::Message& message, size_t most_bytes) {
  const std::unique_ptr<google::protobuf::Message> rest(message.New());
  rest->CopyFrom(message);
  std::string columns;
  TakeColumns(*rest, columns);
  const std::string others = rest->SerializeAsString();
  std::string raw;
  AppendVarint(others.size(), raw);
  raw += others;
  raw += columns;
  if (raw.size() > most_bytes) return std::nullopt;
  std::vector<uint8_t> frame;
  const auto* const bytes = reinterpret_cast<const uint8_t*>(raw.data());
  if (!FrameCompressor().Compress(std::span(bytes, raw.size()), frame).ok()) std::abort();
  if (frame.size() >= message.ByteSizeLong()) return std::nullopt;
  return std::string(reinterpret_cast<const char*>(frame.data()), frame.size());
}

absl::Status Unpack(std::string_view packed, size_t most_bytes,
                    google::protobuf::Message& message) {
  const auto* const frame = reinterpret_cast<const uint8_t*>(packed.data());
  // Errors are told as lengths that are too great.
  const unsigned long long length = ZSTD_getFrameContentSize(frame, packed.size());
  if (length > std::min<size_t>(most_bytes, INT32_MAX)) return DoesNotCheck();
  FrameDecompressor decompressor;
  const auto raw =
      decompressor.Decompress(std::span(frame, packed.size()), static_cast<uint32_t>(length));
  if (!raw.ok()) return raw.status();
  std::string_view left(reinterpret_cast<const char*>(raw->data()), raw->size());
  const auto others = TakeVarint(left);
  if (!others || *others > left.size() ||
      !message.ParseFromArray(left.data(), static_cast<int>(*others)))
    return DoesNotCheck();
  return AddColumns(left.substr(static_cast<size_t>(*others)), message);
}

}  // namespace gordian
