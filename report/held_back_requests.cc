// SPDX-License-Identifier: Apache-2.0
#include "report/held_back_requests.h"

#include <algorithm>
#include <map>
#include <optional>
#include <string>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "analyzer/devices/request_index.h"
#include "analyzer/findings/evidence/thresholds.h"
#include "report/finding_threads.h"
#include "report/vertex_names.h"
#include "words/clean_text.h"
#include "words/quantities.h"

namespace gordian {
namespace {

// The kernel's work queue that keeps control groups to their limits of I/O.
constexpr char kThrottle[] = "kthrotld";

// The waits of a vertex for a disk.
struct DiskWaits {
  double all_ns = 0;
  std::map<std::string, double> before_issue_ns;  // by the kernel's threads that issued at last
};

bool IsWaitForADisk(const pb::Finding& finding, const pb::Report& report) {
  return finding.has_edge() &&
         finding.edge().to() < static_cast<uint32_t>(report.vertices_size()) &&
         report.vertices(static_cast<int>(finding.edge().to())).kind() == "disk";
}

class HeldBackTeller {
 public:
  HeldBackTeller(const Waits& waits, const std::vector<uint32_t>& vertex_of_entity,
                 const TimeRange& range, pb::Report& report)
      : waits_(waits),
        vertex_of_entity_(vertex_of_entity),
        range_(range),
        requests_(waits.timeline()),
        report_(report) {}

  void Tell(pb::Finding& finding) {
    const DiskWaits found = WaitsOf(finding.edge().from(), finding.edge().to());
    const auto issuer =
        std::max_element(found.before_issue_ns.begin(), found.before_issue_ns.end(),
                         [](const auto& a, const auto& b) { return a.second < b.second; });
    if (issuer == found.before_issue_ns.end()) return;
    const double share = issuer->second / found.all_ns;
    if (share < kMostOfTheTime) return;
    const std::string name = CleanText(issuer->first);
    const bool is_limit = absl::StrContains(name, kThrottle);
    const bool is_reason_known = finding.has_capacity();  // a person told it, and it is reached
    const VertexNames names(report_);
    const std::string& disk = names.Phrase(finding.edge().to());
    if (is_limit && !is_reason_known) TellLimit(names.Phrase(finding.edge().from()), disk, finding);
    PutFirst(absl::StrCat(PercentText(share), " of this waiting is over before ", disk,
                          " has the request. ", name, " gives it to the disk then",
                          is_limit ? ": it keeps control groups to their limits." : "."),
             *finding.mutable_why());
  }

 private:
  // Waits that ended with another's request are left with the disk: it had work meanwhile.
  DiskWaits WaitsOf(uint32_t waiter, uint32_t disk) const {
    DiskWaits found;
    const Timeline& timeline = waits_.timeline();
    ForEachThreadOf({waiter}, waits_, vertex_of_entity_, [&](EntityId id, const Entity&) {
      for (SegmentCursor at = waits_.SegmentsFrom(id, range_.from_ns);
           !at.done() && at.start_ns() < range_.to_ns; at.Next()) {
        const ThreadSegment& wait = at.segment();
        if (wait.kind != SegmentKind::kWait || wait.cause != WaitCause::kDisk ||
            wait.waker >= vertex_of_entity_.size() || vertex_of_entity_[wait.waker] != disk)
          continue;
        found.all_ns += static_cast<double>(at.end_ns() - at.start_ns());
        const std::optional<PathRequest> request =
            RequestThatWoke(timeline, requests_, id, at.end_ns());
        if (!request || request->issuer == id || request->issue_ns <= at.start_ns() ||
            !waits_.entities()[request->issuer].kernel_thread)
          continue;
        found.before_issue_ns[waits_.entities()[request->issuer].name] +=
            static_cast<double>(request->issue_ns - at.start_ns());
      }
    });
    return found;
  }

  void TellLimit(const std::string& who, const std::string& disk, pb::Finding& finding) {
    SetTitle(absl::StrCat("A limit of I/O of a control group holds ", who,
                          " back, before the requests come to ", disk, "."),
             finding, report_);
    finding.clear_advice();
    finding.add_advice(
        "Raise that limit (io.max, or blkio.throttle.* in version 1; of a container its device "
        "limits). Or ask for less: larger requests if requests are counted, a cache, fewer syncs.");
    finding.clear_natural_fixes();
    finding.set_no_natural_fix_because("a replay does not know the limit");
  }

  const Waits& waits_;
  const std::vector<uint32_t>& vertex_of_entity_;
  const TimeRange& range_;
  const RequestIndex requests_;
  pb::Report& report_;
};

}  // namespace

void TellHeldBackRequests(const Waits& waits, const std::vector<uint32_t>& vertex_of_entity,
                          const TimeRange& range, pb::Report& report) {
  std::optional<HeldBackTeller> teller;  // made when the first is asked for
  for (pb::Finding& finding : *report.mutable_findings()) {
    if (!IsWaitForADisk(finding, report)) continue;
    if (!teller) teller.emplace(waits, vertex_of_entity, range, report);
    teller->Tell(finding);
  }
}

}  // namespace gordian
