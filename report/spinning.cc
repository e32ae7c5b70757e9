// SPDX-License-Identifier: Apache-2.0
#include "report/spinning.h"

#include <algorithm>
#include <string>

#include "absl/strings/str_cat.h"
#include "analyzer/findings/evidence/cpu_advice.h"
#include "analyzer/findings/evidence/finding_kind.h"
#include "analyzer/findings/evidence/fix_change.h"
#include "analyzer/findings/evidence/thresholds.h"
#include "report/finding_threads.h"
#include "report/limits.h"
#include "words/quantities.h"

namespace gordian {
namespace {

bool IsOfTarget(const pb::Suggestion& spin, const pb::Report& report) {
  return std::any_of(report.vertices().begin(), report.vertices().end(),
                     [&](const pb::ReportVertex& vertex) {
                       return vertex.id() == spin.vertex() && vertex.target();
                     });
}

// The heaviest of those that are likely, and how much of all CPUs' time goes to all of them.
struct Spinning {
  const pb::Suggestion* heaviest = nullptr;
  bool is_all = false;  // the heaviest place does hardly anything else
  double share = 0;
};

Spinning SpinningOf(std::span<const Suggestion> suggestions, const pb::Report& report) {
  Spinning found;
  const double cpus_s = report.recording().seconds() * report.recording().cpus();
  if (cpus_s <= 0) return found;
  const int count = std::min(report.suggestions_size(), static_cast<int>(suggestions.size()));
  for (int i = 0; i < count; ++i) {
    const pb::Suggestion& spin = report.suggestions(i);
    if (spin.kind() != "spin" || spin.sure() != "likely" || !IsOfTarget(spin, report)) continue;
    found.share += spin.seconds() / cpus_s;
    if (found.heaviest != nullptr && spin.seconds() <= found.heaviest->seconds()) continue;
    found.heaviest = &spin;
    const Suggestion& its = suggestions[static_cast<size_t>(i)];
    const auto samples = static_cast<double>(its.samples);
    found.is_all = samples >= kNearlyAll * (samples + static_cast<double>(its.other_samples));
  }
  found.share = std::min(found.share, 1.0);
  return found;
}

// Threads that get no CPU, or that use one.
bool IsOfCpus(const pb::Finding& finding) {
  const KindFacts& facts = FactsOf(finding);
  return IsLimit(finding) && (facts.lacks_cpus || facts.works);
}

// A replay takes what is spun for work, which more CPUs would do sooner.
void AskForNoMoreCpus(pb::Finding& finding) {
  auto& advice = *finding.mutable_advice();
  advice.erase(std::remove(advice.begin(), advice.end(), kMoreCpus), advice.end());
  auto& fixes = *finding.mutable_natural_fixes();
  const auto first = std::remove_if(
      fixes.begin(), fixes.end(), [](const pb::NaturalFix& fix) { return fix.change() == "cpus"; });
  fixes.erase(first, fixes.end());
}

void AskForNoSpinning(const Spinning& spinning, pb::Finding& finding) {
  AskForNoMoreCpus(finding);
  auto& fixes = *finding.mutable_natural_fixes();
  if (spinning.is_all) {
    pb::NaturalFix& fix = *fixes.Add();
    fix.set_change(FixChangeName(FixChange::kFunction));
    fix.set_who(spinning.heaviest->vertex());
    fix.set_amount(0);
    std::rotate(fixes.begin(), fixes.end() - 1, fixes.end());
    finding.clear_no_natural_fix_because();
  } else if (fixes.empty() && finding.no_natural_fix_because().empty()) {
    finding.set_no_natural_fix_because("threads that spin would spin on more CPUs, too");
  }
}

}  // namespace

void TellSpinning(std::span<const Suggestion> suggestions, pb::Report& report) {
  if (report.has_cluster()) return;
  const Spinning spinning = SpinningOf(suggestions, report);
  if (spinning.share < kMattersMuch) return;
  const pb::Suggestion& spin = *spinning.heaviest;
  for (pb::Finding& finding : *report.mutable_findings()) {
    if (!IsOfCpus(finding)) continue;
    AddToTitle(": ",
               absl::StrCat("threads spin in ", spin.function(), " for ",
                            PercentText(spinning.share), " of the CPUs' time"),
               finding, report);
    PutFirst(absl::StrCat("Let threads that find a lock taken, or nothing to do, sleep until they "
                          "are woken (a mutex, a condition variable, a futex), or spin for less "
                          "long: it takes the CPUs from those that work. What it costs, if ",
                          spin.function(), " does nothing else: gordian whatif --function '",
                          spin.function(), "=0'."),
             *finding.mutable_advice());
    PutFirst(spin.text(), *finding.mutable_code());
    AskForNoSpinning(spinning, finding);
    return;  // once, where it is read first
  }
}

}  // namespace gordian
