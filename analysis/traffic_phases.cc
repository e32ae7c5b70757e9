#include "analysis/traffic_phases.h"

#include <cmath>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"

namespace gordian {
namespace {

constexpr double kMostNs = 1e18;
constexpr size_t kMostNamesTold = 12;

double UnitNs(absl::string_view unit) {
  if (unit.empty() || unit == "s") return 1e9;
  if (unit == "us") return 1e3;
  if (unit == "ms") return 1e6;
  if (unit == "min" || unit == "m") return 60e9;
  if (unit == "h") return 3600e9;
  return 0;
}

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
  const size_t digits = text.find_first_not_of("0123456789.");
  const std::string number = text.substr(0, digits);
  const double unit_ns = UnitNs(digits == std::string::npos ? "" : text.substr(digits));
  double count = 0;
  if (unit_ns == 0 || !absl::SimpleAtod(number, &count)) return std::nullopt;
  const double length_ns = count * unit_ns;
  if (!(length_ns >= 1) || length_ns > kMostNs)
    return absl::InvalidArgumentError(absl::StrCat("--per: '", text, "' is no length of time"));
  return static_cast<uint64_t>(std::llround(length_ns));
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
