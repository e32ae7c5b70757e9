// SPDX-License-Identifier: Apache-2.0
#include "output/text_report.h"

#include <algorithm>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "analyzer/findings/evidence/finding_kind.h"
#include "analyzer/findings/sureness.h"
#include "output/cluster_text.h"
#include "output/job_path_text.h"
#include "output/job_text.h"
#include "output/machine_text.h"
#include "output/prediction_text.h"
#include "report/limits.h"
#include "report/nothing_found.h"
#include "report/vertex_names.h"
#include "words/clean_text.h"
#include "words/quantities.h"
#include "words/text_lines.h"

namespace gordian {
namespace {

constexpr int kKnotEdgesShown = 6;
constexpr int kFindingsShown = 8;
constexpr int kRuledOutShown = 4;
constexpr int kSuggestionsShown = 4;
constexpr int kMembersShown = 8;
constexpr size_t kLongestEdgeName = 34;

std::string MemberNames(const pb::Finding& finding, const VertexNames& names) {
  const auto& outside = finding.outside();
  std::vector<std::string> words;
  for (int i = 0; i < std::min(kMembersShown, finding.members_size()); ++i) {
    const uint32_t member = finding.members(i);
    const bool is_outside = std::find(outside.begin(), outside.end(), member) != outside.end();
    words.push_back(absl::StrCat(names.Name(member), is_outside ? " (outside)" : ""));
  }
  if (finding.members_size() > kMembersShown)
    words.push_back(absl::StrCat("and ", finding.members_size() - kMembersShown, " more"));
  return absl::StrJoin(words, ", ");
}

const pb::ReportEdge* FindEdge(const pb::Report& report, const pb::EdgeRef& wanted) {
  const auto& edges = report.edges();
  const auto found = std::find_if(edges.begin(), edges.end(), [&](const pb::ReportEdge& edge) {
    return edge.from() == wanted.from() && edge.to() == wanted.to();
  });
  return found == edges.end() ? nullptr : &*found;
}

std::string EdgeName(const pb::EdgeRef& edge, const VertexNames& names) {
  return absl::StrCat(names.Name(edge.from()), " -> ", names.Name(edge.to()));
}

// Own waits and waits that others handed on, apart: the second is no gain.
std::string EdgeNumbers(const pb::ReportEdge& edge) {
  std::string text =
      absl::StrCat(SecondsText(edge.weight_s()), ", own ", SecondsText(edge.own_s()));
  if (edge.count() > 0) absl::StrAppend(&text, " in ", FormatCount(edge.count(), "wait"));
  if (edge.within_clock_bound())
    absl::StrAppend(&text, ", each ≤ clock bound ", ClockDuration(edge.clock_bound_s()));
  return text;
}

// The edge to attack, then the knot's others, as "B -> vda   10 s, own 5 s in 500 waits".
void AddEdges(const pb::Report& report, const pb::Finding& finding, const VertexNames& names,
              TextPage& page) {
  std::vector<pb::EdgeRef> refs;
  if (finding.has_edge()) refs.push_back(finding.edge());
  for (const pb::EdgeRef& edge : finding.edges()) {
    const bool first = finding.has_edge() && edge.from() == finding.edge().from() &&
                       edge.to() == finding.edge().to();
    if (!first) refs.push_back(edge);
  }
  if (refs.empty()) return;
  const size_t shown = std::min<size_t>(refs.size(), kKnotEdgesShown);
  size_t width = 0;
  for (size_t i = 0; i < shown; ++i) width = std::max(width, TextWidth(EdgeName(refs[i], names)));
  width = std::min(width, kLongestEdgeName);
  for (size_t i = 0; i < shown; ++i) {
    const pb::ReportEdge* edge = FindEdge(report, refs[i]);
    const std::string name = PadRight(Shorten(EdgeName(refs[i], names), width), width);
    page.Row(i == 0 ? "where" : "", edge ? absl::StrCat(name, "   ", EdgeNumbers(*edge)) : name);
  }
  if (shown < refs.size())
    page.Row("",
             absl::StrCat("and ", refs.size() - shown, " lighter ones (gordian graph --edges)"));
}

Tone SurenessTone(SurenessLevel level) {
  switch (level) {
    case SurenessLevel::kSure:
    case SurenessLevel::kLikely:
      return Tone::kGood;
    case SurenessLevel::kPossible:
      return Tone::kWarning;
    case SurenessLevel::kGuess:
      break;
  }
  return Tone::kBad;
}

void AddSureness(const pb::Finding& finding, TextPage& page) {
  const std::string doubts = finding.doubts().empty() ? "nothing is missing that would touch it"
                                                      : CleanText(finding.doubts(0));
  const Sureness& sure = SurenessOf(finding.confidence());
  page.Labelled("trust", absl::StrCat(sure.word, ": ", doubts), SurenessTone(sure.level));
  for (int i = 1; i < finding.doubts_size(); ++i) page.Labelled("", CleanText(finding.doubts(i)));
}

void AddFirst(const pb::Report& report, const pb::Finding& finding, const VertexNames& names,
              TextPage& page) {
  if (CleanText(finding.title()) != Verdict(report))
    page.Labelled("found", CleanText(finding.title()));
  // The first questions of a reader: why, and what to do.
  const bool of_phases = IsOfPhases(finding);
  if (finding.why_size() > 0) page.Labelled("why", CleanText(finding.why(0)));
  for (int i = 0; i < finding.advice_size(); ++i)
    page.Labelled(i == 0 ? "try" : "", CleanText(finding.advice(i)));
  if (of_phases) {
    page.Labelled("gain", PhaseGainSentence(report, finding));
  } else {
    AddGain(report, finding, page);
  }
  AddSureness(finding, page);
  if (finding.members_size() > 0) page.Labelled("who", MemberNames(finding, names));
  for (int i = 1; i < finding.why_size(); ++i)
    page.Labelled(i == 1 ? "more" : "", CleanText(finding.why(i)));
  for (int i = 0; i < finding.code_size(); ++i)
    page.Labelled(i == 0 ? "code" : "", CleanText(finding.code(i)));
  AddEdges(report, finding, names, page);
  if (finding.share() > 0 && !of_phases)
    page.Labelled("share", absl::StrCat(PercentText(finding.share()), FactsOf(finding).of_job
                                                                          ? " of the job's time"
                                                                          : " of the recording"));
  for (int i = 0; i < std::min(kRuledOutShown, finding.ruled_out_size()); ++i) {
    const pb::RuledOut& ruled_out = finding.ruled_out(i);
    page.Labelled(i == 0 ? "not it" : "",
                  absl::StrCat(CleanText(ruled_out.what()), ": ", CleanText(ruled_out.reason())));
  }
  if (finding.ruled_out_size() > kRuledOutShown)
    page.Labelled("", absl::StrCat("and ", finding.ruled_out_size() - kRuledOutShown,
                                   " more (--json and --html have all)"));
}

void AddOthers(const pb::Report& report, const pb::Finding* first, TextPage& page) {
  int shown = 0, left = 0;
  for (const pb::Finding& finding : report.findings()) {
    if (&finding == first) continue;
    if (shown == kFindingsShown) {
      ++left;
      continue;
    }
    if (shown++ == 0) {
      page.Blank();
      page.Headline(first ? "Also found" : "Beside it", Tone::kStrong);
    }
    std::string text = CleanText(finding.title());
    absl::StrAppend(&text, " [", CleanText(finding.kind()),
                    finding.apart() ? ", apart from the target" : "");
    if (IsOfPhases(finding)) {
      absl::StrAppend(&text, ", saves up to ", PercentText(finding.share()), " of the job's time");
    } else if (const std::string gain = PredictionInShort(finding); !gain.empty()) {
      absl::StrAppend(&text, ", gain ", gain);
    } else if (finding.upper_bound_gain() > 1) {
      absl::StrAppend(&text, ", gain up to ", TimesText(finding.upper_bound_gain()));
    }
    absl::StrAppend(&text, ", ", SurenessWord(finding.confidence()), "]");
    page.Labelled(absl::StrCat(finding.rank(), "."), text);
  }
  if (left > 0) page.Labelled("", absl::StrCat("and ", left, " more (--json and --html have all)"));
}

std::string StoppedSentence(const pb::StoppedReading& stopped) {
  return absl::StrCat("The analysis was stopped: this is about the first ",
                      SecondsText(stopped.read_s()), " of the recording (",
                      PercentText(stopped.read_s() / stopped.recorded_s()), " of ",
                      SecondsText(stopped.recorded_s()), ").");
}

void AddNothingFound(const pb::Report& report, TextPage& page) {
  const NothingFound found = WhyNothingWasFound(report);
  page.Labelled("why", found.why);
  bool is_first = true;
  for (const std::string& advice : found.advice) {
    page.Labelled(is_first ? "try" : "", advice);
    is_first = false;
  }
}

// Where the program could tell more of itself.
void AddWorthAnnotating(const pb::Report& report, TextPage& page) {
  int shown = 0, left = 0;
  for (const pb::Suggestion& suggestion : report.suggestions()) {
    if (!suggestion.matters()) continue;
    if (shown == kSuggestionsShown) {
      ++left;
      continue;
    }
    if (shown++ == 0) {
      page.Blank();
      page.Headline("Worth annotating", Tone::kStrong);
    }
    page.Labelled(suggestion.kind() == "spin" ? "spin" : "wakeups", CleanText(suggestion.text()));
    page.Labelled("", CleanText(suggestion.advice()));
  }
  if (left > 0) page.Labelled("", absl::StrCat("and ", left, " more (--json has all)"));
}

// "once, for 3 s", "2 times, for 3 s in all"
std::string TimesText(uint64_t times, double seconds) {
  if (times == 1) return absl::StrCat("once, for ", SecondsText(seconds));
  return absl::StrCat(FormatCount(times, "time"), ", for ", SecondsText(seconds), " in all");
}

void AddRecording(const pb::Report& report, TextPage& page) {
  const pb::RecordingSummary& recording = report.recording();
  page.Blank();
  page.Headline("Recording", Tone::kStrong);
  std::string nodes;
  for (const std::string& node : recording.nodes())
    absl::StrAppend(&nodes, nodes.empty() ? "" : ", ", CleanText(node));
  std::string facts = absl::StrCat(SecondsText(recording.seconds()), nodes.empty() ? "" : " on ",
                                   nodes, ", ", FormatCount(recording.cpus(), "CPU"), ", ",
                                   FormatCount(recording.events(), "event"));
  if (!recording.started().empty())
    absl::StrAppend(&facts, ", from ", CleanText(recording.started()));
  page.Labelled("what", facts);
  if (recording.pauses() > 0 && report.has_cluster()) {
    AddPausesOfNodes(recording, report.cluster(), page);
  } else if (recording.pauses() > 0) {
    page.Labelled("pauses",
                  absl::StrCat("it paused ", TimesText(recording.pauses(), recording.paused_s()),
                               ", to keep to its --budget; times and rates here are of what was "
                               "recorded"));
  }
  for (const pb::ReportCounter& counter : report.counters())
    if (counter.name() == "requests_in_a_part" && counter.examples_size() > 0)
      page.Labelled("load", absl::StrCat(CleanText(counter.examples(0)),
                                         "; give --from and --to for another part, or all of it"));
  if (recording.suspends() > 0)
    page.Labelled(
        "suspended",
        absl::StrCat("the machine slept ", TimesText(recording.suspends(), recording.suspended_s()),
                     "; no time here contains the sleep. Threads that it froze before and thawed "
                     "after seem to wait for a short time"));
  if (report.has_cluster()) AddClusterText(report.cluster(), page);
  if (!recording.command().empty())
    page.Labelled("command", CleanText(absl::StrJoin(recording.command(), " ")));
  if (!report.scope().description().empty())
    page.Labelled("scope", absl::StrCat(CleanText(report.scope().description()), " (chosen by: ",
                                        CleanText(report.scope().chosen_by()), ")"));
  if (recording.chains_end_at_targets())
    page.Labelled(
        "only",
        "recorded with --only: what others waited for is known only where they touch the targets");
  if (report.assumed_false_wakeups() > 0)
    page.Labelled("assumed",
                  absl::StrCat(FormatCount(report.assumed_false_wakeups(), "false wakeup"),
                               " that no probe told of "
                               "(--assume-false-wakeups)"));
  if (!recording.complete())
    page.Labelled("cut", "the recording did not end in order; what was written until then is here",
                  Tone::kWarning);
}

void AddCounters(const pb::Report& report, TextPage& page) {
  const pb::RecordingSummary& recording = report.recording();
  if (recording.lost() == 0) {
    if (recording.missing_blocks() == 0 && !(report.has_job() && recording.events() == 0))
      page.Labelled("lost", "nothing");
  } else {
    page.Labelled("lost", FormatCount(recording.lost(), "record"), Tone::kBad);
  }
  if (recording.missing_blocks() > 0)
    page.Labelled("missing",
                  absl::StrCat(FormatCount(recording.missing_blocks(), "block"),
                               " of the trace files; how many events they held is not known"),
                  Tone::kBad);
  if (recording.unknown_s() > 0)
    page.Labelled("unknown", absl::StrCat(SecondsText(recording.unknown_s()),
                                          " of the threads' time in scope cannot be told"));
  for (const std::string& note : report.missing_names()) page.Labelled("names", CleanText(note));
  for (const pb::ReportCounter& counter : report.counters()) {
    if (counter.value() == 0 || counter.severity() == "info") continue;
    std::string text = absl::StrCat(CleanText(counter.name()), " ", FormatCount(counter.value()));
    if (!counter.advice().empty()) absl::StrAppend(&text, ": ", CleanText(counter.advice()));
    page.Labelled(counter.severity() == "error" ? "error" : "imperfect", text, Tone::kWarning);
    for (const std::string& example : counter.examples()) page.Labelled("", CleanText(example));
  }
}

void AddExplanation(const pb::Report& report, TextPage& page) {
  if (report.explain().empty()) return;
  page.Blank();
  page.Headline("Step by step", Tone::kStrong);
  for (const pb::ExplainStep& step : report.explain())
    page.Labelled(CleanText(step.action()), CleanText(step.text()));
}

}  // namespace

std::string Verdict(const pb::Report& report) {
  if (!report.verdict().empty()) return CleanText(report.verdict());
  const pb::Finding* first = FirstLimit(report);
  if (first) return CleanText(first->title());
  return report.recording().events() == 0 && report.has_job()
             ? "Nothing was found that limits the job."
             : "Nothing was found that limits the program.";
}

std::string TextReport(const pb::Report& report, const TextStyle& style) {
  TextPage page(style);
  const VertexNames names(report);
  const pb::Finding* first = FirstLimit(report);
  page.Headline(Verdict(report), Tone::kStrong);
  if (report.recording().has_stopped())
    page.Headline(StoppedSentence(report.recording().stopped()), Tone::kWarning);
  page.Blank();
  if (first) {
    AddFirst(report, *first, names, page);
  } else {
    AddNothingFound(report, page);
  }
  if (report.has_path()) AddJobPathText(report.path(), page);
  AddOthers(report, first, page);
  AddWorthAnnotating(report, page);
  AddPhaseTables(report, page);
  AddMachineText(report, page);
  // Phases can be analyzed without any recording.
  if (report.recording().events() > 0 || !report.has_job()) AddRecording(report, page);
  AddCounters(report, page);
  AddExplanation(report, page);
  return page.Take();
}

}  // namespace gordian
