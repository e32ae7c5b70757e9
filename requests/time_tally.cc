// SPDX-License-Identifier: Apache-2.0
#include "requests/time_tally.h"

#include <algorithm>
#include <map>
#include <utility>

namespace gordian {
namespace {

// Steps of a request that is a class: enough to tell it, few enough to keep.
constexpr size_t kMostStages = 64;
constexpr double kShareOfClasses = 0.9;

bool HasCause(RequestStepKind kind) {
  return kind == RequestStepKind::kBehind || kind == RequestStepKind::kLock ||
         kind == RequestStepKind::kThread || kind == RequestStepKind::kPeer;
}

}  // namespace

void TimeTally::Add(std::span<const RequestStep> steps, const RequestParties& parties) {
  ++requests_;
  for (const RequestStep& step : steps) {
    const uint64_t time_ns = step.to_ns - step.from_ns;
    const bool has_cause = HasCause(step.kind);
    rows_[{step.kind, parties.of_step(step), has_cause ? step.cause : step.kind,
           has_cause ? parties.of_cause(step) : 0}] += time_ns;
    time_ns_ += time_ns;
  }
}

void TimeTally::Add(const TimeTally& other) {
  for (const auto& [row, time_ns] : other.rows_) rows_[row] += time_ns;
  requests_ += other.requests_;
  time_ns_ += other.time_ns_;
}

RequestTimeSum TimeTally::Sum() const {
  RequestTimeSum sum{.requests = requests_, .time_ns = time_ns_};
  std::map<std::pair<RequestStepKind, uint32_t>, RequestTimeRow> rows;
  for (const auto& [key, time_ns] : rows_) {
    const auto& [kind, party, cause, cause_party] = key;
    RequestTimeRow& row = rows[{kind, party}];
    row.kind = kind;
    row.party = party;
    row.time_ns += time_ns;
    if (HasCause(kind)) row.causes.push_back({cause, cause_party, time_ns});
  }
  for (auto& [key, row] : rows) {
    std::sort(row.causes.begin(), row.causes.end(),
              [](const RequestTimeCause& a, const RequestTimeCause& b) {
                return std::tuple(b.time_ns, a.kind, a.party) <
                       std::tuple(a.time_ns, b.kind, b.party);
              });
    sum.rows.push_back(std::move(row));
  }
  std::stable_sort(
      sum.rows.begin(), sum.rows.end(),
      [](const RequestTimeRow& a, const RequestTimeRow& b) { return a.time_ns > b.time_ns; });
  return sum;
}

void ClassTally::Count(std::vector<uint64_t> key, std::span<const uint64_t> stage_ns,
                       uint64_t requests) {
  requests_ += requests;
  const auto found = classes_.find(key);
  if (found == classes_.end() && classes_.size() >= kMostRequestClasses) return;
  Entry& entry = found != classes_.end() ? found->second : classes_[std::move(key)];
  entry.stage_ns.resize(stage_ns.size());
  for (size_t i = 0; i < stage_ns.size(); ++i) entry.stage_ns[i] += stage_ns[i];
  entry.requests += requests;
}

void ClassTally::Add(std::span<const RequestStep> steps, const RequestParties& parties) {
  std::vector<uint64_t> key;
  std::vector<uint64_t> stage_ns;
  for (const RequestStep& step : steps) {
    const RequestStepKind kind =
        step.kind == RequestStepKind::kRunnable ? RequestStepKind::kRun : step.kind;
    const uint64_t stage = uint64_t{static_cast<uint8_t>(kind)} << 32 | parties.of_step(step);
    if ((key.empty() || key.back() != stage) && key.size() < kMostStages) {
      key.push_back(stage);
      stage_ns.push_back(0);
    }
    stage_ns.back() += step.to_ns - step.from_ns;
  }
  Count(std::move(key), stage_ns, 1);
}

void ClassTally::Add(const ClassTally& other) {
  for (const auto& [key, entry] : other.classes_) Count(key, entry.stage_ns, entry.requests);
}

std::vector<RequestClass> ClassTally::Classes() const {
  std::vector<std::pair<const std::vector<uint64_t>*, const Entry*>> order;
  order.reserve(classes_.size());
  for (const auto& [key, entry] : classes_) order.emplace_back(&key, &entry);
  std::sort(order.begin(), order.end(), [](const auto& a, const auto& b) {
    return std::tie(b.second->requests, *a.first) < std::tie(a.second->requests, *b.first);
  });
  std::vector<RequestClass> classes;
  uint64_t held = 0;
  for (const auto& [key, entry] : order) {
    if (static_cast<double>(held) >= kShareOfClasses * static_cast<double>(requests_)) break;
    held += entry->requests;
    RequestClass& added = classes.emplace_back();
    for (const uint64_t stage : *key)
      added.stages.push_back(
          {static_cast<RequestStepKind>(stage >> 32), static_cast<uint32_t>(stage)});
    added.stage_ns = entry->stage_ns;
    added.requests = entry->requests;
  }
  return classes;
}

}  // namespace gordian
