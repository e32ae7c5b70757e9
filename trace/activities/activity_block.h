// SPDX-License-Identifier: Apache-2.0
// Inner to activity graphs' files: edges as blocks of a trace file.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "schema/activities.pb.h"
#include "trace/activities/activity.h"
#include "trace/block_decoder.h"
#include "trace/block_encoder.h"
#include "trace/file_io.h"
#include "trace/name_table.h"
#include "trace/segment_scan.h"

namespace gordian {

inline constexpr StreamId kActivityStream = {BlockKind::kActivities, kNoCpu};
// One of each run is in memory while runs are merged.
inline constexpr size_t kActivityBlockEdges = 8u << 10;

// Not thread-safe; keeps its memory from block to block.
class ActivityBlockEncoder {
 public:
  explicit ActivityBlockEncoder(const ActivityNames& names) : names_(names) {}

  // A block of the first of `edges`, which are in order of their beginnings, and how many these
  // are: at least one. The bytes are valid until the next call.
  absl::StatusOr<EncodedBlock> Encode(std::span<const ActivityEdge> edges, uint64_t sequence);

 private:
  // In a block: enough for any one edge's.
  static constexpr size_t kMaxBlockNameBytes = 1u << 20;

  uint32_t NumberInBlock(uint32_t name);
  size_t Count(std::span<const ActivityEdge> edges);
  void Fill(std::span<const ActivityEdge> edges);

  const ActivityNames& names_;
  BlockEncoder encoder_;
  pb::ActivityBlock message_;
  // By number of ActivityNames: the number in this block; 0: not in it yet.
  std::vector<uint32_t> number_in_block_;
  std::vector<uint32_t> names_in_block_;
  std::vector<uint64_t> column_;
};

// Trusts nothing in a block. Not thread-safe.
class ActivityBlockDecoder {
 public:
  // Reads block `found` of the file and replaces `edges`. DataLoss if it does not check;
  // ResourceExhausted if there are too many names.
  absl::Status Read(const FileHandle& file, const std::string& path, const FoundBlock& found,
                    ActivityNames& names, std::vector<ActivityEdge>& edges);
  // Of a payload in memory.
  absl::Status Decode(const BlockHeader& header, std::span<const uint8_t> payload,
                      ActivityNames& names, std::vector<ActivityEdge>& edges);

 private:
  absl::Status TakeNames(ActivityNames& names);
  absl::Status TakeEdges(const BlockHeader& header, std::vector<ActivityEdge>& edges) const;

  BlockDecoder decoder_;
  pb::ActivityBlock message_;
  std::vector<uint8_t> payload_;
  std::vector<std::string_view> texts_;
  std::vector<uint32_t> numbers_;  // by number in the block
};

}  // namespace gordian
