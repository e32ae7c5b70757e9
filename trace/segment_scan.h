// SPDX-License-Identifier: Apache-2.0
// Finds the blocks of one segment file by their headers, passing over damaged parts.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "trace/block_header.h"
#include "trace/file_io.h"
#include "trace/read_damage.h"
#include "trace/segment_name.h"

namespace gordian {

struct FoundBlock {
  BlockHeader header;
  uint64_t offset = 0;  // of the header in the file
};

struct SegmentScan {
  std::vector<FoundBlock> blocks;
  uint64_t file_bytes = 0;
  FileIdentity identity;
  ReadDamage damage;
};

// Blocks of another stream than `stream` are damage: they were not written into this file.
absl::StatusOr<SegmentScan> ScanSegment(const std::string& path, StreamId stream);

}  // namespace gordian
