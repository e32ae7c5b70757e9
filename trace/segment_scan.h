// SPDX-License-Identifier: Apache-2.0
// Finds the blocks of one segment file by their headers, passing over damaged parts.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
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
  FileState identity;
  ReadDamage damage;
};

// Blocks of another stream than `stream` are damage: they were not written into this file.
absl::StatusOr<SegmentScan> ScanSegment(const std::string& path, StreamId stream);

// How far a file has been scanned that may still grow.
struct ScanPosition {
  uint64_t at = 0;              // where the next block should begin
  uint64_t searched_until = 0;  // behind `at`, if no block begins there: none before this either
};

// What may come at the end of a file that is scanned.
enum class SegmentEnd {
  kGrows,  // a part of a block: it is looked at again by each scan, as it may be cut back meanwhile
           // and another block be written there, of any size
  kFinal,  // nothing more
};

// Goes on from `position`, and adds what it finds to `scan`. Scanned in any number of steps, of
// which the last is kFinal, a file that only grows gives what ScanSegment gives. NotFound if the
// file is gone.
absl::Status ContinueScan(const std::string& path, StreamId stream, SegmentEnd end,
                          ScanPosition& position, SegmentScan& scan);

}  // namespace gordian
