// SPDX-License-Identifier: Apache-2.0
#include "analyzer/findings/evidence/measures.h"

#include <algorithm>
#include <utility>

#include "analyzer/findings/evidence/thresholds.h"

namespace gordian {

Measures::Measures(const WaitForGraph& recording, const MergedGraph& graph)
    : graph_(graph), cpus_(std::max(1u, recording.cpus)), first_edge_(graph.vertices.size() + 1) {
  const bool forwards = recording.end_ns > recording.start_ns;
  span_ns_ = forwards ? static_cast<double>(recording.end_ns - recording.start_ns) : 1.0;
  for (const Edge& edge : graph.edges) ++first_edge_[edge.from + 1];
  for (size_t i = 1; i < first_edge_.size(); ++i) first_edge_[i] += first_edge_[i - 1];
  double cpu_ns = 0;
  for (const Vertex& vertex : graph.vertices) cpu_ns += static_cast<double>(vertex.cpu_ns());
  machine_cpu_share_ = std::min(1.0, cpu_ns / span_ns_ / cpus_);
}

std::span<const Edge> Measures::edges_from(uint32_t vertex) const {
  return std::span(graph_.edges)
      .subspan(first_edge_[vertex], first_edge_[vertex + 1] - first_edge_[vertex]);
}

const Edge* Measures::FindEdge(uint32_t from, uint32_t to) const {
  const std::span<const Edge> edges = edges_from(from);
  const auto place = std::lower_bound(edges.begin(), edges.end(), to,
                                      [](const Edge& edge, uint32_t id) { return edge.to < id; });
  return place != edges.end() && place->to == to ? &*place : nullptr;
}

double Measures::MeanShare(const Vertex& vertex, uint64_t time_ns) const {
  const double strands = std::max(1u, vertex.strands);
  return std::min(1.0, static_cast<double>(time_ns) / (span_ns_ * strands));
}

double Measures::OwnShare(const Edge& edge) const {
  const Vertex& from = graph_.vertices[edge.from];
  const double mean = MeanShare(from, edge.own_ns);
  if (from.strands <= 1 || mean >= kMatters) return mean;
  const auto own_ns = static_cast<double>(edge.own_ns);
  const double at_work_ns = static_cast<double>(from.active_ns()) + own_ns;
  return std::min({1.0, own_ns / span_ns_, own_ns / std::max(1.0, at_work_ns)});
}

double Measures::ShareBesidePeers(const Edge& edge) const {
  const double share = OwnShare(edge);
  const Edge* peers = FindEdge(edge.from, edge.from);
  if (peers == nullptr || peers->own_ns <= edge.own_ns) return share;
  const double beside_ns =
      static_cast<double>(graph_.vertices[edge.from].life_ns) - static_cast<double>(peers->own_ns);
  if (beside_ns < kAllTheTime * span_ns_) return share;
  return std::clamp(static_cast<double>(edge.own_ns) / beside_ns, share, 1.0);
}

uint64_t Measures::Questions(uint32_t asker, uint32_t answerer) const {
  const auto place = std::lower_bound(
      graph_.questions.begin(), graph_.questions.end(), std::pair(asker, answerer),
      [](const QuestionCount& q, auto pair) { return std::pair(q.asker, q.answerer) < pair; });
  const bool is_known = place != graph_.questions.end() && place->asker == asker &&
                        place->answerer == answerer && place->count >= kManyWaits;
  return is_known ? place->count : 0;
}

double Measures::AnswerShare(uint32_t id) const {
  double share = 0;
  for (const Edge& edge : edges_from(id)) {
    if (edge.to != id && Asks(id, edge.to)) share += ShareBesidePeers(edge);
  }
  return std::min(1.0, share);
}

bool Measures::Matters(const Edge& edge) const {
  if (OfRecording(edge.own_ns) < kMatters) return false;
  const Vertex& from = graph_.vertices[edge.from];
  if (from.strands <= 1) return true;
  const auto own_ns = static_cast<double>(edge.own_ns);
  return own_ns >= kMatters * (own_ns + static_cast<double>(from.active_ns()));
}

double Measures::BusyShare(uint32_t id) const {
  const Vertex& vertex = graph_.vertices[id];
  const uint64_t busy_ns = vertex.is_device() ? vertex.busy_ns : vertex.most_active_ns;
  return std::min(1.0, OfRecording(busy_ns));
}

double Measures::CpuShare(uint32_t id) const {
  return std::min(1.0, OfRecording(graph_.vertices[id].most_run_ns));
}

double Measures::RunnableShare(uint32_t id) const {
  const Vertex& vertex = graph_.vertices[id];
  const double mean = MeanShare(vertex, vertex.runnable_ns);
  if (vertex.strands <= 1 || mean >= kStarved || vertex.runnable_ns == 0) return mean;
  const double of_active =
      static_cast<double>(vertex.runnable_ns) / static_cast<double>(vertex.active_ns());
  return std::max(mean, std::min(OfRecording(vertex.runnable_ns), of_active));
}

double Measures::MeanRunnableShare(uint32_t id) const {
  return MeanShare(graph_.vertices[id], graph_.vertices[id].runnable_ns);
}

bool Measures::RunsSeldom(uint32_t id) const {
  const Vertex& vertex = graph_.vertices[id];
  return vertex.strands > 1 && RunnableShare(id) > MeanRunnableShare(id);
}

double Measures::WaitShare(uint32_t id) const {
  return MeanShare(graph_.vertices[id], graph_.vertices[id].wait_ns);
}

bool Measures::BusyForAllItsShortLife(uint32_t id) const {
  const Vertex& vertex = graph_.vertices[id];
  const auto life_ns = static_cast<double>(vertex.life_ns);
  return vertex.kind == VertexKind::kThread && life_ns > 0 && life_ns < kAllTheTime * span_ns_ &&
         static_cast<double>(vertex.active_ns()) >= kAllTheTime * life_ns;
}

double Measures::TimerShare(uint32_t id) const {
  uint64_t asleep_ns = 0;
  for (const Edge& edge : edges_from(id)) {
    if (graph_.vertices[edge.to].kind == VertexKind::kTimer) asleep_ns += edge.own_ns;
  }
  return MeanShare(graph_.vertices[id], asleep_ns);
}

bool Measures::IsSleeper(uint32_t id) const {
  const double asleep = TimerShare(id);
  return asleep >= kSleepy && asleep >= BusyShare(id);
}

// The weight cascaded onto its sleep is the time that others waited for it meanwhile, with the
// threads that wait for them: never less than the waits themselves. And no thread can wait for its
// work longer than it works.
bool Measures::SleepHoldsUp(uint32_t id, double waited_for) const {
  uint64_t cascaded_ns = 0;
  for (const Edge& edge : edges_from(id)) {
    if (graph_.vertices[edge.to].kind != VertexKind::kTimer) continue;
    cascaded_ns += edge.weight_ns - edge.own_ns;
  }
  return OfRecording(cascaded_ns) >= kMostOfTheTime * waited_for ||
         waited_for > BusyShare(id) + kMatters;
}

uint64_t Measures::DiskWaitNs(uint32_t id) const {
  uint64_t waited_ns = 0;
  for (const Edge& edge : edges_from(id)) {
    if (graph_.vertices[edge.to].kind == VertexKind::kDisk) waited_ns += edge.own_ns;
  }
  return waited_ns;
}

}  // namespace gordian
