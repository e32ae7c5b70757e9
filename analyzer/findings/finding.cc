// SPDX-License-Identifier: Apache-2.0
#include "analyzer/findings/finding.h"

#include <string_view>

#include "analyzer/findings/sureness.h"

namespace gordian {
namespace {

// Of one knot. A report holds all edges of the graph anyway.
constexpr size_t kMostWaits = 1000;

// Names of vertices may stand first.
std::string Capitalized(std::string text) {
  for (const std::string_view beginning : {"the ", "interrupts", "an "}) {
    if (text.starts_with(beginning)) text[0] = static_cast<char>(text[0] - 'a' + 'A');
  }
  return text;
}

void WriteWait(const Finding::Wait& wait, pb::EdgeRef& out) {
  out.set_from(wait.from);
  out.set_to(wait.to);
}

void WriteFixes(const NaturalFixes& natural, pb::Finding& out) {
  for (const NaturalFix& fix : natural.fixes) {
    pb::NaturalFix& told = *out.add_natural_fixes();
    told.set_change(FixChangeName(fix.change));
    if (fix.who) told.set_who(*fix.who);
    if (fix.whom) told.set_whom(*fix.whom);
    told.set_amount(fix.amount);
    told.set_node(fix.node);
    told.set_advice(fix.advice);
    told.set_of_wait(fix.of_wait);
    told.set_if_woken_for_nothing(fix.if_woken_for_nothing);
  }
  out.set_no_natural_fix_because(natural.none_because);
}

}  // namespace

void WriteFinding(const Finding& finding, pb::Report& report) {
  pb::Finding& out = *report.add_findings();
  const KindFacts& facts = FactsOf(finding.kind);
  out.set_kind(facts.name);
  out.set_kind_in_words(facts.in_words);
  out.set_apart(finding.apart);
  out.mutable_members()->Add(finding.members.begin(), finding.members.end());
  out.mutable_outside()->Add(finding.outside.begin(), finding.outside.end());
  if (finding.attack) WriteWait(*finding.attack, *out.mutable_edge());
  for (size_t i = 0; i < std::min(finding.waits.size(), kMostWaits); ++i) {
    WriteWait(finding.waits[i], *out.add_edges());
  }
  out.set_share(finding.share);
  out.set_upper_bound_gain(finding.upper_bound_gain);
  out.set_confidence(finding.confidence);
  out.set_sure(SurenessWord(finding.confidence));
  out.set_title(Capitalized(finding.title));
  for (const std::string& why : finding.why) out.add_why(Capitalized(why));
  for (const std::string& advice : finding.advice) out.add_advice(advice);
  for (const std::string& doubt : finding.doubts) out.add_doubts(doubt);
  for (const RuledOut& suspect : finding.ruled_out) {
    pb::RuledOut& ruled_out = *out.add_ruled_out();
    ruled_out.set_vertex(suspect.vertex);
    ruled_out.set_what(suspect.what);
    ruled_out.set_reason(suspect.reason);
  }
  WriteFixes(finding.natural_fixes, out);
  out.mutable_phases()->Add(finding.phases.begin(), finding.phases.end());
  out.mutable_explained_by()->Add(finding.explained_by.begin(), finding.explained_by.end());
}

}  // namespace gordian
