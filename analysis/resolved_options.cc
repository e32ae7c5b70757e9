// SPDX-License-Identifier: Apache-2.0
#include "analysis/resolved_options.h"

#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "report/recording_summary.h"
#include "words/quantities.h"

namespace gordian {
namespace {

// Of many nodes each may have a group of that name.
absl::StatusOr<std::vector<uint64_t>> CgroupIds(const std::vector<std::string>& paths,
                                                const Timeline& timeline) {
  std::vector<uint64_t> ids;
  for (const std::string& path : paths) {
    const std::string wanted = absl::StrCat(path.starts_with('/') ? "" : "/", path);
    const size_t before = ids.size();
    for (const pb::Cgroup& cgroup : timeline.session().cgroups()) {
      if (cgroup.path() != wanted && cgroup.path() != path) continue;
      ids.push_back(cgroup.id());
      if (timeline.nodes().empty()) break;
    }
    if (ids.size() == before)
      return absl::NotFoundError(absl::StrCat("no thread of the recording was in the cgroup ", path,
                                              "; gordian dump --kind task shows who was where"));
  }
  return ids;
}

}  // namespace

absl::StatusOr<TimeRange> ResolveRange(const RangeOptions& options,
                                       const LoadedRecording& recording) {
  const Timeline& timeline = *recording.timeline;
  if (timeline.end_ns() <= timeline.start_ns())
    return absl::FailedPreconditionError(
        absl::StrCat(recording.directory.empty() ? "the recording" : recording.directory,
                     " holds no time to analyze: its first event is its last; record longer"));
  const TimeRange range =
      RangeOf(timeline.start_ns(), timeline.end_ns(), options.from_ns, options.to_ns);
  if (range.length_ns() == 0)
    return absl::OutOfRangeError(
        absl::StrCat("the recording has nothing from --from to --to: it is ",
                     FormatDuration(timeline.end_ns() - timeline.start_ns()), " long"));
  return range;
}

absl::StatusOr<GraphOptions> ResolveMerging(const VertexOptions& options) {
  GraphOptions merging;
  merging.merge_similar = !options.no_merge;
  for (const std::string& text : options.groups) {
    auto rule = ParseGroupRule(text);
    if (!rule.ok()) return rule.status();
    merging.groups.push_back(*std::move(rule));
  }
  return merging;
}

absl::StatusOr<FindingOptions> ResolveFindings(const AnalysisOptions& options,
                                               const Timeline& timeline) {
  auto cgroup_ids = CgroupIds(options.target.cgroups, timeline);
  if (!cgroup_ids.ok()) return cgroup_ids.status();
  if (!options.target.nodes.empty() && timeline.nodes().empty())
    return absl::InvalidArgumentError(
        "--node: this is a recording of one node alone; give the folder that gordian collect "
        "wrote");
  FindingOptions finding;
  finding.target_pids = options.target.pids;
  finding.target_comms = options.target.comms;
  finding.target_cgroup_ids = *std::move(cgroup_ids);
  finding.target_nodes = options.target.nodes;
  finding.threshold = options.finding.threshold;
  finding.max_vertices = options.finding.max_vertices;
  finding.keep_background = options.finding.keep_background;
  finding.explain = options.finding.explain;
  finding.recording = SummarizeRecording(timeline);
  return finding;
}

}  // namespace gordian
