// SPDX-License-Identifier: Apache-2.0
#include "whatif/ask/answer.h"

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "base/time_units.h"
#include "report/vertex_names.h"
#include "whatif/ask/job.h"
#include "whatif/ask/lost_order.h"
#include "whatif/ask/used_up_quota.h"
#include "words/clean_text.h"
#include "words/quantities.h"

namespace gordian {
namespace {

std::string KindName(NextLimit kind) {
  switch (kind) {
    case NextLimit::kCpus:
      return kLimitedByCpus;
    case NextLimit::kThread:
      return "thread";
    case NextLimit::kDisk:
      return "disk";
    case NextLimit::kSleep:
      return "sleep";
    case NextLimit::kOutside:
      return "outside";
    case NextLimit::kWaits:
      return "waits";
    case NextLimit::kLink:
      return "link";
    case NextLimit::kNone:
      break;
  }
  return "";
}

// `name` is a disk's for a disk that is busy, and a thread's for one that waits for some. `node` is
// that of the CPUs, where there are several.
std::string LimitSentence(const Limiter& next, const std::string& name, const std::string& node,
                          bool is_device) {
  const std::string share = PercentText(next.share);
  switch (next.kind) {
    case NextLimit::kCpus:
      return next.entity == kNobody
                 ? absl::StrCat("the CPUs", node.empty() ? "" : " of ", node,
                                ", together busy for ", share, " of the time")
                 : absl::StrCat(name, " waits for a CPU for ", share, " of the time");
    case NextLimit::kThread:
      return absl::StrCat(name, " runs for ", share, " of the time");
    case NextLimit::kDisk:
      return is_device ? absl::StrCat("disk ", name, " is busy for ", share, " of the time")
                       : absl::StrCat(name, " waits for disks for ", share, " of the time");
    case NextLimit::kSleep:
      return absl::StrCat(name, " sleeps for ", share, " of the time");
    case NextLimit::kOutside:
      return absl::StrCat(name, " waits for what was not recorded for ", share, " of the time");
    case NextLimit::kWaits:
      return absl::StrCat(name, " waits for other threads for ", share, " of the time");
    case NextLimit::kLink:
      return absl::StrCat(name, " waits for messages under way between nodes for ", share,
                          " of the time");
    case NextLimit::kNone:
      break;
  }
  return "nothing that was recorded";
}

// Of the readings, without the part that chance adds.
double Most(const pb::WhatIf& answer) {
  double most = answer.with_path().gain();
  for (const pb::WhatIfReading* reading : ReadingsOf(answer))
    most = std::max(most, reading->gain());
  return most;
}

// The lower end, or the number between if both ends are one.
double AtLeast(const pb::WhatIf& answer) {
  return answer.high() <= kOneGain * answer.low() ? answer.expected() : answer.low();
}

// Why the replay of threads predicts nothing; empty: it does.
std::string RefusalOf(const pb::WhatIf& answer) {
  if (answer.self_check() > kNoSelfCheck)
    return absl::StrCat("with nothing changed the replay misses its rate by ",
                        PercentText(answer.self_check()));
  if (HasLostItsOrder(answer))
    return absl::StrFormat(
        "the change only gives more, and the replay comes out as a loss (%.2f times): it loses the "
        "order of the work",
        answer.lost_gain());
  if (TooManyForced(answer))
    return "too many steps of the replay had to go on although what they waited for had not "
           "happened";
  return "";
}

// What is so many times as much as before, …
std::string Measure(const pb::WhatIf& answer) {
  return answer.has_job() ? " as fast" : " the throughput";
}
// … and the end of that sentence.
std::string TimesOfJob(const pb::WhatIf& answer) {
  if (!answer.has_job()) return ".";
  return absl::StrCat(
      answer.job().whole() ? "; the job takes " : "; what was recorded of the job takes ",
      JobTimesText(answer.job()), ".");
}

std::string ThreadsVerdict(const pb::WhatIf& answer) {
  const std::string with = ChangesText(answer);
  if (!answer.used_up_quota().empty())
    return absl::StrCat(with, "no gain: ", answer.used_up_quota(),
                        ". Raise that quota: --quota tells what that gains.");
  if (!answer.refusal().empty())
    return absl::StrCat(with, "this recording does not allow a prediction; ", answer.refusal(),
                        ".");
  const bool as_it_was =
      answer.low() <= 1 && answer.expected() < kNoGain && answer.expected() > 1 / kNoGain;
  if (as_it_was && Most(answer) < kNoGain) {
    // What such predictions missed so far is more than chance: nobody shall take it for sure. Nor
    // what a replay tells that loses its way.
    if (answer.high() < kMuchMore && answer.lost_gain() == 0) return absl::StrCat(with, "no gain.");
    return absl::StrCat(with, "no gain told, but up to ", GainText(answer.high()), Measure(answer),
                        " cannot be ruled out.");
  }
  if (answer.at_least())
    return AtLeastVerdict(answer, AtLeast(answer),
                          /*likely=*/answer.expected() > kOneGain * AtLeast(answer));
  if (answer.high() <= kOneGain * answer.low())
    return absl::StrCat(with, GainText(answer.expected()), Measure(answer), TimesOfJob(answer));
  if (answer.high() > kWide * answer.low())
    return absl::StrFormat("%sbetween %.1f and %s%s, likely %s%s", with, answer.low(),
                           GainText(answer.high()), Measure(answer), GainText(answer.expected()),
                           TimesOfJob(answer));
  return absl::StrFormat("%s%.1f to %s%s%s", with, answer.low(), GainText(answer.high()),
                         Measure(answer), TimesOfJob(answer));
}

class Answerer {
 public:
  explicit Answerer(const AnalyzedRecording& recording)
      : recording_(recording), names_(recording.report) {}

  pb::WhatIf Answer(const NamedChanges& changes, const NamedProgress& progress,
                    const ReplayResult& result) const {
    pb::WhatIf answer;
    for (const pb::WhatIfChange& change : changes.texts) *answer.add_changes() = change;
    answer.set_low(result.low);
    answer.set_high(result.high);
    answer.set_expected(result.expected);
    answer.set_calls_gone(result.calls_gone);
    answer.set_at_least(changes.merges);
    *answer.mutable_wait_alone() = ReadingOf(result.wait_alone, result.recorded_rate);
    *answer.mutable_with_path() = ReadingOf(result.with_path, result.recorded_rate);
    for (const Reading& reading : result.other_paths)
      *answer.add_other_paths() = ReadingOf(reading, result.recorded_rate);
    answer.mutable_progress()->set_what(progress.what);
    answer.mutable_progress()->set_events(result.marks);
    answer.mutable_progress()->set_recorded_rate(result.recorded_rate);
    answer.set_self_check(result.self_check());
    answer.set_unexplained(result.unexplained);
    answer.set_steps(result.steps);
    answer.set_forced_steps(result.forced_steps);
    for (const Path& path : result.paths) {
      if (path.run_share <= 0) continue;
      pb::WhatIfPath& listed = *answer.add_paths();
      listed.set_who(names_.Name(path.vertex));
      listed.set_run_share(path.run_share);
    }
    const Timeline& timeline = recording_.timeline;
    answer.mutable_recording()->set_seconds(SecondsOf(timeline.end_ns() - timeline.start_ns()));
    answer.mutable_recording()->set_cpus(timeline.cpus());
    answer.mutable_recording()->set_lost(timeline.lost());
    LeaveLossesOut(answer);
    if (progress.is_job) TellJob(recording_, answer);
    AddTrust(answer);
    if (!progress.cycles_of.empty()) DoubtCyclesOfOthers(changes, progress, answer);
    answer.set_refusal(RefusalOf(answer));
    TellUsedUpQuota(recording_.report, answer);
    answer.set_verdict(VerdictOf(answer));
    return answer;
  }

 private:
  pb::WhatIfReading ReadingOf(const Reading& reading, double recorded_rate) const {
    pb::WhatIfReading told;
    told.set_gain(reading.gain);
    told.set_rate(recorded_rate * reading.gain);
    told.set_self_check(reading.self_check);
    told.set_chance(reading.chance);
    told.set_serves_helpers(reading.serves_helpers);
    const Limiter& next = reading.next;
    told.set_limit_kind(KindName(next.kind));
    bool is_device = false;
    if (next.entity != kNobody) {
      told.set_limit_name(names_.Name(recording_.vertex_of_entity[next.entity]));
      is_device = next.entity >= recording_.timeline.thread_count();
    }
    const std::vector<std::string>& nodes = recording_.timeline.nodes();
    if (next.kind == NextLimit::kCpus && next.entity == kNobody && !nodes.empty())
      told.set_limit_node(CleanText(nodes[next.node]));
    told.set_limit_share(next.share);
    told.set_limit(LimitSentence(next, told.limit_name(), told.limit_node(), is_device));
    return told;
  }

  // Who holds a lock may go on as ever when those gain that no longer wait for it.
  void DoubtCyclesOfOthers(const NamedChanges& changes, const NamedProgress& progress,
                           pb::WhatIf& answer) const {
    std::set<uint32_t> counted;
    for (const ProgressMark& mark : progress.marks)
      counted.insert(recording_.vertex_of_entity[mark.thread]);
    for (const RemovedEdge& wait : changes.removed) {
      const pb::ReportVertex* const waiter = names_.Find(wait.from);
      if (counted.contains(wait.from) || waiter == nullptr || !waiter->target() ||
          !IsThreadKind(waiter->kind()))
        continue;
      const std::string& name = names_.Name(wait.from);
      answer.add_doubts(absl::StrCat("it counts ", answer.progress().what(), ", and not what ",
                                     name, " gains: ask with --progress 'wakes ", name, "'"));
      return;
    }
  }

  static void AddTrust(pb::WhatIf& answer) {
    double trust = kNotYetProven * std::clamp(1 - kTrustPerSelfCheck * answer.self_check(),
                                              kLeastTrustOfSelfCheck, 1.0);
    answer.add_doubts(
        "predictions were held against a dozen small programs and as many servers so far "
        "(docs/case-studies.md)");
    if (answer.self_check() > kPoorSelfCheck)
      answer.add_doubts(absl::StrCat("with nothing changed the replay misses the recorded rate by ",
                                     PercentText(answer.self_check())));
    if (answer.unexplained() > kUnexplainedMatters) {
      trust *= 1 - kTrustPerUnexplained * answer.unexplained();
      answer.add_doubts(absl::StrCat(
          "the threads that make the progress spend ", PercentText(answer.unexplained()),
          " of their time in waits of which the recording does not tell the cause"));
    }
    if (answer.progress().events() < kFewMarks) {
      trust *= kTrustOfFewMarks;
      answer.add_doubts(
          absl::StrCat("there are only ", answer.progress().events(), " events of that progress"));
    }
    if (answer.recording().lost() > 0) {
      trust *= kTrustOfDamage;
      answer.add_doubts("records were lost");
    }
    if (answer.lost_gain() > 0) {
      trust *= kTrustOfLoss;
      answer.add_doubts(
          absl::StrFormat("the replay loses its way here: the change only gives more, and came out "
                          "as a loss (%.2f); what is told is of the readings without one",
                          answer.lost_gain()));
    }
    for (const pb::WhatIfChange& change : answer.changes()) {
      if (change.unseen())
        answer.add_doubts(absl::StrCat(
            "no sample of a running thread shows ", change.from(),
            ": it hardly runs, or its name is another one, or the compiler made it a part of "
            "another function"));
    }
    if (answer.forced_steps() > 0) {
      trust *= kTrustOfDamage;
      answer.add_doubts(absl::StrCat(answer.forced_steps(),
                                     " steps had to go on although what they waited for had not "
                                     "happened"));
    }
    answer.set_trust(trust);
  }

  const AnalyzedRecording& recording_;
  VertexNames names_;
};

}  // namespace

std::string VerdictOf(const pb::WhatIf& answer) {
  return answer.has_requests() ? RequestsVerdict(answer) : ThreadsVerdict(answer);
}

std::string ChangesText(const pb::WhatIf& answer) {
  std::vector<std::string> changes;
  for (const pb::WhatIfChange& change : answer.changes()) changes.push_back(change.text());
  return absl::StrCat("With ", absl::StrJoin(changes, ", "), ": ");
}

std::string AtLeastVerdict(const pb::WhatIf& answer, double least, bool likely) {
  const std::string with = ChangesText(answer);
  const bool is_more = answer.expected() >= kNoGain;
  if (least < kNoGain)
    return absl::StrCat(
        with, "no gain told",
        is_more ? absl::StrCat(", likely ", GainText(answer.expected()), Measure(answer)) : "",
        is_more ? TimesOfJob(answer) : ".");
  return absl::StrCat(with, "at least ", GainText(least), Measure(answer),
                      likely ? absl::StrCat(", likely ", GainText(answer.expected())) : "",
                      TimesOfJob(answer));
}

pb::WhatIf AnswerOf(const AnalyzedRecording& recording, const NamedChanges& changes,
                    const NamedProgress& progress, const ReplayResult& result) {
  return Answerer(recording).Answer(changes, progress, result);
}

bool TooManyForced(const pb::WhatIf& answer) {
  return static_cast<double>(answer.forced_steps()) >
         kMostForced * static_cast<double>(answer.steps());
}

}  // namespace gordian
