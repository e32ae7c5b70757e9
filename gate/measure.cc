// SPDX-License-Identifier: Apache-2.0
#include "gate/measure.h"

#include <algorithm>

#include "gate/thresholds.h"
#include "report/limits.h"
#include "report/vertex_names.h"

namespace gordian {
namespace {

using VertexIds = std::set<uint32_t>;

absl::StatusOr<VertexIds> IdsOf(const VertexNames& names, const std::string& name) {
  const std::vector<uint32_t> called = names.Called(name);
  if (called.empty()) return names.NoneCalled(name);
  return VertexIds(called.begin(), called.end());
}

double WaitRate(const pb::Report& report, const VertexIds& who, const VertexIds& whom) {
  double weight_s = 0;
  for (const pb::ReportEdge& edge : report.edges()) {
    if (who.count(edge.from()) > 0 && whom.count(edge.to()) > 0) weight_s += edge.weight_s();
  }
  const double seconds = report.recording().seconds();
  return seconds > 0 ? weight_s / seconds : 0;
}

double LargestShare(const pb::Report& report, const VertexIds& who) {
  double share = 0;
  for (const pb::Finding& finding : report.findings()) {
    const bool has = std::any_of(finding.members().begin(), finding.members().end(),
                                 [&](uint32_t member) { return who.count(member) > 0; });
    if (has && IsLimit(finding)) share = std::max(share, finding.share());
  }
  return share;
}

template <typename Measure>
Sample SampleOf(const pb::Report& whole, std::span<const pb::Report> parts, Measure measure) {
  Sample sample{.value = measure(whole), .parts = {}};
  for (const pb::Report& part : parts) sample.parts.push_back(measure(part));
  return sample;
}

}  // namespace

absl::StatusOr<Sample> WaitOf(const pb::Report& whole, std::span<const pb::Report> parts,
                              const std::string& who, const std::string& whom) {
  const VertexNames names(whole);
  const auto from = IdsOf(names, who), to = IdsOf(names, whom);
  if (!from.ok()) return from.status();
  if (!to.ok()) return to.status();
  return SampleOf(whole, parts,
                  [&](const pb::Report& report) { return WaitRate(report, *from, *to); });
}

absl::StatusOr<Sample> ShareOf(const pb::Report& whole, std::span<const pb::Report> parts,
                               const std::string& who) {
  const auto ids = IdsOf(VertexNames(whole), who);
  if (!ids.ok()) return ids.status();
  return SampleOf(whole, parts,
                  [&](const pb::Report& report) { return LargestShare(report, *ids); });
}

LimitsFound LimitsOf(const pb::Report& report) {
  const VertexKeys keys = KeysOf(report);
  LimitsFound limits;
  for (const pb::Finding& finding : report.findings()) {
    if (!IsLimit(finding)) continue;
    if (limits.keys.empty()) limits.first_title = finding.title();
    limits.keys.push_back(KeyOf(finding, keys));
  }
  return limits;
}

bool IsSameLimit(const FindingKey& a, const FindingKey& b) {
  if (a.kind != b.kind) return false;
  const size_t common = static_cast<size_t>(
      std::count_if(a.members.begin(), a.members.end(),
                    [&](const VertexKey& member) { return b.members.count(member) > 0; }));
  const size_t most = std::max(a.members.size(), b.members.size());
  return static_cast<double>(common) >= kSameMembers * static_cast<double>(most);
}

bool Holds(const LimitsFound& limits, const FindingKey& key) {
  return std::any_of(limits.keys.begin(), limits.keys.end(),
                     [&](const FindingKey& other) { return IsSameLimit(key, other); });
}

}  // namespace gordian
