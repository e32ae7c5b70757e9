// SPDX-License-Identifier: Apache-2.0
// What holds a system while it runs. Follows a recording's folder, or those of many nodes, and says
// of the last seconds what an analysis of them would say.
//
//   auto live = LiveSession::Open({{.directory = "trace"}}, {});
//   while (!(*live)->ended()) {
//     auto moment = (*live)->Next();  // never waits
//     if (moment.ok() && *moment != nullptr) Show((*moment)->frame);
//     else …                          // sleep a little
//   }
//
// Each frame is an analysis (analysis/analysis.h) of the timeline of the last seconds
// (analyzer/timeline/recent_timeline.h): live and later are one code. A frame can come with each
// second of recorded time. A caller that asks less often gets the latest, and misses those between.
//
// Memory: the last window_ns of the timeline twice (with keep_analysis three times), and what
// live_node.h tells.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "analysis/options.h"
#include "analysis/recording.h"
#include "live/live_node.h"
#include "schema/live.pb.h"
#include "schema/report.pb.h"

namespace gordian {

class Analysis;

// A folder that grows: a recording on this machine, or the mirror of one elsewhere.
struct LiveNodeFolder {
  std::string name;  // empty: of one node alone
  std::string directory;
};

// The program that asks. On the node where it runs it is no part of what it looks at.
struct LiveObserver {
  int32_t pid = 0;      // as the kernel's first PID namespace numbers it; 0: not known
  std::string boot_id;  // of the machine it runs on
};

struct LiveOptions {
  uint64_t window_ns = 10'000'000'000;  // a frame's length
  TargetOptions target;
  VertexOptions graph;
  SearchOptions finding;
  int threads = 1;
  LiveObserver observer;
  // Threads, connections and locks of a node; beyond, it is read anew (live_node.h). So many take
  // 12 MB, and reading anew takes seconds: less would be no use.
  uint64_t most_remembered = 20'000;
  // Asked between two seconds of a recording that has much to be read yet.
  std::function<bool()> should_stop;
  bool keep_analysis = false;  // in each moment
};

// How far a node's recording is told by a frame, on the node's own clock.
struct LiveNodeTime {
  std::string name;  // empty: of one node alone
  std::string directory;
  uint64_t until_clock_ns = 0;
};

struct LiveMoment {
  pb::LiveFrame frame;
  pb::Report report;  // all of it, for who looks into a vertex
  std::vector<LiveNodeTime> nodes;
  // If the options say so: what the frame was made of. Who holds on to it holds the window's
  // timeline.
  std::shared_ptr<const Analysis> analysis;
};

class LiveSession {
 public:
  // The statuses of TimelineStream::Follow. At least one folder; several have names.
  static absl::StatusOr<std::unique_ptr<LiveSession>> Open(std::vector<LiveNodeFolder> folders,
                                                           const LiveOptions& options);

  // Reads what has been recorded meanwhile, and makes the frame of its last second. Null: no second
  // has passed, or there is nothing to judge yet. Of many nodes an error of one is told in the
  // frame, and the others go on; if none is left it is returned. Cancelled if it should stop. Valid
  // until the next call.
  absl::StatusOr<const LiveMoment*> Next();
  // Reads what has been recorded meanwhile, and makes no frame: nobody would look at it. False if
  // no second has passed; else Times() are those of its last one. The statuses of Next.
  absl::StatusOr<bool> ReadOn();
  // How far each node is known now.
  std::vector<LiveNodeTime> Times() const;
  // The recordings have ended, and the last frame was given.
  bool ended() const;

  uint64_t window_ns() const { return options_.window_ns; }
  // How often nodes were read anew, since they remembered too much.
  uint64_t renewals() const;
  // Of the next frames. What is kept for the present window is all that a longer one has at first.
  void SetWindow(uint64_t window_ns);
  // Nobody writes the node's recording any more, as the caller knows.
  void EndHere(const std::string& node, const std::string& because);

 private:
  explicit LiveSession(const LiveOptions& options) : options_(options) {}
  absl::StatusOr<bool> ReadNews();
  // The recording as it is now, and how far all of its nodes are known.
  LoadedRecording Make(uint64_t& until_ns) const;
  void TellNodes(const WaitForGraph& graph);
  void TellRequests(const Analysis& analysis);
  void TellLag(const Analysis& analysis);
  uint64_t LeftOutByNodes() const;
  bool goes_on() const;
  void GoOnFromFrameBefore(const Analysis& analysis, pb::LiveFrame& frame);
  void Remember(pb::LiveFrame& frame);

  LiveOptions options_;
  std::vector<LiveNode> nodes_;
  LiveMoment moment_;
  bool has_given_end_ = false;
  bool has_unjudged_ = false;  // what ReadOn has read
  std::deque<pb::LiveSecond> strip_;
  std::string first_finding_;  // its kind and members
  double first_since_s_ = 0;
  // Of the last frame: its end, by the clock and as it was told.
  uint64_t until_clock_ns_ = 0;
  uint64_t until_ns_ = 0;
  uint64_t told_renewals_ = 0;  // until then
  uint64_t left_out_ns_ = 0;    // by them, of recorded time
};

}  // namespace gordian
