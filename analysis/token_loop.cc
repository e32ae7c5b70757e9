// SPDX-License-Identifier: Apache-2.0
#include "analysis/token_loop.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <map>

namespace gordian {
namespace {

// Medians of its line. A single answer that took a second would else tell as much as all others.
constexpr double kMostMedians = 4;
// Of the answer's time, that the pause is shorter. In a closed loop it is 0, in an open one 1.
constexpr double kBetweenLoops = 0.5;
// Standard errors on either side: 19 times of 20.
constexpr double kSureErrors = 2;
// Fewer tell no standard error.
constexpr size_t kFewestPauses = 100;

double MedianOf(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

struct Sums {
  size_t count = 0;
  double responses = 0;  // squares of deviations from the line's mean
  double pauses = 0;
  double both = 0;
};

void AddLine(std::span<const AnswerAndPause> line, Sums& sums) {
  std::vector<double> responses;
  std::vector<double> pauses;
  for (const AnswerAndPause& one : line) {
    responses.push_back(one.response_ns);
    pauses.push_back(one.pause_ns);
  }
  const auto clip = [](std::vector<double>& values) {
    const double most = kMostMedians * MedianOf(values);
    double mean = 0;
    for (double& value : values) mean += value = std::min(value, most);
    mean /= static_cast<double>(values.size());
    for (double& value : values) value -= mean;
  };
  clip(responses);
  clip(pauses);
  for (size_t i = 0; i < line.size(); ++i) {
    sums.responses += responses[i] * responses[i];
    sums.pauses += pauses[i] * pauses[i];
    sums.both += responses[i] * pauses[i];
  }
  sums.count += line.size();
}

}  // namespace

bool PausesAreTheClientsOwn(std::span<const std::vector<AnswerAndPause>> lines) {
  Sums sums;
  for (const std::vector<AnswerAndPause>& line : lines)
    if (line.size() > 1) AddLine(line, sums);
  if (sums.count < kFewestPauses || sums.responses <= 0) return false;
  // By least squares.
  const double slope = sums.both / sums.responses;
  const double rest = std::max(0.0, sums.pauses - slope * sums.both);
  const double error = std::sqrt(rest / static_cast<double>(sums.count) / sums.responses);
  return slope - kSureErrors * error > -kBetweenLoops;
}

Processes ProcessesThatAnswer(const Timeline& timeline, std::span<const Request* const> requests) {
  Processes processes;
  for (const Request* request : requests) {
    if (request->thread >= timeline.thread_count()) continue;
    const Entity& server = timeline.entities()[request->thread];
    processes.emplace(server.node, server.tgid);
  }
  return processes;
}

OwnTime& OwnTime::operator+=(const OwnTime& other) {
  awake_ns += other.awake_ns;
  slept_ns += other.slept_ns;
  served_ns += other.served_ns;
  return *this;
}

OwnTime OwnTimeBetween(const Timeline& timeline, EntityId thread, uint64_t from_ns, uint64_t to_ns,
                       const Processes& servers) {
  OwnTime own;
  bool was_served = false;
  for (SegmentCursor at = timeline.SegmentsFrom(thread, from_ns);
       !at.done() && at.start_ns() < to_ns; at.Next()) {
    const uint64_t begin_ns = std::max(from_ns, at.start_ns());
    const uint64_t end_ns = std::min(to_ns, at.end_ns());
    const ThreadSegment& segment = at.segment();
    if (begin_ns >= end_ns || segment.kind == SegmentKind::kUnknown) continue;
    if (segment.kind != SegmentKind::kWait) {
      own.awake_ns += end_ns - begin_ns;
      continue;
    }
    was_served = segment.waker < timeline.thread_count() &&
                 servers.contains({timeline.entities()[segment.waker].node,
                                   timeline.entities()[segment.waker].tgid});
    if (was_served)
      own.served_ns += end_ns - begin_ns;
    else if (segment.cause == WaitCause::kTimer || segment.cause == WaitCause::kDisk)
      own.slept_ns += end_ns - begin_ns;
  }
  if (!was_served) own.served_ns = 0;
  return own;
}

std::set<EntityId> ClientsOfOneConnection(std::span<const Request* const> requests) {
  std::map<EntityId, uint32_t> first;
  std::set<EntityId> of_more;
  for (const Request* request : requests)
    if (first.try_emplace(request->client, request->connection).first->second !=
        request->connection)
      of_more.insert(request->client);
  std::set<EntityId> clients;
  for (const auto& [client, connection] : first)
    if (client != kNobody && !of_more.contains(client)) clients.insert(client);
  return clients;
}

}  // namespace gordian
