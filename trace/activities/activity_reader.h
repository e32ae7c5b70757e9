// SPDX-License-Identifier: Apache-2.0
// Reads an activity graph's folder block by block, trusting nothing in it. Damaged parts are passed
// over and counted.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "schema/activities.pb.h"
#include "trace/activities/activity.h"
#include "trace/activities/activity_block.h"
#include "trace/file_io.h"
#include "trace/read_damage.h"
#include "trace/segment_scan.h"

namespace gordian {

class ActivityReader {
 public:
  // FailedPrecondition, in one line for the user, if the folder is no activity graph that this
  // version can read.
  static absl::StatusOr<std::unique_ptr<ActivityReader>> Open(const std::string& directory);

  const pb::ActivityGraph& header() const { return header_; }
  // The first beginning and the last end of an edge. Both 0 in a graph without edges.
  uint64_t first_ns() const { return first_ns_; }
  uint64_t last_ns() const { return last_ns_; }

  // Begins again with the first edge. From now on, blocks whose edges all end before `from_ns`, or
  // begin after `to_ns`, are passed over.
  void Rewind(uint64_t from_ns, uint64_t to_ns);
  // Replaces `edges` with the next ones, which begin no earlier than those before. False at the
  // end. ResourceExhausted if there are too many names.
  absl::StatusOr<bool> Next(std::vector<ActivityEdge>& edges);

  const ActivityNames& names() const { return names_; }  // of the edges read so far
  const ReadDamage& damage() const { return damage_; }   // met since it was opened
  // Edges that the header tells of and no block holds.
  uint64_t missing_edges() const { return missing_edges_; }

 private:
  ActivityReader() = default;
  void LookAtBlocks();

  std::string path_;
  InputFile file_;
  pb::ActivityGraph header_;
  std::vector<FoundBlock> blocks_;
  size_t next_block_ = 0;
  uint64_t from_ns_ = 0;
  uint64_t to_ns_ = kMaxActivityNs;
  uint64_t last_src_ns_ = 0;  // of the edges given out
  uint64_t first_ns_ = 0;
  uint64_t last_ns_ = 0;
  uint64_t missing_edges_ = 0;
  ActivityNames names_;
  ActivityBlockDecoder decoder_;
  ReadDamage damage_;
};

}  // namespace gordian
