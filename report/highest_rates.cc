// SPDX-License-Identifier: Apache-2.0
#include "report/highest_rates.h"

#include <algorithm>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "analyzer/findings/evidence/finding_kind.h"
#include "analyzer/findings/evidence/thresholds.h"
#include "report/thresholds.h"
#include "words/clean_text.h"
#include "words/quantities.h"

namespace gordian {
namespace {

// Those that the finding is about, or that its wait is for.
std::vector<std::string> InterfacesOf(const pb::Finding& finding, const pb::Report& report) {
  std::vector<uint32_t> vertices(finding.members().begin(), finding.members().end());
  if (finding.has_edge()) vertices.push_back(finding.edge().to());
  std::vector<std::string> names;
  for (const uint32_t id : vertices) {
    if (id >= static_cast<uint32_t>(report.vertices_size())) continue;
    const pb::ReportVertex& vertex = report.vertices(static_cast<int>(id));
    if (vertex.kind() == "nic") names.push_back(vertex.name());
  }
  return names;
}

bool StaysAtItsHighest(const pb::MachineResource& resource) {
  const bool is_link = resource.what() == "net_receive" || resource.what() == "net_send";
  return is_link && resource.known_s() >= kSecondsOfARate &&
         resource.highest_s() >= kMostOfTheTime * resource.known_s();
}

std::string SentenceOf(const pb::MachineResource& resource) {
  const std::string name = CleanText(resource.name());
  return absl::StrCat(name, resource.what() == "net_send" ? " sends " : " receives ",
                      FormatSize(static_cast<uint64_t>(resource.most())),
                      "/s, its highest rate here, for ",
                      PercentText(resource.highest_s() / resource.known_s()),
                      " of the time. It may be full, or the load is steady: with --link ", name,
                      "=RATE the report can tell.");
}

}  // namespace

void TellHighestRates(pb::Report& report) {
  if (report.has_cluster()) return;  // its rows go by hostnames, which several nodes may share
  for (pb::Finding& finding : *report.mutable_findings()) {
    if (FactsOf(finding).of_phases) continue;
    const std::vector<std::string> names = InterfacesOf(finding, report);
    for (const pb::MachineResource& resource : report.machine()) {
      const bool is_its = std::find(names.begin(), names.end(), resource.name()) != names.end();
      if (is_its && StaysAtItsHighest(resource)) finding.add_why(SentenceOf(resource));
    }
  }
}

}  // namespace gordian
