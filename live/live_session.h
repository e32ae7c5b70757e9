// SPDX-License-Identifier: Apache-2.0
// What holds a system while it runs. Follows a recording's folder, or those of many nodes, and says
// of the last seconds what an analysis of them would say.
//
//   auto live = LiveSession::Open({.nodes = {{.directory = "trace"}}}, {.window_ns = 10'000'000'000});
//   while (!(*live)->ended()) {
//     auto moment = (*live)->Next();            // never waits
//     if (moment.ok() && *moment != nullptr) Show((*moment)->frame);
//     else sleep a little
//   }
//
// Each frame is an analysis (analysis/analysis.h) of the timeline of the last seconds
// (analyzer/timeline/recent_timeline.h): live and later are one code. A frame comes with each second
// of recorded time; if several have passed, those in between get a place in the strip, and no frame.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "analysis/options.h"
#include "schema/live.pb.h"
#include "schema/report.pb.h"

namespace gordian {

// A folder that grows: a recording on this machine, or the mirror of one elsewhere.
struct LiveNodeFolder {
  std::string name;  // empty for one node alone
  std::string directory;
};

struct LiveOptions {
  uint64_t window_ns = 10'000'000'000;  // a frame's length
  TargetOptions target;
  VertexOptions graph;
  SearchOptions finding;
  int threads = 1;
};

struct LiveMoment {
  pb::LiveFrame frame;
  pb::Report report;  // all of it, for who looks into a vertex
};

class LiveSession {
 public:
  // NotFound if a folder is no recording (yet); the statuses of TimelineStream::Follow.
  static absl::StatusOr<std::unique_ptr<LiveSession>> Open(std::vector<LiveNodeFolder> nodes,
                                                           const LiveOptions& options);
  virtual ~LiveSession() = default;

  // Reads what has been recorded meanwhile, and makes the frame of its last second. Null: no second
  // has passed, or nothing can be judged yet. An error of one node of many is told in the frame,
  // and the rest goes on; an error is returned if no node is left. Valid until the next call.
  virtual absl::StatusOr<const LiveMoment*> Next() = 0;
  // The recordings have ended, and the last frame was given.
  virtual bool ended() const = 0;

  // From the next frame on.
  virtual void SetWindow(uint64_t window_ns) = 0;
  // Nobody writes the node's recording any more, as the caller knows (its mirror ended).
  virtual void EndHere(const std::string& node, const std::string& because) = 0;
};

}  // namespace gordian
