// SPDX-License-Identifier: Apache-2.0
// Writes an activity graph's folder. Edges come in any order, and lie in the file in order of their
// beginnings.
//
// Memory holds the different names and a run of edges. Full runs are sorted and written behind one
// another. If each began after the one before had ended, the file is finished; else the runs are
// merged into a new one.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "schema/activities.pb.h"
#include "trace/activities/activity.h"
#include "trace/activities/activity_block.h"
#include "trace/file_io.h"

namespace gordian {

inline constexpr uint32_t kActivityFormatVersion = 1;

// Nothing if `value` is 0.
void AddGraphCounter(pb::ActivityGraph& graph, std::string_view name, uint64_t value);

class ActivityWriter : public ActivitySink {
 public:
  static constexpr size_t kRunEdges = 2u << 20;

  // Makes `directory`, which may be there if it is empty.
  static absl::StatusOr<std::unique_ptr<ActivityWriter>> Create(const std::string& directory,
                                                                size_t run_edges = kRunEdges);

  // An edge back in time is counted and left out: such a thing has not happened. InvalidArgument
  // for a name or a time beyond the format's limits.
  absl::Status Add(const ToldActivity& activity) override;
  // Writes what is left, and `header` with the number of edges and the counters. Call it once.
  absl::Status Finish(pb::ActivityGraph& header);

  uint64_t edges() const { return edges_; }
  uint64_t bytes_on_disk() const { return bytes_on_disk_; }

 private:
  // Blocks of the file that are in order.
  struct Run {
    uint64_t first_ns = 0;
    uint64_t last_ns = 0;  // of the beginnings
    std::vector<FoundBlock> blocks;
  };

  ActivityWriter(std::string directory, size_t run_edges)
      : directory_(std::move(directory)), run_edges_(run_edges), encoder_(names_) {}

  std::string Path() const;
  std::string UnsortedPath() const { return Path() + ".unsorted"; }
  absl::Status BeginFile();
  absl::Status WriteRun();
  absl::Status WriteBlocks(std::span<const ActivityEdge> edges, Run& run);
  bool RunsAreInOrder() const;
  absl::Status MergeRuns();

  std::string directory_;
  size_t run_edges_;
  ActivityNames names_;
  ActivityBlockEncoder encoder_;
  std::vector<ActivityEdge> held_;
  std::vector<Run> runs_;
  FileHandle file_;
  uint64_t sequence_ = 0;
  uint64_t bytes_on_disk_ = 0;
  uint64_t edges_ = 0;
  uint64_t back_in_time_ = 0;
};

}  // namespace gordian
