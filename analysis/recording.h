// SPDX-License-Identifier: Apache-2.0
// A recording, read: one node's, or those of many as one.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "analysis/read_options.h"
#include "analyzer/stacks/stacks.h"
#include "analyzer/timeline/timeline.h"
#include "jobs/phases/read_job.h"
#include "nodes/joined_nodes.h"
#include "schema/trace.pb.h"

namespace gordian {

class KeptStages;

// (A Recording is still being made: recorder/recording/recording.h.)
struct LoadedRecording {
  std::unique_ptr<Timeline> timeline;
  // Of many nodes: everything except the timeline above; else null.
  std::unique_ptr<JoinedNodes> nodes;
  std::string directory;                 // as it was asked for; empty: it was never a folder
  std::vector<std::string> directories;  // of the sessions, by node
  std::vector<std::string> left_out;     // nodes that could not be read, one line each
  // Its place in the store, and whether it came from there. Null: there is no store, or not all of
  // the recording was read.
  std::shared_ptr<const KeptStages> kept;
  bool is_from_store = false;
};

// Where the columns of a timeline lie that is read within that memory.
ColumnMemory ColumnsWithin(const MemoryOptions& options);

// From a timeline, or several joined, that exists already.
LoadedRecording RecordingOf(Timeline timeline);
LoadedRecording RecordingOf(JoinedNodes nodes);

// From a folder with one node's session, or with those of many, all until the same time.
absl::StatusOr<LoadedRecording> ReadRecording(const std::string& directory,
                                              const ReadOptions& options,
                                              const Progress& progress = {});
// Those of several folders, each a node's own, as if they lay in one. Their names are the folders'.
absl::StatusOr<LoadedRecording> ReadRecordingsAsNodes(const std::vector<std::string>& directories,
                                                      const ReadOptions& options,
                                                      const Progress& progress = {});
// One node's, and nothing else.
absl::StatusOr<std::unique_ptr<Timeline>> ReadTimeline(const std::string& directory,
                                                       const ReadOptions& options,
                                                       const Progress& progress = {});

// Of many nodes, for a job's phases: the reference first. Empty for one node.
std::vector<JobSession> JobSessionsOf(const LoadedRecording& recording);

// The samples of a node's resources.
struct NodeSamples {
  uint32_t node = 0;
  std::string name;
  std::vector<pb::ResourceBlock> blocks;
};

struct AllSamples {
  std::vector<NodeSamples> nodes;
  uint64_t unreadable = 0;  // nodes whose samples are there and cannot be read
};

AllSamples ReadSamples(const LoadedRecording& recording);

// The names of its code; without any, its stacks are unknown. `unreadable`: they are there and
// cannot be read.
Code ReadCode(const LoadedRecording& recording, bool& unreadable);

}  // namespace gordian
