// SPDX-License-Identifier: Apache-2.0
#include "live/live_session.h"

#include <algorithm>
#include <limits>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "analysis/analysis.h"
#include "base/time_units.h"
#include "live/fill_frame.h"
#include "live/live_requests.h"
#include "nodes/held_back.h"
#include "nodes/joined_nodes.h"
#include "nodes/own_messages.h"

namespace gordian {
namespace {

constexpr uint64_t kSecondsInStrip = 60;
// Packets from just before the window may end waits within it.
constexpr uint64_t kMoreThanWindowNs = kNsPerSecond;

// CPUs that the recorder on that node takes.
double RecorderCpus(const WaitForGraph& graph, const std::string& node) {
  const auto found = std::find(graph.nodes.begin(), graph.nodes.end(), node);
  const auto number =
      found == graph.nodes.end() ? 0u : static_cast<uint32_t>(found - graph.nodes.begin());
  uint64_t run_ns = 0;
  for (const Entity& entity : graph.entities)
    if (entity.recorder && entity.node == number) run_ns += entity.run_ns;
  return SecondsOf(run_ns) / SecondsOf(graph.end_ns - graph.start_ns);
}

}  // namespace

absl::StatusOr<std::unique_ptr<LiveSession>> LiveSession::Open(std::vector<LiveNodeFolder> folders,
                                                               const LiveOptions& options) {
  // As those of a collected folder.
  std::sort(folders.begin(), folders.end(),
            [](const LiveNodeFolder& a, const LiveNodeFolder& b) { return a.name < b.name; });
  std::unique_ptr<LiveSession> live(new LiveSession(options));
  const LiveNodeOptions node_options{.keep_ns = options.window_ns + kMoreThanWindowNs,
                                     .threads = options.threads,
                                     .most_remembered = options.most_remembered};
  for (const LiveNodeFolder& folder : folders) {
    auto node = LiveNode::Open(folder.name, folder.directory, node_options);
    if (!node.ok()) return node.status();
    node->SetObserver(options.observer.pid, options.observer.boot_id);
    live->nodes_.push_back(*std::move(node));
  }
  return live;
}

bool LiveSession::goes_on() const {
  return std::any_of(nodes_.begin(), nodes_.end(),
                     [](const LiveNode& node) { return node.goes_on(); });
}

// What was read and not judged is worth a frame, also if it is all there will be.
bool LiveSession::ended() const { return has_given_end_ || (!goes_on() && !has_unjudged_); }

void LiveSession::SetWindow(uint64_t window_ns) {
  options_.window_ns = window_ns;
  for (LiveNode& node : nodes_) node.SetKept(window_ns + kMoreThanWindowNs);
}

void LiveSession::EndHere(const std::string& name, const std::string& because) {
  for (LiveNode& node : nodes_)
    if (node.name() == name) node.EndHere(because);
}

// Whether there is any. A node that cannot be read any more stays as it is.
absl::StatusOr<bool> LiveSession::ReadNews() {
  bool is_any = false;
  absl::Status failure;
  for (LiveNode& node : nodes_) {
    while (node.goes_on()) {
      if (options_.should_stop && options_.should_stop()) return absl::CancelledError("stopped");
      const auto advanced = node.Advance();
      if (!advanced.ok()) failure.Update(advanced.status());
      is_any |= !advanced.ok() || *advanced;
      if (!advanced.ok() || !*advanced) break;
    }
    node.RenewIfNeeded();
  }
  const bool is_none_left = std::all_of(nodes_.begin(), nodes_.end(),
                                        [](const LiveNode& node) { return node.is_lost(); });
  if (is_none_left) return failure;
  return is_any;
}

LoadedRecording LiveSession::Make(uint64_t& until_ns) const {
  if (nodes_.size() == 1 && nodes_[0].name().empty()) {
    Timeline timeline = nodes_[0].recent().Make();
    until_ns = nodes_[0].recent().until_ns();
    MarkHeldBack(timeline);
    MatchOwnMessages(timeline, options_.threads);
    return RecordingOf(std::move(timeline));
  }
  std::vector<NodeTimeline> made;
  std::vector<uint64_t> ends_ns;  // on the nodes' clocks
  for (const LiveNode& node : nodes_) {
    if (!node.has_begun()) continue;
    made.push_back({node.name(), node.recent().Make()});
    // Who is gone holds nobody back.
    ends_ns.push_back(node.goes_on()
                          ? made.back().timeline.pauses().ClockTime(node.recent().until_ns())
                          : std::numeric_limits<uint64_t>::max());
  }
  std::vector<const Timeline*> timelines;
  timelines.reserve(made.size());
  for (const NodeTimeline& node : made) timelines.push_back(&node.timeline);
  for (NodeTimeline& node : made) MarkHeldBack(node.timeline, timelines);
  JoinedNodes joined = JoinNodes(std::move(made), options_.threads);
  until_ns = joined.timeline.end_ns();
  for (size_t i = 0; i < ends_ns.size(); ++i) {
    if (ends_ns[i] == std::numeric_limits<uint64_t>::max()) continue;
    until_ns = std::min(
        until_ns, joined.timeline.pauses().RecordedTime(joined.clocks[i].ToReference(ends_ns[i])));
  }
  return RecordingOf(std::move(joined));
}

absl::StatusOr<const LiveMoment*> LiveSession::Next() {
  if (ended()) return nullptr;
  const auto news = ReadNews();
  if (!news.ok()) return news.status();
  const bool has_unjudged = std::exchange(has_unjudged_, false);
  if ((!*news && !has_unjudged) ||
      std::none_of(nodes_.begin(), nodes_.end(),
                   [](const LiveNode& node) { return node.has_begun(); }))
    return nullptr;
  const bool is_last = !goes_on();
  moment_.analysis = nullptr;
  uint64_t until_ns = 0;
  LoadedRecording recording = Make(until_ns);
  const uint64_t start_ns = recording.timeline->start_ns();
  if (until_ns <= start_ns) return nullptr;
  const uint64_t to_ns = until_ns - start_ns;
  AnalysisOptions options;
  options.target = options_.target;
  options.graph = options_.graph;
  options.finding = options_.finding;
  options.threads = options_.threads;
  options.range = {.from_ns = to_ns - std::min(to_ns, options_.window_ns), .to_ns = to_ns};
  auto made = Analysis::Run(std::move(recording), options);
  has_given_end_ = is_last;
  if (!made.ok()) return made.status();
  const auto analysis = std::make_shared<const Analysis>(*std::move(made));
  if (options_.keep_analysis) moment_.analysis = analysis;
  moment_.frame = FrameOf(*analysis);
  GoOnFromFrameBefore(*analysis, moment_.frame);
  TellRequests(*analysis);
  moment_.report = analysis->report();
  TellNodes(analysis->wait_for_graph());
  if (!is_last) TellLag(*analysis);
  Remember(moment_.frame);
  moment_.frame.set_ended(is_last);
  return &moment_;
}

absl::StatusOr<bool> LiveSession::ReadOn() {
  if (ended()) return false;
  const auto news = ReadNews();
  if (!news.ok()) return news.status();
  has_unjudged_ |= *news;
  return *news;
}

std::vector<LiveNodeTime> LiveSession::Times() const {
  std::vector<LiveNodeTime> times;
  for (const LiveNode& node : nodes_)
    times.push_back(
        {node.name(), node.directory(),
         node.has_begun() ? node.stream().pauses().ClockTime(node.recent().until_ns()) : 0});
  return times;
}

// What flows mean is asked of the streams: a timeline forgets it once its messages are matched.
void LiveSession::TellRequests(const Analysis& analysis) {
  std::span<const FlowTable> flows(&nodes_.front().stream().flows(), 1);
  std::vector<FlowTable> of_nodes;  // in the order of Make
  if (analysis.nodes() != nullptr) {
    for (const LiveNode& node : nodes_)
      if (node.has_begun()) of_nodes.push_back(node.stream().flows());
    flows = of_nodes;
  }
  if (auto requests = LiveRequestsOf(analysis, flows))
    *moment_.frame.mutable_requests() = *std::move(requests);
}

uint64_t LiveSession::renewals() const {
  uint64_t renewals = 0;
  for (const LiveNode& node : nodes_) renewals += node.renewals();
  return renewals;
}

// Before the first frame: of one node exactly, of many as far as the first one goes.
uint64_t LiveSession::LeftOutByNodes() const {
  uint64_t left_out_ns = 0;
  for (const LiveNode& node : nodes_) left_out_ns = std::max(left_out_ns, node.left_out_ns());
  return left_out_ns;
}

// A node that was read anew begins later: times are told from the first beginning all the same.
void LiveSession::GoOnFromFrameBefore(const Analysis& analysis, pb::LiveFrame& frame) {
  const Timeline& timeline = analysis.timeline();
  const uint64_t all = renewals();
  if (std::exchange(told_renewals_, all) != all) {
    left_out_ns_ =
        until_clock_ns_ == 0
            ? LeftOutByNodes()
            : until_ns_ - (timeline.pauses().RecordedTime(until_clock_ns_) - timeline.start_ns());
  }
  const auto told = [&](uint64_t time_ns) { return time_ns - timeline.start_ns() + left_out_ns_; };
  const TimeRange& range = analysis.range();
  frame.set_from_s(SecondsOf(told(range.from_ns)));
  frame.set_to_s(SecondsOf(told(range.to_ns)));
  until_clock_ns_ = timeline.pauses().ClockTime(range.to_ns);
  until_ns_ = told(range.to_ns);
}

// By the clock of day that the recording tells: of a folder from elsewhere that may be another one.
void LiveSession::TellLag(const Analysis& analysis) {
  const std::optional<int64_t> at_ns = RealtimeAt(analysis.timeline(), analysis.range().to_ns);
  if (!at_ns) return;
  const int64_t lag_ns = absl::GetCurrentTimeNanos() - *at_ns;
  if (lag_ns > 0)
    moment_.frame.mutable_quality()->set_lag_s(SecondsOf(static_cast<uint64_t>(lag_ns)));
}

void LiveSession::TellNodes(const WaitForGraph& graph) {
  moment_.nodes = Times();
  pb::LiveQuality& quality = *moment_.frame.mutable_quality();
  uint64_t furthest_ns = 0;
  uint64_t lost = 0;
  uint64_t paused_ns = 0;
  for (const LiveNode& node : nodes_) {
    lost += node.lost();
    paused_ns = std::max(paused_ns, node.paused_before_ns());
    quality.set_told_late(quality.told_late() + node.told_late());
    quality.set_lost_blocks(quality.lost_blocks() + node.lost_blocks());
    if (node.has_begun()) furthest_ns = std::max(furthest_ns, node.recorded_ns());
  }
  quality.set_lost(lost);
  quality.set_paused_s(quality.paused_s() + SecondsOf(paused_ns));
  for (const LiveNode& node : nodes_) {
    const TimelineStream& stream = node.stream();
    pb::LiveNode& told = *moment_.frame.add_nodes();
    told.set_name(node.name().empty() ? stream.session().host().hostname() : node.name());
    told.set_state(node.is_lost() ? "lost" : stream.ended() ? "ended" : "follows");
    told.set_because(node.because().empty() && stream.ended() ? stream.session().end_reason()
                                                              : node.because());
    if (node.has_begun()) told.set_behind_s(SecondsOf(furthest_ns - node.recorded_ns()));
    told.set_lost(node.lost());
    told.set_recorder_cpu(RecorderCpus(graph, node.name()));
  }
}

// The strip, and since when the first finding has been the first.
void LiveSession::Remember(pb::LiveFrame& frame) {
  const std::string identity = IdentityOfFirst(moment_.report);
  if (identity != first_finding_) {
    first_finding_ = identity;
    first_since_s_ = frame.to_s();
  }
  if (!identity.empty()) frame.set_held_s(frame.to_s() - first_since_s_);
  pb::LiveSecond& second = strip_.emplace_back();
  second.set_to_s(frame.to_s());
  if (!frame.findings().empty()) {
    const pb::LiveFinding& first = frame.findings(0);
    std::string limit;
    for (const std::string& member : first.members())
      absl::StrAppend(&limit, limit.empty() ? "" : ", ", member);
    second.set_limit(limit);
    second.set_kind(first.kind());
    second.set_share(first.share());
  }
  for (const pb::LiveResource& resource : frame.resources())
    if (resource.what() == "cpus") second.set_cpus(second.cpus() + resource.use());
  while (strip_.size() > kSecondsInStrip) strip_.pop_front();
  for (const pb::LiveSecond& one : strip_) *frame.add_strip() = one;
}

}  // namespace gordian
