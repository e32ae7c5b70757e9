// SPDX-License-Identifier: Apache-2.0
#include "requests/request_times.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <map>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "base/parallel.h"
#include "requests/open_requests.h"
#include "requests/time_tally.h"

namespace gordian {
namespace {

// Requests that one thread takes at a time.
constexpr size_t kRequestsPerChunk = 256;

// Ranks, from the fastest on.
struct Ranks {
  size_t first = 0;
  size_t end = 0;
  bool Hold(size_t rank) const { return first <= rank && rank < end; }
};

size_t RankOf(double quantile, size_t count) {
  const auto rank = static_cast<size_t>(std::ceil(quantile * static_cast<double>(count)));
  return std::clamp<size_t>(rank, 1, count) - 1;
}

Ranks RanksNear(double quantile, size_t count) {
  const size_t own = RankOf(quantile, count);
  const double half = (1 - quantile) / 2;
  const auto all = static_cast<double>(count);
  return {std::min(own, static_cast<size_t>(std::floor((quantile - half) * all))),
          std::max(own + 1, static_cast<size_t>(std::ceil((quantile + half) * all)))};
}

// What a chunk of requests adds up to.
struct ChunkTally {
  TimeTally all;
  std::array<TimeTally, kRequestQuantiles.size()> near;
  ClassTally classes;
  RequestStepCounts counts;
  void Add(const ChunkTally& other) {
    all.Add(other.all);
    for (size_t i = 0; i < near.size(); ++i) near[i].Add(other.near[i]);
    classes.Add(other.classes);
    counts += other.counts;
  }
};

// `requests` from the fastest to the slowest.
std::vector<LatencyBucket> Latencies(std::span<const Request* const> requests) {
  std::vector<LatencyBucket> buckets;
  for (const Request* request : requests) {
    const uint64_t latency_ns = request->latency_ns();
    if (buckets.empty() || latency_ns >= buckets.back().to_ns)
      buckets.push_back(BucketOf(latency_ns));
    ++buckets.back().requests;
  }
  return buckets;
}

// What only replays need of them makes two steps of what is shown as one.
std::vector<RequestStep> ToShow(std::span<const RequestStep> steps) {
  std::vector<RequestStep> shown;
  for (const RequestStep& step : steps) {
    const bool same =
        !shown.empty() && shown.back().kind == step.kind && shown.back().cause == step.cause &&
        shown.back().thread == step.thread && shown.back().waits_for == step.waits_for &&
        shown.back().cause_thread == step.cause_thread && shown.back().asked == step.asked;
    if (same) {
      shown.back().to_ns = step.to_ns;
    } else {
      shown.push_back(step);
    }
  }
  return shown;
}

class TimesTeller {
 public:
  TimesTeller(const FoundRequests& found, const RequestWalk& walk, const RequestParties& parties,
              const RequestTimesOptions& options)
      : found_(found), walk_(walk), parties_(parties), options_(options) {}

  RequestTimes Tell() {
    std::map<uint16_t, std::vector<const Request*>> by_port;
    for (const Request& request : found_.requests) {
      if (request.thread == kNobody) continue;
      by_port[PortOf(request)].push_back(&request);
      ++to_do_;
    }
    for (auto& [port, requests] : by_port) {
      if (options_.stop_asked()) return {};
      TellPort(port, requests);
    }
    TellAskers(by_port);
    std::stable_sort(
        times_.ports.begin(), times_.ports.end(),
        [](const RequestPort& a, const RequestPort& b) { return a.all.time_ns > b.all.time_ns; });
    return std::move(times_);
  }

 private:
  uint16_t PortOf(const Request& request) const {
    if (request.connection == kNoConnection) return 0;
    return found_.connections[request.connection].to_server.destination_port;
  }

  void TellPort(uint16_t port, std::vector<const Request*>& requests) {
    RequestPort& told = times_.ports.emplace_back();
    told.port = port;
    told.requests = requests.size();
    told.open_at_once = OpenAtOnceOf(requests).most;
    std::sort(requests.begin(), requests.end(), [](const Request* a, const Request* b) {
      return std::tuple(a->latency_ns(), a->start_ns, a->connection) <
             std::tuple(b->latency_ns(), b->start_ns, b->connection);
    });
    told.latencies = Latencies(requests);
    const ChunkTally tally = TallyOf(requests);
    told.all = tally.all.Sum();
    for (size_t i = 0; i < kRequestQuantiles.size(); ++i) {
      const size_t rank = RankOf(kRequestQuantiles[i], requests.size());
      told.percentiles.push_back({.quantile = kRequestQuantiles[i],
                                  .latency_ns = requests[rank]->latency_ns(),
                                  .near = tally.near[i].Sum()});
    }
    told.classes = tally.classes.Classes();
    told.classes_in_all = tally.classes.size();
    times_.counts += tally.counts;
    for (size_t i = 0; i < std::min(options_.most_slowest, requests.size()); ++i) {
      const Request& request = *requests[requests.size() - 1 - i];
      RequestStepCounts counted_before;
      told.slowest.push_back({request, ToShow(walk_.StepsOf(request, counted_before))});
    }
  }

  // `requests` from the fastest to the slowest.
  ChunkTally TallyOf(std::span<const Request* const> requests) {
    std::array<Ranks, kRequestQuantiles.size()> ranks;
    for (size_t i = 0; i < ranks.size(); ++i)
      ranks[i] = RanksNear(kRequestQuantiles[i], requests.size());
    const int threads = ThreadCount(options_.threads);
    std::vector<ChunkTally> of_worker(static_cast<size_t>(threads));
    const size_t chunks = (requests.size() + kRequestsPerChunk - 1) / kRequestsPerChunk;
    // A few rounds, so that the calling thread can tell how far it is.
    const size_t chunks_at_once = std::max<size_t>(1, static_cast<size_t>(threads) * 16);
    for (size_t first = 0; first < chunks && !options_.stop_asked(); first += chunks_at_once) {
      const size_t count = std::min(chunks_at_once, chunks - first);
      ParallelFor(threads, count, [&](size_t chunk, int worker) {
        const size_t begin = (first + chunk) * kRequestsPerChunk;
        const size_t end = std::min(requests.size(), begin + kRequestsPerChunk);
        for (size_t rank = begin; rank < end; ++rank)
          AddRequest(*requests[rank], rank, ranks, of_worker[static_cast<size_t>(worker)]);
      });
      done_ += std::min(count * kRequestsPerChunk, requests.size() - first * kRequestsPerChunk);
      if (options_.progress)
        options_.progress(static_cast<double>(done_) / static_cast<double>(to_do_));
    }
    ChunkTally sum;
    for (const ChunkTally& tally : of_worker) sum.Add(tally);
    return sum;
  }

  void AddRequest(const Request& request, size_t rank, std::span<const Ranks> ranks,
                  ChunkTally& tally) const {
    const std::vector<RequestStep> steps = walk_.StepsOf(request, tally.counts);
    tally.all.Add(steps, parties_);
    for (size_t i = 0; i < ranks.size(); ++i)
      if (ranks[i].Hold(rank)) tally.near[i].Add(steps, parties_);
    tally.classes.Add(steps, parties_);
  }

  // Of each port, the one whose server's threads sent most of its requests.
  void TellAskers(const std::map<uint16_t, std::vector<const Request*>>& by_port) {
    absl::flat_hash_map<EntityId, uint16_t> port_of_server;
    for (const auto& [port, requests] : by_port)
      for (const Request* request : requests) port_of_server.try_emplace(request->thread, port);
    for (RequestPort& told : times_.ports) {
      std::map<uint16_t, uint64_t> askers;
      for (const Request* request : by_port.at(told.port)) {
        const auto asker = port_of_server.find(request->client);
        if (asker != port_of_server.end() && asker->second != told.port) ++askers[asker->second];
      }
      for (const auto& [port, requests] : askers)
        if (requests * 2 > told.requests) told.asked_by = port;
    }
  }

  const FoundRequests& found_;
  const RequestWalk& walk_;
  const RequestParties& parties_;
  const RequestTimesOptions& options_;
  size_t to_do_ = 0;
  size_t done_ = 0;
  RequestTimes times_;
};

}  // namespace

RequestTimes RequestTimesOf(const FoundRequests& found, const RequestWalk& walk,
                            const RequestParties& parties, const RequestTimesOptions& options) {
  return TimesTeller(found, walk, parties, options).Tell();
}

LatencyBucket BucketOf(uint64_t latency_ns) {
  constexpr int kBitsOfPart = 2;  // four parts from one power of two to the next
  constexpr uint64_t kParts = uint64_t{1} << kBitsOfPart;
  if (latency_ns < kParts) return {.from_ns = latency_ns, .to_ns = latency_ns + 1};
  const int shift = std::bit_width(latency_ns) - 1 - kBitsOfPart;
  const uint64_t part = latency_ns >> shift;  // kParts … 2 kParts - 1
  const uint64_t from_ns = part << shift;
  // The last bucket of all would end beyond the largest number.
  return {.from_ns = from_ns,
          .to_ns = std::max(from_ns, from_ns + ((uint64_t{1} << shift) - 1)) + 1};
}

RequestTimeSum SumOfSteps(std::span<const RequestStep> steps, const RequestParties& parties) {
  TimeTally tally;
  tally.Add(steps, parties);
  return tally.Sum();
}

}  // namespace gordian
