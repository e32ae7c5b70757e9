// SPDX-License-Identifier: Apache-2.0
#include "analysis/traffic_phases.h"

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "words/parse_quantities.h"

namespace gordian {
namespace {

constexpr uint64_t kMostNs = 1'000'000'000'000'000'000;
constexpr size_t kMostNamesTold = 12;

absl::Status NoSuchPhase(const Job& job, const std::string& name) {
  std::string known;
  const size_t told = std::min(job.model.types.size(), kMostNamesTold);
  for (size_t type = 1; type < told; ++type)
    absl::StrAppend(&known, type == 1 ? "" : ", ", job.model.types[type].name);
  return absl::InvalidArgumentError(absl::StrCat("no phase is called '", name, "'; there are ",
                                                 known,
                                                 job.model.types.size() > told ? ", …" : ""));
}

}  // namespace

absl::StatusOr<std::optional<uint64_t>> ParseInterval(const std::string& text) {
  // A phase may begin with a digit, too: 10x.
  const size_t digits = text.find_first_not_of("0123456789.");
  const std::string number = text.substr(0, digits);
  const std::string unit = digits == std::string::npos ? "s" : text.substr(digits);
  double count = 0;
  if (!absl::SimpleAtod(number, &count) || !ParseDuration("1" + unit).ok()) return std::nullopt;
  const absl::StatusOr<uint64_t> length_ns = ParseDuration(number + unit);
  if (!length_ns.ok() || *length_ns == 0 || *length_ns > kMostNs)
    return absl::InvalidArgumentError(
        absl::StrCat("--per: '", text, "' is no length of time: give 250ms, 5.5s or 1m30s"));
  return *length_ns;
}

absl::StatusOr<std::vector<TrafficPhase>> PhasesNamed(const Job& job, const std::string& name,
                                                      size_t node) {
  std::vector<bool> wanted(job.model.types.size());
  bool any = false;
  for (PhaseTypeId type = 0; type < wanted.size(); ++type) {
    wanted[type] = job.model.types[type].name == name || PathOf(job.model, type) == name;
    any = any || wanted[type];
  }
  if (!any) return NoSuchPhase(job, name);
  std::vector<TrafficPhase> phases;
  for (PhaseId id = 0; id < job.phases.size(); ++id) {
    const Phase& phase = job.phases[id];
    if (!wanted[phase.type]) continue;
    phases.push_back({.label = PathOf(job, id),
                      .start_ns = phase.start_ns,
                      .end_ns = phase.end_ns,
                      .node = node,
                      .pid = phase.pid});
  }
  return phases;
}

}  // namespace gordian
