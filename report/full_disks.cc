// SPDX-License-Identifier: Apache-2.0
#include "report/full_disks.h"

#include <algorithm>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "analyzer/findings/evidence/finding_kind.h"
#include "analyzer/findings/evidence/thresholds.h"
#include "report/finding_threads.h"
#include "report/machine.h"
#include "words/clean_text.h"
#include "words/quantities.h"

namespace gordian {
namespace {

bool IsToldDisk(const pb::MachineResource& resource) {
  return resource.capacity_from() == kCapacityOfOption &&
         (resource.what() == "disk_bytes" || resource.what() == "disk_operations");
}

double FullShareOf(const pb::MachineResource& resource) {
  return resource.known_s() > 0 ? resource.full_s() / resource.known_s() : 0;
}

const pb::ReportVertex* DiskOf(const pb::Finding& finding, const pb::Report& report) {
  for (const uint32_t id : finding.members()) {
    const pb::ReportVertex& vertex = report.vertices(static_cast<int>(id));
    if (vertex.kind() == "disk") return &vertex;
  }
  return nullptr;
}

std::string RateOf(double amount, const pb::MachineResource& resource) {
  return resource.what() == "disk_bytes"
             ? absl::StrCat(FormatSize(static_cast<uint64_t>(amount)), "/s")
             : absl::StrCat(FormatCount(static_cast<uint64_t>(amount), "operation"), " a second");
}

void TellDisk(const pb::MachineResource& resource, pb::Finding& finding, pb::Report& report) {
  pb::FullCapacity& told = *finding.mutable_capacity();
  told.set_name(resource.name());
  told.set_what(resource.what());
  told.set_capacity(resource.capacity());
  told.set_mean(resource.mean());
  told.set_full_share(FullShareOf(resource));
  const std::string name = CleanText(resource.name());
  const std::string limit = RateOf(resource.capacity(), resource);
  AddToTitle(": ", absl::StrCat(name, " is at its limit of ", limit), finding, report);
  PutFirst(absl::StrCat(name, " does ", RateOf(resource.mean(), resource), " on average, and ",
                        PercentText(told.full_share()),
                        " of the time all or nearly all of what it can do (", limit, ", as told)."),
           *finding.mutable_why());
  // Requests side by side would share the same rate.
  finding.clear_advice();
  finding.add_advice("Give it less to do: cache, compress, batch small requests into large ones.");
  finding.add_advice("Or raise that limit: a faster disk, or several.");
  finding.clear_natural_fixes();
  finding.set_no_natural_fix_because("a replay knows no limit of a disk's rate");
}

}  // namespace

void TellFullDisks(pb::Report& report) {
  for (pb::Finding& finding : *report.mutable_findings()) {
    if (FactsOf(finding).of_phases) continue;
    const pb::ReportVertex* disk = DiskOf(finding, report);
    if (disk == nullptr) continue;
    const pb::MachineResource* fullest = nullptr;
    for (const pb::MachineResource& resource : report.machine()) {
      const bool is_it = IsToldDisk(resource) && resource.name() == disk->name() &&
                         (disk->node().empty() || disk->node() == resource.node());
      if (!is_it || FullShareOf(resource) < kMostOfTheTime) continue;
      if (fullest == nullptr || FullShareOf(resource) > FullShareOf(*fullest)) fullest = &resource;
    }
    if (fullest != nullptr) TellDisk(*fullest, finding, report);
  }
}

}  // namespace gordian
