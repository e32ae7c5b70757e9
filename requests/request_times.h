// SPDX-License-Identifier: Apache-2.0
// How long the requests of each server's port took, and where their time went: at each percentile,
// of the slowest ones, and by classes of requests that went the same way.
//
// A percentile's own requests are those next to it: up to half of what lies beyond it, on either
// side. Of the 99th percentile these are the requests from 98.5 to 99.5 %, of the median those from
// 25 to 75 %. Shares are of their time together.
//
// Memory: for each different row and class; steps of requests are not kept, except for the slowest.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "requests/requests.h"

namespace gordian {

// Who a step or its cause is told of: a number that the caller gives, of a vertex, say.
struct RequestParties {
  std::function<uint32_t(const RequestStep& step)> of_step;
  std::function<uint32_t(const RequestStep& step)> of_cause;
};

struct RequestTimeCause {
  RequestStepKind kind = RequestStepKind::kUnknown;
  uint32_t party = 0;
  uint64_t time_ns = 0;
};

struct RequestTimeRow {
  RequestStepKind kind = RequestStepKind::kUnknown;
  uint32_t party = 0;
  uint64_t time_ns = 0;
  std::vector<RequestTimeCause> causes;  // of kBehind, kLock, kThread, kPeer; most time first
};

// All rows together are all of the requests' time.
struct RequestTimeSum {
  uint64_t requests = 0;
  uint64_t time_ns = 0;
  std::vector<RequestTimeRow> rows;  // most time first
};

inline constexpr std::array<double, 5> kRequestQuantiles = {0.5, 0.9, 0.99, 0.999, 1};

struct RequestPercentile {
  double quantile = 0;      // 1: the slowest
  uint64_t latency_ns = 0;  // so many requests took no longer
  RequestTimeSum near;      // its own requests
};

struct RequestStage {
  RequestStepKind kind = RequestStepKind::kUnknown;  // ready for a CPU counts as on it
  uint32_t party = 0;
  bool operator==(const RequestStage&) const = default;
};

// Requests whose steps are of the same kinds and parties, in the same order.
struct RequestClass {
  std::vector<RequestStage> stages;
  std::vector<uint64_t> stage_ns;  // of all its requests together
  uint64_t requests = 0;
};

// More different ways are no classes.
inline constexpr size_t kMostRequestClasses = 100'000;

struct SlowRequest {
  Request request;
  std::vector<RequestStep> steps;
};

// Latencies as a distribution: at most a quarter apart, so that a picture of them is true to an
// eye, and 256 hold all that a clock can tell.
struct LatencyBucket {
  uint64_t from_ns = 0;
  uint64_t to_ns = 0;  // not part of it
  uint64_t requests = 0;
};
// Without its requests.
LatencyBucket BucketOf(uint64_t latency_ns);

struct RequestPort {
  uint16_t port = 0;
  uint64_t requests = 0;  // that have steps
  RequestTimeSum all;
  std::vector<RequestPercentile> percentiles;  // by kRequestQuantiles
  std::vector<SlowRequest> slowest;            // slowest first
  // Of 98 % of the time, while any were open, no more than so many were open at once.
  uint64_t open_at_once = 0;
  // The port whose server's threads sent most of these requests; 0: others did.
  uint16_t asked_by = 0;
  std::vector<RequestClass> classes;  // most requests first; as many as hold 90 % of the requests
  uint64_t classes_in_all = 0;
  std::vector<LatencyBucket> latencies;  // shortest first; those that hold requests
};

struct RequestTimes {
  // Those that no other port of the recording asks come first; then most time first.
  std::vector<RequestPort> ports;
  RequestStepCounts counts;
};

struct RequestTimesOptions {
  size_t most_slowest = 10;  // of each port
  int threads = 1;           // the result does not depend on it
  std::function<void(double share)> progress;
  // Asked now and then. Once it is true, what is left is not told, and the result means nothing.
  std::function<bool()> stop_asked = [] { return false; };
};

RequestTimes RequestTimesOf(const FoundRequests& found, const RequestWalk& walk,
                            const RequestParties& parties, const RequestTimesOptions& options);

// Of a few requests.
RequestTimeSum SumOfSteps(std::span<const RequestStep> steps, const RequestParties& parties);

}  // namespace gordian
