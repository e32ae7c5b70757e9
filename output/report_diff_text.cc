// SPDX-License-Identifier: Apache-2.0
#include "output/report_diff_text.h"

#include <algorithm>
#include <cmath>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "words/clean_text.h"
#include "words/quantities.h"
#include "words/text_lines.h"

namespace gordian {
namespace {

constexpr int kMostWaits = 15;
constexpr double kLeastChange = 0.001;  // a millisecond of waiting a second
constexpr size_t kEdgeNameWidth = 34;

// Of several recordings on a side, that is.
std::string InHowMany(const pb::FindingChange& change, const pb::ReportDiff& diff) {
  const int before = diff.before_recordings_size(), after = diff.after_recordings_size();
  if (before <= 1 && after <= 1) return "";
  return absl::StrCat(" in ", change.before_recordings(), " of ", before, " before, ",
                      change.after_recordings(), " of ", after, " after");
}

void AddFinding(const pb::FindingChange& change, const pb::ReportDiff& diff, TextPage& page) {
  std::string text = CleanText(change.title());
  if (change.change() == "stays") {
    absl::StrAppend(&text, " [share ", PercentText(change.before_share()), " -> ",
                    PercentText(change.after_share()));
    if (change.before_gain() > 1 || change.after_gain() > 1)
      absl::StrAppend(&text, ", gain at most ", GainText(change.before_gain()), " -> ",
                      GainText(change.after_gain()));
    absl::StrAppend(&text, "]");
  } else {
    const double share = change.change() == "new" ? change.after_share() : change.before_share();
    absl::StrAppend(&text, " [share ", PercentText(share), change.limit() ? "" : ", beside it",
                    "]");
  }
  absl::StrAppend(&text, InHowMany(change, diff));
  page.Labelled(change.change(), text);
}

// Those of the program; on a whole machine the others change for reasons of their own.
void AddEdges(const pb::ReportDiff& diff, TextPage& page) {
  page.Blank();
  page.Headline("Waits that changed most (seconds of waiting in a second of recording)",
                Tone::kStrong);
  int shown = 0, left = 0;
  for (const pb::EdgeChange& edge : diff.edges()) {
    if (std::abs(edge.change()) < kLeastChange) break;  // they are in order
    if (shown == kMostWaits || !edge.in_scope()) {
      ++left;
      continue;
    }
    ++shown;
    const std::string name = absl::StrCat(edge.from(), " -> ", edge.to());
    page.Row(
        absl::StrFormat("%+.3f", edge.change()),
        absl::StrCat(PadRight(Shorten(name, kEdgeNameWidth), kEdgeNameWidth),
                     absl::StrFormat("%9.3f -> %.3f", edge.before_weight(), edge.after_weight())));
  }
  if (shown == 0) page.Labelled("none", "of what the analysis is about");
  if (left > 0)
    page.Labelled(
        "", absl::StrCat("and ", left, " more, lighter or of other programs (--json has all)"));
}

void AddGate(const pb::Gate& gate, TextPage& page) {
  page.Headline(absl::StrCat("Conditions: ", gate.outcome(),
                             gate.fails() && gate.outcome() != "failed" ? ", which fails" : ""),
                gate.fails()                 ? Tone::kBad
                : gate.outcome() == "passed" ? Tone::kGood
                                             : Tone::kWarning);
  for (const pb::GateCondition& condition : gate.conditions()) {
    const bool holds = condition.outcome() == "holds";
    const bool undecided = condition.outcome() == "undecided";
    page.Labelled(holds       ? "FAILED"
                  : undecided ? "undecided"
                              : "passed",
                  absl::StrCat(CleanText(condition.condition()), ": ", CleanText(condition.text())),
                  holds       ? Tone::kBad
                  : undecided ? Tone::kWarning
                              : Tone::kPlain);
  }
  page.Labelled("",
                absl::StrCat("Chance alone decides at most ", PercentText(gate.false_alarms()),
                             " of such answers wrongly, each."),
                Tone::kQuiet);
  page.Blank();
}

std::string RecordingText(const pb::RecordingSummary& recording) {
  std::string text = SecondsText(recording.seconds());
  if (!recording.started().empty())
    absl::StrAppend(&text, " from ", CleanText(recording.started()));
  if (!recording.name().empty()) absl::StrAppend(&text, ", ", CleanText(recording.name()));
  if (recording.lost() > 0) absl::StrAppend(&text, ", ", recording.lost(), " records lost");
  return text;
}

template <typename Recordings>
void AddRecordings(std::string_view label, const Recordings& recordings, TextPage& page) {
  for (const pb::RecordingSummary& recording : recordings) {
    page.Labelled(label, RecordingText(recording));
    label = "";
  }
}

}  // namespace

std::string ReportDiffText(const pb::ReportDiff& diff, const TextStyle& style) {
  TextPage page(style);
  page.Headline(CleanText(diff.verdict()), Tone::kStrong);
  page.Blank();
  if (diff.has_gate()) AddGate(diff.gate(), page);
  for (const pb::FindingChange& change : diff.findings()) AddFinding(change, diff, page);
  AddEdges(diff, page);
  page.Blank();
  page.Headline("Recordings", Tone::kStrong);
  AddRecordings("before", diff.before_recordings(), page);
  AddRecordings("after", diff.after_recordings(), page);
  return page.Take();
}

}  // namespace gordian
