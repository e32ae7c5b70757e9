// SPDX-License-Identifier: Apache-2.0
#include "output/whatif_text.h"

#include <algorithm>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "whatif/ask/thresholds.h"
#include "words/quantities.h"

namespace gordian {
namespace {

std::string ReadingText(const pb::WhatIfReading& reading, const std::string& how) {
  return absl::StrCat(GainText(reading.gain()), " (", RateText(reading.rate()),
                      " a second): ", how);
}

bool IsMoreAtOnce(const pb::WhatIf& answer) {
  return std::any_of(answer.changes().begin(), answer.changes().end(),
                     [](const pb::WhatIfChange& change) {
                       return change.kind() == "in-flight" || change.kind() == "clients";
                     });
}

std::string PathText(const pb::WhatIf& answer) {
  std::vector<std::string> parts;
  constexpr int kShown = 3;
  for (int i = 0; i < std::min(kShown, answer.paths_size()); ++i)
    parts.push_back(absl::StrCat(PercentText(answer.paths(i).run_share()), " of ",
                                 answer.paths(i).who(), "'s"));
  if (parts.empty()) return "order of alike threads free";
  if (IsMoreAtOnce(answer))
    return absl::StrCat(
        "the calls in which they sleep and wake others gone too, as often as they "
        "find more to do (at most ",
        absl::StrJoin(parts, ", "), "), order of alike threads free");
  return absl::StrCat("the CPU time on the waits' way gone too (", absl::StrJoin(parts, ", "),
                      "), order of alike threads free");
}

std::string OtherPathsText(const pb::WhatIf& answer) {
  if (std::any_of(answer.changes().begin(), answer.changes().end(),
                  [](const pb::WhatIfChange& change) { return change.unseen(); }))
    return absl::StrCat(GainText(answer.other_paths(answer.other_paths_size() - 1).gain()),
                        ": if it has as much of the CPU time as the samples without it allow");
  std::vector<std::string> gains, of_disks, readings;
  for (const pb::WhatIfReading& reading : answer.other_paths())
    (reading.serves_helpers() ? of_disks : gains).push_back(GainText(reading.gain()));
  if (IsMoreAtOnce(answer))
    return absl::StrCat(absl::StrJoin(gains, " or "),
                        ": a thread that finds several requests hands on all of them together");
  if (!gains.empty())
    readings.push_back(absl::StrCat(
        absl::StrJoin(gains, " or "),
        ": with less and with more CPU time on that way, as it is not sure how much it is"));
  if (!of_disks.empty())
    readings.push_back(absl::StrCat(absl::StrJoin(of_disks, " or "),
                                    ": with a disk that serves a request of each helper at once"));
  return absl::StrJoin(readings, "; ");
}

// The meaning of each end.
const char* EndsText(const pb::WhatIf& answer) {
  if (answer.calls_gone())
    return "the waits with the least of their calls' CPU time, the upper end with the most";
  if (answer.wait_alone().gain() <= answer.with_path().gain())
    return "the wait alone, the upper end the wait with its path";
  return "the wait with its path (what is freed is in the way elsewhere), the upper end the wait "
         "alone";
}

// Of the replay of requests, where it answers; what follows is the other replay's.
void AddRequestLines(const pb::WhatIf& answer, std::vector<WhatIfLine>& lines) {
  const pb::WhatIfRequests& told = answer.requests();
  lines.push_back(
      {"requests",
       absl::StrFormat(
           "%s of them were recorded, up to %d open at once; simulated anew with "
           "the change they gain %s (%.2f to %.2f)",
           FormatCount(told.requests()), told.at_once(), GainText(answer.expected()),
           answer.has_calibration() ? answer.calibration().model_low() : answer.low(),
           answer.has_calibration() ? answer.calibration().model_high() : answer.high())});
  lines.push_back(
      {"check",
       absl::StrFormat("with nothing changed they miss the recorded rate or response time "
                       "by %.1f %%; rate times response time is the number open to %.1f %% "
                       "(Little's law)",
                       100 * told.self_check(), 100 * told.little_miss()),
       told.self_check() <= kGoodSelfCheck ? Tone::kGood : Tone::kWarning});
  if (!answer.has_wait_alone()) return;
  lines.push_back(
      {"threads", absl::StrFormat(
                      "the replay of threads, which does not answer here, has %s (%.2f to %.2f):",
                      GainText(told.threads_expected()), told.threads_low(), told.threads_high())});
}

// The interval of the replay of threads.
struct ThreadsInterval {
  double low = 1;
  double expected = 1;
  double high = 1;
};
ThreadsInterval IntervalOfThreads(const pb::WhatIf& answer) {
  if (!answer.has_requests()) {
    const pb::WhatIfCalibration& made = answer.calibration();
    if (made.model_high() > 0) return {made.model_low(), answer.expected(), made.model_high()};
    return {answer.low(), answer.expected(), answer.high()};
  }
  const pb::WhatIfRequests& told = answer.requests();
  return {told.threads_low(), told.threads_expected(), told.threads_high()};
}

std::string IntervalText(const pb::WhatIf& answer) {
  const ThreadsInterval interval = IntervalOfThreads(answer);
  double chance = std::max(answer.wait_alone().chance(), answer.with_path().chance());
  for (const pb::WhatIfReading& reading : answer.other_paths())
    chance = std::max(chance, reading.chance());
  return absl::StrFormat(
      "%.2f to %.2f, between these %.2f; the lower end is %s; chance (%s) and the check widen "
      "both%s",
      interval.low, interval.high, interval.expected, EndsText(answer), PercentText(chance),
      answer.at_least()
          ? "; it may be more: what a fix saves that does many of these operations in "
            "one (a thousand transactions) was not recorded"
          : "");
}

// Threads that mark their work by phases have no connections.
std::string PhaseCycleText(const pb::WhatIfLoad& load) {
  const auto duration = [](double ns) { return FormatDuration(static_cast<uint64_t>(ns)); };
  return absl::StrCat(FormatCount(load.connections(), "thread"), " / ", RateText(load.rate()),
                      " a second are ", duration(1e9 * load.connections() / load.rate()),
                      " from one phase to the next: ", duration(load.response_ns()), " in it, ",
                      duration(std::max(0.0, load.between_ns())), " between");
}

// The gain in requests, or else in what counts as progress.
void AddThroughputLines(const pb::WhatIf& answer, std::vector<WhatIfLine>& lines) {
  const pb::WhatIfLoad& load = answer.load();
  const auto duration = [](double ns) { return FormatDuration(static_cast<uint64_t>(ns)); };
  if (load.service().empty() || load.open_loop()) return;
  const std::string or_more = answer.at_least() ? " or more" : "";
  if (load.rate_after() > 0)
    lines.push_back(
        {"throughput", absl::StrCat(RateText(load.rate()), " → ", RateText(load.rate_after()),
                                    or_more, " requests a second of ", load.service(),
                                    load.response_after_ns() > 0
                                        ? absl::StrCat(", ", duration(load.response_ns()), " → ",
                                                       duration(load.response_after_ns()),
                                                       answer.at_least() ? " or less" : "", " each")
                                        : "",
                                    answer.has_requests() ? "" : ", if all of them gain alike")});
  if (load.port() == 0) {
    lines.push_back({"Little", PhaseCycleText(load)});
    return;
  }
  const std::string cycle = absl::StrCat(
      load.connections() == 1 ? "1 connection" : absl::StrCat(load.connections(), " connections"),
      " / ", RateText(load.rate()), " a second are ",
      duration(1e9 * load.connections() / load.rate()), " from one question to the next");
  lines.push_back(
      {"Little",
       load.between_ns() >= 0
           ? absl::StrCat(cycle, ": ", duration(load.response_ns()), " for the answer, ",
                          duration(load.between_ns()), " of the client's own and of the way to it")
           : absl::StrCat(cycle, ", less than the ", duration(load.response_ns()),
                          " of an answer: connections hold several requests at once, or "
                          "were not seen for long, so no response time is told")});
}

std::string SecondsText(double seconds) {
  constexpr double kNsOfSecond = 1e9;
  return FormatDuration(static_cast<uint64_t>(std::max(0.0, seconds) * kNsOfSecond));
}

// Of a job its time, else the rate of what counts as progress.
WhatIfLine ProgressLine(const pb::WhatIf& answer) {
  const std::string or_more = answer.at_least() ? " or more" : "";
  if (!answer.has_job())
    return {"rate of",
            absl::StrCat(
                answer.progress().what(), ": ", RateText(answer.progress().recorded_rate()),
                answer.expected() > 0
                    ? absl::StrCat(" → ",
                                   RateText(answer.expected() * answer.progress().recorded_rate()),
                                   or_more)
                    : "",
                " a second, ", FormatCount(answer.progress().events()), " recorded in all")};
  const pb::WhatIfJob& job = answer.job();
  std::string text = absl::StrCat(
      SecondsText(job.seconds() + job.paused_s()), " → ", SecondsText(job.seconds_after()), " (",
      SecondsText(job.least_seconds_after()), " to ", SecondsText(job.most_seconds_after()), ") ",
      job.whole() ? "from its beginning to its end"
                  : "of what was recorded: its end was not, and the rest is taken to be like it");
  if (job.paused_s() > 0)
    absl::StrAppend(&text, "; for ", SecondsText(job.paused_s()),
                    " of it the recording paused, where the change may gain nothing, or as much as "
                    "elsewhere (gordian record --budget none does not pause)");
  return {"job", text};
}

// What a recording made after the fix says.
void AddVerificationLines(const pb::WhatIf& answer, std::vector<WhatIfLine>& lines) {
  const pb::WhatIfVerification& made = answer.verification();
  lines.push_back({"measured", made.verdict(), made.inside() ? Tone::kGood : Tone::kWarning});
  lines.push_back({"", absl::StrFormat("counted in both: %s; chance alone moves the measured gain "
                                       "by up to %s",
                                       made.progress(), PercentText(made.noise()))});
  for (const std::string& doubt : made.doubts()) lines.push_back({"", doubt});
}

// The ends that are told, and what widened them.
void AddCalibrationLine(const pb::WhatIf& answer, std::vector<WhatIfLine>& lines) {
  const pb::WhatIfCalibration& made = answer.calibration();
  if (made.programs() == 0) return;
  const std::string ends = answer.at_least()
                               ? absl::StrFormat("%.2f or more", answer.low())
                               : absl::StrFormat("%.2f to %.2f", answer.low(), answer.high());
  lines.push_back(
      {"told",
       absl::StrCat(
           ends, ", likely ", absl::StrFormat("%.2f", answer.expected()),
           ": as wide as 9 of 10 measured gains call for, of ",
           FormatCount(made.programs(), "program"), " whose fixes were predicted",
           made.own_widen() ? "; predictions on this machine that missed make it wider" : "")});
}

// Of the replay of threads.
void AddThreadsLines(const pb::WhatIf& answer, std::vector<WhatIfLine>& lines) {
  lines.push_back({"alone", ReadingText(answer.wait_alone(),
                                        answer.calls_gone()
                                            ? "only the waits are gone, the calls are still made; "
                                              "no end of the interval"
                                            : "only what was asked for changes, hand-overs in the "
                                              "order recorded")});
  lines.push_back({"with path", ReadingText(answer.with_path(), PathText(answer))});
  if (answer.other_paths_size() > 0) lines.push_back({"or", OtherPathsText(answer)});
  lines.push_back({"interval", IntervalText(answer)});
  lines.push_back({"then", absl::StrCat("what limits next: ", answer.with_path().limit())});
  if (answer.wait_alone().limit() != answer.with_path().limit())
    lines.push_back({"", absl::StrCat("with the wait alone: ", answer.wait_alone().limit())});
  lines.push_back(ProgressLine(answer));
  lines.push_back({"check",
                   absl::StrFormat("with nothing changed the replay misses the recorded rate by "
                                   "%+.1f %% (order as recorded) and %+.1f %% (order free)",
                                   100 * answer.wait_alone().self_check(),
                                   100 * answer.with_path().self_check()),
                   answer.self_check() <= kGoodSelfCheck   ? Tone::kGood
                   : answer.self_check() <= kPoorSelfCheck ? Tone::kWarning
                                                           : Tone::kBad});
}

// In words, as the number was never compared with right and wrong predictions.
const char* TrustWord(double trust) {
  if (trust >= kFairlyFounded) return "fairly founded";
  return trust >= kRoughlyFounded ? "rough" : "little more than a guess";
}

}  // namespace

std::vector<WhatIfLine> WhatIfLines(const pb::WhatIf& answer) {
  std::vector<WhatIfLine> lines;
  if (answer.has_verification()) AddVerificationLines(answer, lines);
  if (!answer.used_up_quota().empty()) {
    lines.push_back(
        {"why",
         "What the change gives would find the same quota used up: the CPU time of the work "
         "stays as it is."});
    return lines;
  }
  AddThroughputLines(answer, lines);
  AddCalibrationLine(answer, lines);
  if (!answer.load().silent().empty())
    lines.push_back({"requests", absl::StrCat("do not answer: ", answer.load().silent())});
  if (answer.has_requests()) AddRequestLines(answer, lines);
  // Without a replay of threads there is nothing to say of it.
  if (answer.has_wait_alone()) AddThreadsLines(answer, lines);
  lines.push_back(
      {"sure", absl::StrCat(TrustWord(answer.trust()), answer.doubts().empty() ? "" : ": ",
                            answer.doubts().empty() ? "" : answer.doubts(0))});
  for (int i = 1; i < answer.doubts_size(); ++i) lines.push_back({"", answer.doubts(i)});
  if (answer.has_earlier())
    lines.push_back(
        {"so far", absl::StrCat(answer.earlier().text(), " (gordian whatif --history)")});
  return lines;
}

std::string WhatIfText(const pb::WhatIf& answer, const TextStyle& style) {
  TextPage page(style);
  page.Headline(answer.verdict(), Tone::kStrong);
  page.Blank();
  for (const WhatIfLine& line : WhatIfLines(answer))
    page.Labelled(line.label, line.text, line.tone);
  return page.Take();
}

}  // namespace gordian
