// SPDX-License-Identifier: Apache-2.0
#include "live/metrics/live_metrics.h"

#include <algorithm>
#include <map>
#include <utility>

#include "absl/strings/str_join.h"
#include "base/time_units.h"
#include "live/metrics/metrics_writer.h"
#include "words/command_line.h"

namespace gordian {
namespace {

// At once and within an hour. Names that a frame tells have places first.
constexpr size_t kMostLimits = 100;
constexpr size_t kMostNamedVertices = 100;
constexpr size_t kMostEdges = 100;
constexpr size_t kMostDevices = 100;
// Of a frame: the others share the series "other".
constexpr int kVerticesOfFrame = 20;

using Labels = SeriesTable::Labels;
using enum MetricKind;

// Beyond the node, a device's kind is what LiveResource calls it.
Labels DeviceLabels(const pb::LiveResource& resource) {
  return {resource.node(), resource.what(), resource.name()};
}

// The vertices and devices of a recording of one node do not name it; series of one node have one
// name all the same.
void NameTheOnlyNode(pb::LiveFrame& frame) {
  if (frame.nodes_size() != 1) return;
  for (pb::LiveResource& resource : *frame.mutable_resources())
    if (resource.node().empty()) resource.set_node(frame.nodes(0).name());
}

void WriteTable(MetricsWriter& writer, const MetricFamily& family, const SeriesTable& table) {
  writer.Begin(family);
  for (const auto& [labels, value] : table.Samples()) writer.Sample(labels, value);
}

// Nodes are as many as were asked for; each has one name.
template <typename Value>
void WriteNodes(MetricsWriter& writer, const MetricFamily& family, const pb::LiveFrame& frame,
                Value value_of) {
  std::map<std::string, double> samples;
  for (const pb::LiveNode& node : frame.nodes()) samples[BoundedText(node.name())] = value_of(node);
  writer.Begin(family);
  for (const auto& [name, value] : samples) writer.Sample({name}, value);
}

void WriteCpus(MetricsWriter& writer, const pb::LiveFrame& frame) {
  std::map<std::string, std::pair<double, double>> samples;
  for (const pb::LiveResource& resource : frame.resources())
    if (resource.what() == "cpus")
      samples[BoundedText(resource.node())] = {resource.use(), resource.capacity()};
  writer.Begin(
      {kGauge, "gordian_cpus_busy", "", "CPUs that were busy, on average of the frame", {"node"}});
  for (const auto& [node, cpus] : samples) writer.Sample({node}, cpus.first);
  writer.Begin({kGauge, "gordian_cpus", "", "CPUs of the node; 0 if that is not known", {"node"}});
  for (const auto& [node, cpus] : samples) writer.Sample({node}, cpus.second);
}

void WriteQuality(MetricsWriter& writer, const pb::LiveQuality& quality) {
  writer.One({kGauge,
              "gordian_lag_seconds",
              "seconds",
              "Time from the end of the frame until the frame was made",
              {}},
             quality.lag_s());
  writer.One({kGauge,
              "gordian_unknown_ratio",
              "ratio",
              "Share of the target's thread time of which nothing is known",
              {}},
             quality.unknown_share());
  writer.One({kGauge,
              "gordian_without_cause_ratio",
              "ratio",
              "Share of the target's waiting time without a known cause",
              {}},
             quality.without_cause_share());
  writer.One({kGauge,
              "gordian_stalled_ratio",
              "ratio",
              "Share of the frame in which all target threads waited and nothing was under way",
              {}},
             quality.stalled_share());
  writer.One({kGauge,
              "gordian_open_waits",
              "",
              "Waits of the target that have not ended: what the frame says of them can change",
              {}},
             static_cast<double>(quality.open_waits()));
}

void WriteRequests(MetricsWriter& writer, const pb::LiveFrame& frame) {
  if (!frame.has_requests()) return;
  const pb::LiveRequests& requests = frame.requests();
  writer.One({kGauge,
              "gordian_finished_requests_per_second",
              "",
              "Requests that the target answered in the frame's last second, found from packets",
              {}},
             requests.finished_per_s());
  writer.One({kGauge,
              "gordian_request_median_seconds",
              "seconds",
              "Half of the frame's requests took at most so long",
              {}},
             requests.median_s());
  writer.One({kGauge,
              "gordian_request_p99_seconds",
              "seconds",
              "99 % of the frame's requests took at most so long",
              {}},
             requests.p99_s());
  writer.One({kGauge,
              "gordian_open_requests",
              "",
              "Requests without an answer at the frame's end, or when their connection ended",
              {}},
             static_cast<double>(requests.open()));
}

void WriteNodeFamilies(MetricsWriter& writer, const pb::LiveFrame& frame) {
  WriteNodes(writer,
             {kGauge, "gordian_node_up", "", "1 while the node's recording is followed", {"node"}},
             frame, [](const pb::LiveNode& node) {
               return node.state() == "ended" || node.state() == "lost" ? 0.0 : 1.0;
             });
  WriteNodes(writer,
             {kGauge,
              "gordian_node_behind_seconds",
              "seconds",
              "Recorded time that the node is behind the one that is furthest",
              {"node"}},
             frame, [](const pb::LiveNode& node) { return node.behind_s(); });
  WriteNodes(writer,
             {kGauge, "gordian_recorder_cpus", "", "CPUs that the node's recorder takes", {"node"}},
             frame, [](const pb::LiveNode& node) { return node.recorder_cpu(); });
}

void WriteRules(MetricsWriter& writer, const std::vector<RuleCounts>& rules) {
  writer.Begin({kCounter, "gordian_rule_fired", "", "How often the rule fired", {"rule"}});
  for (const RuleCounts& rule : rules) writer.Sample({rule.rule}, static_cast<double>(rule.fired));
  writer.Begin({kCounter,
                "gordian_rule_failed",
                "",
                "Actions of the rule that failed or were left out",
                {"rule"}});
  for (const RuleCounts& rule : rules) writer.Sample({rule.rule}, static_cast<double>(rule.failed));
}

}  // namespace

LiveMetrics::LiveMetrics()
    : limit_share_(2, kMostLimits, SeriesTable::Lifetime::kFrame),
      limit_held_s_(2, kMostLimits, SeriesTable::Lifetime::kFrame),
      limit_gain_(2, kMostLimits, SeriesTable::Lifetime::kFrame),
      participation_(1, kMostNamedVertices, SeriesTable::Lifetime::kFrame),
      waits_s_(2, kMostEdges, SeriesTable::Lifetime::kGrowing),
      device_busy_(3, kMostDevices, SeriesTable::Lifetime::kFrame),
      device_bytes_(3, kMostDevices, SeriesTable::Lifetime::kFrame),
      device_operations_(3, kMostDevices, SeriesTable::Lifetime::kFrame) {}

void LiveMetrics::Add(const pb::LiveFrame& frame, uint64_t window_ns) {
  AddWaits(frame, window_ns);
  AddLimit(frame);
  AddParticipation(frame);
  ++frames_;
  last_ = frame;
  NameTheOnlyNode(last_);
  AddDevices(last_);
  AddLosses(last_.quality());
  last_.clear_findings();
  last_.clear_waits();
  last_.clear_vertices();
  last_.clear_strip();
}

void LiveMetrics::AddLimit(const pb::LiveFrame& frame) {
  for (SeriesTable* table : {&limit_share_, &limit_held_s_, &limit_gain_})
    table->Begin(frame.to_s());
  if (frame.findings().empty()) return limit_share_.Add({"none", ""}, 0);
  const pb::LiveFinding& first = frame.findings(0);
  const Labels labels = {first.kind(), absl::StrJoin(first.members(), ", ")};
  limit_share_.Add(labels, first.share());
  limit_held_s_.Add(labels, frame.held_s());
  if (first.upper_bound_gain() > 0) limit_gain_.Add(labels, first.upper_bound_gain());
}

// All vertices' participations add up to 1; those that the frame leaves out are the rest. If all
// are 0 there was no critical path.
void LiveMetrics::AddParticipation(const pb::LiveFrame& frame) {
  participation_.Begin(frame.to_s());
  std::vector<const pb::LiveVertex*> vertices;
  for (const pb::LiveVertex& vertex : frame.vertices())
    if (vertex.participation() > 0) vertices.push_back(&vertex);
  if (vertices.empty()) return;
  std::stable_sort(vertices.begin(), vertices.end(), [](const auto* a, const auto* b) {
    return a->participation() > b->participation();
  });
  if (vertices.size() > kVerticesOfFrame) vertices.resize(kVerticesOfFrame);
  double rest = 1;
  for (const pb::LiveVertex* vertex : vertices) {
    participation_.Add({vertex->label()}, vertex->participation());
    rest -= vertex->participation();
  }
  participation_.AddOther(std::max(0.0, rest));
}

void LiveMetrics::AddWaits(const pb::LiveFrame& frame, uint64_t window_ns) {
  const double window_s = SecondsOf(window_ns);
  waits_s_.Begin(frame.to_s());
  // The first frame has nothing new: the counter begins there. A recording's first seconds are in
  // frames that are shorter, but in as many.
  const double step_s = frames_ == 0 ? 0 : std::max(0.0, frame.to_s() - last_.to_s());
  unseen_s_ += std::max(0.0, step_s - window_s);
  if (window_ns == 0) return;
  const double new_share = std::min(1.0, step_s / window_s);
  for (const pb::LiveWait& wait : frame.waits())
    waits_s_.Add({wait.from(), wait.to()}, std::max(0.0, wait.weight_s()) * new_share);
  waits_s_.AddOther(std::max(0.0, frame.other_waits_s()) * new_share);
}

void LiveMetrics::AddDevices(const pb::LiveFrame& frame) {
  for (SeriesTable* table : {&device_busy_, &device_bytes_, &device_operations_})
    table->Begin(frame.to_s());
  std::vector<const pb::LiveResource*> devices;
  for (const pb::LiveResource& resource : frame.resources())
    if (resource.what() != "cpus") devices.push_back(&resource);
  std::stable_sort(devices.begin(), devices.end(), [](const auto* a, const auto* b) {
    return a->bytes_per_s() > b->bytes_per_s();
  });
  for (const pb::LiveResource* device : devices) {
    if (device->what() == "disk") device_busy_.Add(DeviceLabels(*device), device->use());
    device_bytes_.Add(DeviceLabels(*device), device->bytes_per_s());
    device_operations_.Add(DeviceLabels(*device), device->operations_per_s());
  }
}

// They count since the beginning. A node that is gone takes nothing back.
void LiveMetrics::AddLosses(const pb::LiveQuality& quality) {
  lost_ = std::max(lost_, static_cast<double>(quality.lost()));
  lost_blocks_ = std::max(lost_blocks_, static_cast<double>(quality.lost_blocks()));
  told_late_ = std::max(told_late_, static_cast<double>(quality.told_late()));
  paused_s_ = std::max(paused_s_, quality.paused_s());
}

std::string LiveMetrics::Text(MetricsFormat format) const {
  MetricsWriter writer(format);
  writer.One({kCounter, "gordian_frames", "", "Frames made", {}}, static_cast<double>(frames_));
  writer.One(
      {kGauge, "gordian_frame_seconds", "seconds", "Recorded time at the last frame's end", {}},
      last_.to_s());
  writer.One({kCounter,
              "gordian_unseen_seconds",
              "seconds",
              "Recorded time that was in no frame, as the follower was slow",
              {}},
             unseen_s_);
  writer.One({kGauge, "gordian_ended", "", "1 if the recording has ended", {}},
             last_.ended() ? 1 : 0);
  WriteTable(writer,
             {kGauge,
              "gordian_limit_ratio",
              "ratio",
              "Share of the frame that the first finding holds",
              {"kind", "members"}},
             limit_share_);
  WriteTable(writer,
             {kGauge,
              "gordian_limit_held_seconds",
              "seconds",
              "How long the first finding has been the first",
              {"kind", "members"}},
             limit_held_s_);
  WriteTable(writer,
             {kGauge,
              "gordian_limit_gain_bound",
              "",
              "Upper bound of the throughput without the first finding, 2 for twice as much",
              {"kind", "members"}},
             limit_gain_);
  WriteTable(writer,
             {kGauge,
              "gordian_participation_ratio",
              "ratio",
              "Share of the critical paths; all of them add up to 1",
              {"vertex"}},
             participation_);
  WriteTable(writer,
             {kCounter,
              "gordian_wait_seconds",
              "seconds",
              "Waiting by edge, own and cascaded, of the target",
              {"from", "to"}},
             waits_s_);
  WriteCpus(writer, last_);
  WriteTable(writer,
             {kGauge,
              "gordian_device_busy_ratio",
              "ratio",
              "Share of the frame in which the disk was busy",
              {"node", "kind", "device"}},
             device_busy_);
  WriteTable(writer,
             {kGauge,
              "gordian_device_bytes_per_second",
              "",
              "Bytes a second through the disk or interface",
              {"node", "kind", "device"}},
             device_bytes_);
  WriteTable(writer,
             {kGauge,
              "gordian_device_operations_per_second",
              "",
              "Operations or packets a second of the disk or interface",
              {"node", "kind", "device"}},
             device_operations_);
  WriteQuality(writer, last_.quality());
  WriteRequests(writer, last_);
  writer.One({kCounter, "gordian_lost_records", "", "Records that the recorder lost", {}}, lost_);
  writer.One({kCounter, "gordian_lost_blocks", "", "Blocks that were never seen, or skipped", {}},
             lost_blocks_);
  writer.One({kCounter, "gordian_told_late", "", "Events told after their time was settled", {}},
             told_late_);
  writer.One({kCounter,
              "gordian_paused_seconds",
              "seconds",
              "Time in which the recorder paused to keep to its budget",
              {}},
             paused_s_);
  WriteNodeFamilies(writer, last_);
  WriteRules(writer, rules_);
  return writer.Finish();
}

}  // namespace gordian
