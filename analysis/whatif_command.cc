// SPDX-License-Identifier: Apache-2.0
#include "analysis/whatif_command.h"

#include "absl/strings/str_cat.h"
#include "base/time_units.h"
#include "whatif/fix_questions.h"

namespace gordian {
namespace {

// In the largest unit that leaves no fraction: 10s, 1500ms.
std::string ExactDuration(uint64_t span_ns) {
  struct Unit {
    uint64_t length_ns;
    const char* name;
  };
  for (const auto& [length_ns, name] :
       {Unit{kNsPerSecond, "s"}, Unit{kNsPerMs, "ms"}, Unit{kNsPerUs, "us"}}) {
    if (span_ns % length_ns == 0) return absl::StrCat(span_ns / length_ns, name);
  }
  return absl::StrCat(span_ns, "ns");
}

}  // namespace

std::string WhatIfCommand(const std::string& directory, const AnalysisOptions& options) {
  // A word that begins with a dash would be an option.
  const bool is_option = directory.starts_with('-');
  std::string text =
      absl::StrCat("gordian whatif ", ShellQuoted(is_option ? "./" + directory : directory));
  const auto add_all = [&text](const char* option, const std::vector<std::string>& values) {
    for (const std::string& value : values)
      absl::StrAppend(&text, " ", option, " ", ShellQuoted(value));
  };
  for (const int32_t pid : options.target.pids) absl::StrAppend(&text, " --pid ", pid);
  add_all("--comm", options.target.comms);
  add_all("--cgroup", options.target.cgroups);
  add_all("--node", options.target.nodes);
  const RangeOptions all;
  if (options.range.from_ns != all.from_ns)
    absl::StrAppend(&text, " --from ", ExactDuration(options.range.from_ns));
  if (options.range.to_ns != all.to_ns)
    absl::StrAppend(&text, " --to ", ExactDuration(options.range.to_ns));
  add_all("--group", options.graph.groups);
  add_all("--link", options.capacities.links);
  add_all("--disk", options.capacities.disks);
  if (options.graph.no_merge) text += " --no-merge";
  if (options.graph.assume_false_wakeups) text += " --assume-false-wakeups";
  const SearchOptions usual;
  const SearchOptions& finding = options.finding;
  if (finding.threshold != usual.threshold)
    absl::StrAppend(&text, " --threshold ", finding.threshold);
  if (finding.max_vertices != usual.max_vertices)
    absl::StrAppend(&text, " --max-vertices ", finding.max_vertices);
  if (finding.keep_background) text += " --keep-background";
  return text;
}

}  // namespace gordian
