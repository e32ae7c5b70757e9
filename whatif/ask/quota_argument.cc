// SPDX-License-Identifier: Apache-2.0
// The CPU quota of a cgroup: 'web.slice=4'.
#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "whatif/ask/change_arguments.h"
#include "words/clean_text.h"

namespace gordian {
namespace {

// A limit of the argument; it shapes no answer.
constexpr double kMostQuotaCpus = 4096;

struct UsedUp {
  double cpus = 0;
  std::set<uint32_t> held_back;  // vertices
};

// Cgroups that have used up their quotas.
std::map<std::string, UsedUp> UsedUpQuotas(const pb::Report& report) {
  std::map<std::string, UsedUp> cgroups;
  for (const pb::Finding& finding : report.findings()) {
    if (finding.cpu_quota().cpus() <= 0) continue;
    UsedUp& used_up = cgroups[finding.cpu_quota().cgroup()];
    used_up.cpus = finding.cpu_quota().cpus();
    used_up.held_back.insert(finding.members().begin(), finding.members().end());
  }
  return cgroups;
}

// A typed name may mean one that has room left, or none: the answer lists those that there are.
absl::Status NoneUsedUp(const pb::Report& report) {
  std::set<std::string> with_quota;
  for (const pb::MachineResource& resource : report.machine())
    if (resource.what() == "cpu_throttled") with_quota.insert(CleanText(resource.name()));
  if (with_quota.empty()) return absl::NotFoundError("no cgroup with a CPU quota was recorded");
  return absl::NotFoundError(absl::StrCat(
      "no finding is about a CPU quota that was used up, so a larger one changes nothing that was "
      "recorded; quotas have ",
      absl::StrJoin(with_quota, ", ")));
}

std::string_view LastPart(std::string_view cgroup) {
  return cgroup.substr(cgroup.rfind('/') + 1);  // the whole without a slash
}

bool HoldsAny(const std::set<uint32_t>& vertices, const std::vector<uint32_t>& ids) {
  return std::any_of(ids.begin(), ids.end(), [&](uint32_t id) { return vertices.contains(id); });
}

}  // namespace

absl::StatusOr<ChangeArgument> ReadQuota(const char* option, const std::string& text,
                                         const RecordedNames& names) {
  const size_t equals = text.rfind('=');  // names may have some
  double cpus = 0;
  if (equals == std::string::npos || equals == 0 ||
      !absl::SimpleAtod(text.substr(equals + 1), &cpus) || !(cpus > 0) || cpus > kMostQuotaCpus)
    return absl::InvalidArgumentError(absl::StrCat("--", option, " ", CleanText(text),
                                                   ": give GROUP=CPUS with more than 0 and up to ",
                                                   kMostQuotaCpus, " CPUs, as in 'web.slice=2.5'"));
  const std::string name = WithoutBlanks(text.substr(0, equals));
  const auto cgroups = UsedUpQuotas(names.recording().report);
  const auto threads = names.Find(name, [&](uint32_t id) { return names.IsThread(id); });
  std::vector<std::string> meant;
  std::vector<std::string> all;
  for (const auto& [cgroup, used_up] : cgroups) {
    all.push_back(CleanText(cgroup));
    if (cgroup == name) {
      meant = {cgroup};
      break;
    }
    if (LastPart(cgroup) == name || (threads.ok() && HoldsAny(used_up.held_back, threads->ids)))
      meant.push_back(cgroup);
  }
  if (cgroups.empty()) return NoneUsedUp(names.recording().report);
  if (meant.empty())
    return absl::NotFoundError(absl::StrCat("no cgroup ", CleanText(name),
                                            " has used up its CPU quota; such are ",
                                            absl::StrJoin(all, ", ")));
  if (meant.size() > 1)
    return absl::InvalidArgumentError(absl::StrCat("--", option, " ", CleanText(text),
                                                   ": several cgroups are meant; name one of ",
                                                   CleanText(absl::StrJoin(meant, ", "))));
  ChangeArgument read;
  read.cgroup = meant.front();
  read.cpus = cpus;
  read.number = cpus / cgroups.at(read.cgroup).cpus;
  read.from_name = CleanText(read.cgroup);
  return read;
}

}  // namespace gordian
