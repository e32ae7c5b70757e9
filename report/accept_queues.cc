// SPDX-License-Identifier: Apache-2.0
#include "report/accept_queues.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "analyzer/findings/evidence/thresholds.h"
#include "base/time_units.h"
#include "report/finding_threads.h"
#include "report/thresholds.h"
#include "words/clean_text.h"
#include "words/quantities.h"

namespace gordian {
namespace {

bool IsOwner(const SampledQueue& queue, const Entity& thread) {
  return queue.node == thread.node && std::binary_search(queue.pids.begin(), queue.pids.end(),
                                                         static_cast<uint32_t>(thread.tgid));
}

double ShareOfOwners(const SampledQueue& queue, const pb::Finding& finding, const Waits& waits,
                     const std::vector<uint32_t>& vertex_of_entity, const TimeRange& range) {
  double all_ns = 0;
  double owners_ns = 0;
  ForEachThreadOf(MembersOf(finding), waits, vertex_of_entity,
                  [&](EntityId id, const Entity& thread) {
                    ForEachSegmentOf(id, waits, range, [&](const ThreadSegment&, double length_ns) {
                      all_ns += length_ns;
                      if (IsOwner(queue, thread)) owners_ns += length_ns;
                    });
                  });
  return all_ns > 0 ? owners_ns / all_ns : 0;
}

void TellQueue(const SampledQueue& queue, pb::Finding& finding, pb::Report& report) {
  pb::FullAcceptQueue& told = *finding.mutable_accept_queue();
  told.set_socket(queue.socket);
  told.set_backlog(queue.backlog);
  told.set_full_share(queue.full_share);
  told.set_turned_away(queue.turned_away);
  const std::string socket = CleanText(queue.socket);
  AddToTitle(", and ", absl::StrCat("the accept queue of ", socket, " is full"), finding, report);
  const auto times = static_cast<uint64_t>(std::llround(queue.turned_away));
  PutFirst(absl::StrCat("Connections wait before it: the accept queue of ", socket,
                        absl::StrFormat(" (backlog %.0f)", queue.backlog), " is full in ",
                        PercentText(queue.full_share), " of the samples.",
                        times == 0 ? ""
                                   : absl::StrCat(" The kernel turned connections away ",
                                                  FormatCount(times, "time"),
                                                  ", and such clients try again after a second.")),
           *finding.mutable_why());
  finding.add_advice(
      "Accept sooner: in a thread that does nothing else, or in several processes on one port "
      "(SO_REUSEPORT). A longer queue (listen, net.core.somaxconn) only helps against bursts.");
}

}  // namespace

SampledQueues AcceptQueuesOf(std::span<const ResourceReading> readings, uint32_t node,
                             const TimeRange& range) {
  struct Sum {
    SampledQueue queue;
    double full_ns = 0;
    double known_ns = 0;
  };
  std::map<std::string, Sum> sums;
  SampledQueues sampled;
  for (const ResourceReading& reading : readings) {
    if (reading.end_ns <= range.from_ns || reading.end_ns > range.to_ns) continue;
    const auto length_ns = static_cast<double>(reading.end_ns - reading.start_ns);
    if (reading.kind->kind == pb::RESOURCE_ACCEPT_OVERFLOWS)
      sampled.turned_away += reading.value * length_ns / kNsPerSecond;
    if (reading.kind->kind != pb::RESOURCE_ACCEPT_QUEUE || reading.capacity <= 0) continue;
    Sum& sum = sums[std::string(reading.name)];
    sum.known_ns += length_ns;
    if (reading.value >= kFullResource * reading.capacity) sum.full_ns += length_ns;
    sum.queue.backlog = reading.capacity;
    const auto& pids = reading.resource->pids();
    if (sum.queue.pids.size() < static_cast<size_t>(pids.size()))
      sum.queue.pids.assign(pids.begin(), pids.end());
  }
  for (auto& [socket, sum] : sums) {
    sum.queue.node = node;
    sum.queue.socket = socket;
    sum.queue.full_share = sum.known_ns > 0 ? sum.full_ns / sum.known_ns : 0;
    sum.queue.turned_away = sampled.turned_away;
    std::sort(sum.queue.pids.begin(), sum.queue.pids.end());
    sampled.queues.push_back(std::move(sum.queue));
  }
  return sampled;
}

std::vector<SampledQueue> MostlyFull(const SampledQueues& sampled) {
  std::vector<SampledQueue> full;
  std::copy_if(sampled.queues.begin(), sampled.queues.end(), std::back_inserter(full),
               [](const SampledQueue& queue) { return queue.full_share >= kMostOfTheTime; });
  return full;
}

void TellFullQueues(const Waits& waits, const std::vector<uint32_t>& vertex_of_entity,
                    const TimeRange& range, std::span<const SampledQueue> queues,
                    pb::Report& report) {
  for (pb::Finding& finding : *report.mutable_findings()) {
    const auto owned = std::find_if(queues.begin(), queues.end(), [&](const SampledQueue& queue) {
      return ShareOfOwners(queue, finding, waits, vertex_of_entity, range) >= kMostOfTheTime;
    });
    if (owned != queues.end()) TellQueue(*owned, finding, report);
  }
}

}  // namespace gordian
