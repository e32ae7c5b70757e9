// SPDX-License-Identifier: Apache-2.0
#include "output/job_text.h"

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "analyzer/findings/evidence/finding_kind.h"
#include "output/text_table.h"
#include "words/clean_text.h"
#include "words/quantities.h"
#include "words/text_lines.h"

namespace gordian {
namespace {

constexpr int kTypesShown = 24;
constexpr int kResourcesShown = 16;
constexpr double kWorthShowing = 0.01;
constexpr double kWorthTelling = 0.05;
constexpr size_t kNameWidth = 28;

const pb::ReportIssue* IssueOf(const pb::Report& report, const pb::Finding& finding) {
  const auto& issues = report.issues();
  const auto found = std::find_if(issues.begin(), issues.end(), [&](const pb::ReportIssue& issue) {
    return issue.finding() == finding.rank();
  });
  return found == issues.end() ? nullptr : &*found;
}

std::string ResourceName(const pb::ReportResource& resource) {
  const std::string name = CleanText(resource.name());
  const std::string type = CleanText(resource.type());
  return absl::StrCat(CleanText(resource.node()), resource.node().empty() ? "" : " ", name,
                      type.empty() || type == name ? "" : " ", type == name ? "" : type);
}

// The parts far from the left end of a path tell most.
std::string ShortPath(const std::string& path, size_t width) {
  if (TextWidth(path) <= width) return path;
  std::string rest = path;
  while (TextWidth(rest) + 1 > width) {
    const size_t slash = rest.find('/', 1);
    if (slash == std::string::npos) return Shorten(rest, width);
    rest.erase(0, slash);
  }
  return absl::StrCat("…", rest);
}

struct Holder {
  std::string what;
  double share = 0;
  bool by_itself = false;  // it uses all that it can by itself
};

// By type: the limits of its phases, the largest first.
std::map<uint32_t, std::vector<Holder>> HoldersByType(const pb::Report& report) {
  std::map<uint32_t, const pb::ReportResource*> resources;
  for (const pb::ReportResource& resource : report.resources())
    resources[resource.id()] = &resource;
  std::map<uint32_t, std::vector<Holder>> holders;
  for (const pb::ReportBottleneck& bottleneck : report.bottlenecks()) {
    if (bottleneck.has_phase() || !(bottleneck.share() >= kWorthShowing)) continue;
    const auto resource = resources.find(bottleneck.resource());
    if (resource == resources.end()) continue;
    holders[bottleneck.type()].push_back(
        {CleanText(resource->second->type().empty() ? resource->second->name()
                                                    : resource->second->type()),
         bottleneck.share(), bottleneck.kind() == "self_limit"});
  }
  for (auto& [type, list] : holders) {
    std::stable_sort(list.begin(), list.end(),
                     [](const Holder& a, const Holder& b) { return a.share > b.share; });
  }
  return holders;
}

// "lock 75 %", "cpu 44 %, own": the row has room for one.
std::string HolderText(const Holder& holder) {
  return absl::StrCat(holder.what, " ", PercentText(holder.share), holder.by_itself ? ", own" : "");
}

void AddTypes(const pb::Report& report, TextPage& page) {
  const auto holders = HoldersByType(report);
  // own: it uses all that it can by itself, though the resource has more.
  TextTable table({{"", TextTable::Align::kLeft},
                   {"many", TextTable::Align::kRight},
                   {"mean", TextTable::Align::kRight},
                   {"longest", TextTable::Align::kRight},
                   {holders.empty() ? "" : "held by", TextTable::Align::kLeft}});
  const int shown = std::min(kTypesShown, report.phase_types_size());
  for (int i = 0; i < shown; ++i) {
    const pb::ReportPhaseType& type = report.phase_types(i);
    const auto held = holders.find(type.id());
    table.AddRow({ShortPath(CleanText(type.path()), kNameWidth), FormatCount(type.count()),
                  type.count() ? SecondsText(type.mean_s()) : "",
                  type.count() ? SecondsText(type.longest_s()) : "",
                  held == holders.end() ? "" : HolderText(held->second.front())});
  }
  const std::vector<std::string> rows = absl::StrSplit(table.ToString(), '\n', absl::SkipEmpty());
  for (size_t i = 0; i < rows.size(); ++i) page.Row(i == 0 ? "kinds" : "", rows[i]);
  if (shown < report.phase_types_size())
    page.Row("", absl::StrCat("and ", report.phase_types_size() - shown, " kinds more (--json)"));
}

std::string Amount(double value, const std::string& unit) {
  if (unit == "B/s") return absl::StrCat(FormatSize(static_cast<uint64_t>(value)), "/s");
  return absl::StrCat(absl::StrFormat("%.3g", value), unit.empty() ? "" : " ", CleanText(unit));
}

// "61 % of 2 cores, measured" or "3.1 MiB/s on average, estimated from samples; 12 % of it by no
// phase". Measured is told of the phases' use alone: other programs' use was nobody's estimate.
std::string UseText(const pb::ReportResource& resource, double seconds) {
  if (resource.kind() == "blocking") return "blocks or not";
  const double mean = seconds > 0 ? resource.use() / seconds : 0;
  std::string text = resource.capacity() > 0
                         ? absl::StrCat(PercentText(mean / resource.capacity()), " of ",
                                        Amount(resource.capacity(), resource.unit()))
                         : absl::StrCat(Amount(mean, resource.unit()), " on average");
  if (!(resource.use() > 0)) return text;
  const double of_phases = resource.use() - resource.unattributed();
  if (of_phases > 0) {
    const double measured = resource.measured() / of_phases;
    absl::StrAppend(&text, measured > 0.99 ? ", measured"
                           : measured > 0.01
                               ? absl::StrCat(", ", PercentText(measured), " measured")
                               : ", estimated from samples");
  }
  const double nobodys = resource.unattributed() / resource.use();
  if (nobodys >= kWorthShowing)
    absl::StrAppend(&text, "; ", PercentText(nobodys), " of it by no phase");
  return text;
}

// Unused resources tell nothing.
void AddResources(const pb::Report& report, TextPage& page) {
  int shown = 0;
  int left = 0;
  for (const pb::ReportResource& resource : report.resources()) {
    if (!(resource.use() > 0) && resource.kind() != "blocking") continue;
    if (shown == kResourcesShown) {
      ++left;
      continue;
    }
    page.Labelled(
        shown++ == 0 ? "resources" : "",
        absl::StrCat(ResourceName(resource), ": ", UseText(resource, report.job().makespan_s())));
  }
  if (left > 0) page.Row("", absl::StrCat("and ", left, " more (--json)"));
}

}  // namespace

bool IsOfPhases(const pb::Finding& finding) { return FactsOf(finding).of_phases; }

std::string PhaseGainSentence(const pb::Report& report, const pb::Finding& finding) {
  const pb::ReportIssue* issue = IssueOf(report, finding);
  if (!issue) return "none that could be shown";
  return absl::StrCat("up to ", PercentText(issue->gain()), " of the job's time (",
                      SecondsText(issue->makespan_s()), " instead of ",
                      SecondsText(report.job().makespan_s()),
                      "), told by replaying its phases with this mended");
}

void AddPhaseTables(const pb::Report& report, TextPage& page) {
  if (!report.has_job()) return;
  const pb::JobSummary& job = report.job();
  page.Blank();
  page.Headline("Phases", Tone::kStrong);
  page.Labelled("job",
                absl::StrCat(CleanText(job.model()), ": ", SecondsText(job.makespan_s()), ", ",
                             FormatCount(static_cast<uint64_t>(report.phases_size()), "phase")));
  std::vector<std::string> changed;
  for (const pb::ChangedJobThreshold& one : job.thresholds()) {
    changed.push_back(absl::StrCat(CleanText(one.name()), " ", one.value(), " instead of ",
                                   one.usual(), " (", CleanText(one.unit()), ")"));
  }
  if (!changed.empty()) page.Labelled("moved", absl::StrJoin(changed, ", "));
  if (job.unexplained_s() > kWorthTelling * job.makespan_s())
    page.Labelled("gaps",
                  absl::StrCat(SecondsText(job.unexplained_s()),
                               " of it lie between phases, where the model has none: what happened "
                               "there no finding about phases can tell"),
                  Tone::kWarning);
  AddTypes(report, page);
  AddResources(report, page);
}

}  // namespace gordian
