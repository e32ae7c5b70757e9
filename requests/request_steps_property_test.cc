// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <string>

#include "analyzer/testing/random_scenario.h"
#include "analyzer/testing/scenario_timeline.h"
#include "requests/request_times.h"

namespace gordian {
namespace {

// Requests as packets of any recording might tell them, right or wrong.
FoundRequests AnyRequestsOf(const Timeline& timeline) {
  FoundRequests found;
  for (uint32_t i = 0; i < 4; ++i) {
    RequestConnection connection;
    connection.to_server.source_port = static_cast<uint16_t>(40'000 + i);
    connection.to_server.destination_port = static_cast<uint16_t>(*rc::gen::inRange(1, 3));
    connection.is_served = *rc::gen::arbitrary<bool>();
    connection.is_asked = true;
    found.connections.push_back(connection);
  }
  const auto any_time = [&] {
    return *rc::gen::inRange(timeline.start_ns(), timeline.end_ns() + 1);
  };
  const auto any_thread = [&] {
    return *rc::gen::oneOf(rc::gen::just(kNobody),
                           rc::gen::inRange<EntityId>(0, timeline.thread_count()));
  };
  for (int count = *rc::gen::inRange(1, 12); count > 0; --count) {
    Request request;
    request.connection = *rc::gen::element(kNoConnection, 0u, 1u, 2u, 3u);
    request.thread = any_thread();
    request.client = any_thread();
    request.start_ns = any_time();
    request.answer_ns = any_time();
    if (request.answer_ns < request.start_ns) std::swap(request.start_ns, request.answer_ns);
    request.received_ns = request.start_ns;
    request.end_ns = request.answer_ns;
    (*rc::gen::arbitrary<bool>() ? found.requests : found.others).push_back(request);
  }
  return found;
}

RC_GTEST_PROP(RequestSteps, AddUpToTheLatencyWithoutGaps, ()) {
  const ScenarioTimeline scenario(
      RandomScenario(*rc::gen::arbitrary<uint32_t>(), *rc::gen::inRange(0, 120)));
  const Timeline& timeline = scenario.timeline();
  const FoundRequests found = AnyRequestsOf(timeline);
  const RequestWalk walk(timeline, found);
  uint64_t whole_ns = 0;
  for (const Request& request : found.requests) {
    RequestStepCounts counts;
    const std::vector<RequestStep> steps = walk.StepsOf(request, counts);
    if (request.thread == kNobody || request.latency_ns() == 0) {
      RC_ASSERT(steps.empty());
      continue;
    }
    uint64_t time_ns = request.start_ns;
    for (const RequestStep& step : steps) {
      RC_ASSERT(step.from_ns == time_ns);
      RC_ASSERT(step.to_ns > step.from_ns);
      time_ns = step.to_ns;
    }
    RC_ASSERT(time_ns == request.answer_ns);
    whole_ns += request.latency_ns();
  }
  // … and so do the rows, for any number of threads.
  const RequestParties parties = {
      .of_step = [](const RequestStep& step) { return step.thread; },
      .of_cause = [](const RequestStep& step) { return step.cause_thread; }};
  uint64_t told_ns = 0;
  const RequestTimes times = RequestTimesOf(found, walk, parties, {.threads = 1});
  for (const RequestPort& port : times.ports) {
    for (const RequestTimeRow& row : port.all.rows) told_ns += row.time_ns;
    RC_ASSERT(port.percentiles.back().near.requests == 1u);
    RC_ASSERT(port.percentiles.back().latency_ns == port.slowest.front().request.latency_ns());
    // The distribution holds each request, in the bucket of its latency.
    uint64_t in_buckets = 0;
    for (const LatencyBucket& bucket : port.latencies) in_buckets += bucket.requests;
    RC_ASSERT(in_buckets == port.requests);
    const LatencyBucket& last = port.latencies.back();
    RC_ASSERT(last.from_ns <= port.percentiles.back().latency_ns);
    RC_ASSERT(port.percentiles.back().latency_ns < last.to_ns);
  }
  RC_ASSERT(told_ns == whole_ns);
}

RC_GTEST_PROP(LatencyBuckets, HoldTheirLatencyAndFollowEachOther, (uint64_t bits)) {
  const uint64_t latency_ns = bits >> *rc::gen::inRange(0, 64) >> 1;
  const LatencyBucket bucket = BucketOf(latency_ns);
  RC_ASSERT(bucket.from_ns <= latency_ns);
  RC_ASSERT(latency_ns < bucket.to_ns);
  RC_ASSERT(bucket.to_ns - bucket.from_ns <= std::max<uint64_t>(1, bucket.from_ns / 4));
  RC_ASSERT(BucketOf(bucket.from_ns).to_ns == bucket.to_ns);
  RC_ASSERT(BucketOf(bucket.to_ns).from_ns == bucket.to_ns);
}

// A thread's phase is its own time: what it did itself is told as its ledger has it.
RC_GTEST_PROP(RequestSteps, OfPhasesRunAsLongAsTheirThread, ()) {
  const ScenarioTimeline scenario(
      RandomScenario(*rc::gen::arbitrary<uint32_t>(), *rc::gen::inRange(0, 120)));
  const Timeline& timeline = scenario.timeline();
  const auto thread = *rc::gen::inRange<EntityId>(0, timeline.thread_count());
  FoundRequests found;
  // From a moment at which it runs on, as threads do that tell a phase.
  for (SegmentCursor at = timeline.SegmentsFrom(thread); !at.done(); at.Next()) {
    if (at.segment().kind != SegmentKind::kRun || at.start_ns() == at.end_ns()) continue;
    Request request;
    request.thread = thread;
    request.start_ns = at.start_ns();
    request.answer_ns = *rc::gen::inRange(at.start_ns() + 1, timeline.end_ns() + 1);
    request.answer_ns = std::min(request.answer_ns, timeline.entities()[thread].end_ns);
    found.requests.push_back(request);
    break;
  }
  if (found.requests.empty()) return;
  const Request& request = found.requests.front();
  uint64_t expected_ns = 0;
  for (SegmentCursor at = timeline.SegmentsFrom(thread, request.start_ns);
       !at.done() && at.start_ns() < request.answer_ns; at.Next()) {
    if (at.segment().kind == SegmentKind::kRun)
      expected_ns +=
          std::min(at.end_ns(), request.answer_ns) - std::max(at.start_ns(), request.start_ns);
  }
  RequestStepCounts counts;
  uint64_t run_ns = 0;
  for (const RequestStep& step : RequestWalk(timeline, found).StepsOf(request, counts)) {
    RC_ASSERT(step.thread == thread);
    if (step.kind == RequestStepKind::kRun) run_ns += step.to_ns - step.from_ns;
  }
  RC_ASSERT(run_ns == expected_ns);
}

}  // namespace
}  // namespace gordian
