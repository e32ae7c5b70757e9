// SPDX-License-Identifier: Apache-2.0
#include "trace/resource_block.h"

#include <cstdint>
#include <vector>

#include "absl/strings/str_cat.h"

namespace gordian {

absl::StatusOr<pb::ResourceBlock> ReadResourceBlock(const FileHandle& file, const std::string& path,
                                                    const FoundBlock& block,
                                                    BlockDecoder& decoder) {
  std::vector<uint8_t> payload(block.header.payload_bytes);
  const auto read = ReadAt(file, block.offset + block.header.header_bytes, payload, path);
  if (!read.ok()) return absl::DataLossError(read.status().message());
  if (*read != payload.size())
    return absl::DataLossError(absl::StrCat(path, " became shorter while it was read"));
  pb::ResourceBlock message;
  if (auto status = decoder.DecodeResources(block.header, payload, message); !status.ok())
    return absl::DataLossError(
        absl::StrCat(path, " at byte ", block.offset, ": ", status.message()));
  return message;
}

}  // namespace gordian
