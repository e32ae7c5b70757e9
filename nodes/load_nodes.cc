// SPDX-License-Identifier: Apache-2.0
// Reads the recordings of many nodes beside each other: all to one instant, then all to the next.
// So reading can end at any of these instants with the same time of each node.
//
// How it works: each node's clock as it was measured tells where it stood at these instants. They
// are windows' ends there, and a timeline ends where windows do.
#include <algorithm>
#include <limits>
#include <memory>
#include <utility>

#include "absl/strings/str_cat.h"
#include "analyzer/timeline/timeline_loader.h"
#include "base/parallel.h"
#include "nodes/held_back.h"
#include "nodes/joined_nodes.h"
#include "nodes/joint_time.h"
#include "nodes/node_clocks.h"
#include "trace/session_reader.h"

namespace gordian {
namespace {

constexpr uint64_t kNever = std::numeric_limits<uint64_t>::max();
// Clocks of CLOCK_MONOTONIC are far below; sums with offsets stay below 2⁶³.
constexpr uint64_t kLastClockNs = uint64_t{1} << 62;

class NodesReader {
 public:
  NodesReader(TimelineOptions options, std::vector<std::string>& skipped)
      : options_(std::move(options)), skipped_(skipped) {
    options_.keep_packet_wakes = true;
  }

  // False if no node has any event.
  bool Begin(const std::vector<NodeSession>& sessions) {
    for (const NodeSession& session : sessions) Open(session);
    FindClocks();
    FindStops();
    for (Node& node : nodes_) {
      TimelineOptions own = options_;
      if (options_.until_ns != kNever) own.until_ns = OwnTime(node, options_.until_ns);
      node.loader = std::make_unique<TimelineLoader>(*node.reader, std::move(own));
      std::vector<uint64_t> stops_ns;
      stops_ns.reserve(stops_ns_.size());
      for (const uint64_t stop_ns : stops_ns_) stops_ns.push_back(OwnTime(node, stop_ns));
      if (absl::Status status = node.loader->Begin(stops_ns); !status.ok()) Skip(node, status);
    }
    DropSkipped();
    return !nodes_.empty();
  }

  void Read(const Progress& progress) {
    for (const uint64_t stop_ns : stops_ns_) {
      ReadUntil(stop_ns, progress);
      if (options_.keep_reading({.until_ns = stop_ns, .share = ShareOfAll()})) continue;
      options_.until_ns = stop_ns;
      return;
    }
    ReadUntil(kNever, progress);
  }

  std::vector<NodeTimeline> Finish() {
    std::vector<NodeTimeline> timelines;
    for (Node& node : nodes_) {
      const absl::Status not_read =
          absl::CancelledError("reading was stopped before anything of it was read");
      if (!node.loader->HasBegun()) {
        Skip(node, not_read);
        continue;
      }
      NodeTimeline timeline{.name = node.session.node, .timeline = node.loader->Finish()};
      if (options_.until_ns != kNever) timeline.read_until_ns = OwnClock(node, options_.until_ns);
      node.loader.reset();
      if (timeline.timeline.events() == 0 && timeline.timeline.unread_ns() > 0) {
        Skip(node, not_read);
        continue;
      }
      timelines.push_back(std::move(timeline));
    }
    return timelines;
  }

  const absl::Status& first_failure() const { return first_failure_; }

 private:
  struct Node {
    NodeSession session;
    std::unique_ptr<SessionReader> reader;
    ClockMap clock;
    Pauses pauses;
    std::unique_ptr<TimelineLoader> loader;
    bool is_skipped = false;
  };

  void Open(const NodeSession& session) {
    Node node{.session = session};
    auto reader = SessionReader::Open(session.directory);
    if (!reader.ok()) return Skip(node, reader.status());
    node.reader = *std::move(reader);
    node.pauses = BlockSource::PausesOf(*node.reader);
    nodes_.push_back(std::move(node));
  }
  void Skip(Node& node, const absl::Status& why) {
    node.is_skipped = true;
    first_failure_.Update(why);
    skipped_.push_back(absl::StrCat(node.session.node, ": ", why.message()));
  }
  void DropSkipped() {
    std::erase_if(nodes_, [](const Node& node) { return node.is_skipped; });
  }

  void FindClocks() {
    if (nodes_.empty()) return;
    std::vector<NodeClockInput> inputs;
    inputs.reserve(nodes_.size());
    for (const Node& node : nodes_) inputs.push_back({node.session.node, &node.reader->session()});
    const NodeClocks clocks = ClocksOf(inputs);
    for (size_t i = 0; i < nodes_.size(); ++i) nodes_[i].clock = ClockMap(clocks.bounds[i]);
  }
  static uint64_t OwnClock(const Node& node, uint64_t reference_ns) {
    return FirstAt(node.clock, reference_ns, 0, kLastClockNs);
  }
  static uint64_t OwnTime(const Node& node, uint64_t reference_ns) {
    return node.pauses.RecordedTime(OwnClock(node, reference_ns));
  }

  // After so many events of all nodes that each step has work for all threads, and each node a
  // window or so.
  void FindStops() {
    if (!options_.keep_reading) return;
    struct Block {
      uint64_t first_ns = 0;
      uint64_t events = 0;
    };
    std::vector<Block> blocks;
    for (const Node& node : nodes_)
      for (const auto& stream : node.reader->cpus())
        for (const BlockInfo& info : stream->blocks())
          blocks.push_back({node.clock.ToReference(info.first_time_ns), info.events});
    std::sort(blocks.begin(), blocks.end(),
              [](const Block& a, const Block& b) { return a.first_ns < b.first_ns; });
    const size_t per_window =
        options_.events_per_window != 0 ? options_.events_per_window : kEventsPerWindow;
    const size_t windows =
        std::max(nodes_.size(), 4 * static_cast<size_t>(ThreadCount(options_.threads)));
    uint64_t events = 0;
    for (const Block& block : blocks) {
      if (block.first_ns >= options_.until_ns) break;
      if (events >= per_window * windows) {
        stops_ns_.push_back(block.first_ns);
        events = 0;
      }
      events += block.events;
    }
  }

  void ReadUntil(uint64_t stop_ns, const Progress& progress) {
    for (Node& node : nodes_) {
      const uint64_t own_ns = stop_ns == kNever ? kNever : OwnTime(node, stop_ns);
      while (!node.loader->IsReadUntil(own_ns)) {
        node.loader->ReadSome(own_ns);
        if (progress) progress(ShareOfAll());
      }
      // Many nodes would hold much that only one of them uses at a time.
      node.loader->ReleaseMemory();
    }
  }
  double ShareOfAll() const {
    double sum = 0;
    for (const Node& node : nodes_) sum += node.loader->share();
    return sum / static_cast<double>(nodes_.size());
  }

  TimelineOptions options_;
  std::vector<std::string>& skipped_;
  absl::Status first_failure_;
  std::vector<Node> nodes_;
  std::vector<uint64_t> stops_ns_;  // on the reference's clock
};

}  // namespace

absl::StatusOr<JoinedNodes> LoadNodes(const std::vector<NodeSession>& sessions,
                                      const TimelineOptions& options, const Progress& progress,
                                      std::vector<std::string>& skipped) {
  NodesReader reader(options, skipped);
  if (!reader.Begin(sessions)) return reader.first_failure();
  reader.Read(progress);
  std::vector<NodeTimeline> nodes = reader.Finish();
  if (nodes.empty()) return reader.first_failure();
  return JoinReadNodes(std::move(nodes), options.threads);
}

JoinedNodes JoinReadNodes(std::vector<NodeTimeline> nodes, int threads) {
  std::vector<const Timeline*> timelines;
  timelines.reserve(nodes.size());
  for (const NodeTimeline& node : nodes) timelines.push_back(&node.timeline);
  for (NodeTimeline& node : nodes) MarkHeldBack(node.timeline, timelines);
  return JoinNodes(std::move(nodes), threads);
}

}  // namespace gordian
