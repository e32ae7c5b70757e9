#include "whatif/whatif.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "base/time_units.h"
#include "report/vertex_names.h"
#include "whatif/call_paths.h"
#include "whatif/false_wakeups_gone.h"
#include "whatif/named_changes.h"
#include "whatif/prepared_replays.h"
#include "whatif/sleep_costs.h"
#include "words/quantities.h"

namespace gordian {
namespace {

// What misses the recording by more than the last predicts nothing.
constexpr double kGoodSelfCheck = 0.05, kNoSelfCheck = 0.25;
// How far a prediction without any other doubt is trusted: until many real programs have shown how
// often predictions come true, none is more than fairly founded.
constexpr double kNotYetProven = 0.75;
constexpr double kMostForced = 0.001;  // of all steps
constexpr double kUnexplainedMatters = 0.1;
constexpr uint64_t kFewMarks = 100;
constexpr double kOneNumber = 1.05;

std::string KindName(NextLimit kind) {
  switch (kind) {
    case NextLimit::kCpus:
      return "cpus";
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
    case NextLimit::kNone:
      break;
  }
  return "";
}

// `name` is a disk's for a disk that is busy, and a thread's for one that waits for some.
std::string LimitSentence(const Limiter& next, const std::string& name, bool is_device) {
  const std::string share = PercentText(next.share);
  switch (next.kind) {
    case NextLimit::kCpus:
      return next.entity == kNobody
                 ? absl::StrCat("the CPUs, together busy for ", share, " of the time")
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
    case NextLimit::kNone:
      break;
  }
  return "nothing that was recorded";
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
    AddTrust(answer);
    answer.set_verdict(Verdict(answer));
    return answer;
  }

 private:
  pb::WhatIfReading ReadingOf(const Reading& reading, double recorded_rate) const {
    pb::WhatIfReading told;
    told.set_gain(reading.gain);
    told.set_rate(recorded_rate * reading.gain);
    told.set_self_check(reading.self_check);
    told.set_chance(reading.chance);
    const Limiter& next = reading.next;
    told.set_limit_kind(KindName(next.kind));
    bool is_device = false;
    if (next.entity != kNobody) {
      told.set_limit_name(names_.Name(recording_.vertex_of_entity[next.entity]));
      is_device = next.entity >= recording_.timeline.thread_count();
    }
    told.set_limit_share(next.share);
    told.set_limit(LimitSentence(next, told.limit_name(), is_device));
    return told;
  }

  static void AddTrust(pb::WhatIf& answer) {
    double trust = kNotYetProven * std::clamp(1 - 3 * answer.self_check(), 0.1, 1.0);
    answer.add_doubts(
        "predictions were held against a dozen small programs and as many servers so far "
        "(docs/design-replay.md, docs/case-studies.md)");
    if (answer.self_check() > kPoorSelfCheck)
      answer.add_doubts(absl::StrCat("with nothing changed the replay misses the recorded rate by ",
                                     PercentText(answer.self_check())));
    if (answer.unexplained() > kUnexplainedMatters) {
      trust *= 1 - answer.unexplained() / 2;
      answer.add_doubts(absl::StrCat(
          "the threads that make the progress spend ", PercentText(answer.unexplained()),
          " of their time in waits of which the recording does not tell the cause"));
    }
    if (answer.progress().events() < kFewMarks) {
      trust *= 0.8;
      answer.add_doubts(
          absl::StrCat("there are only ", answer.progress().events(), " events of that progress"));
    }
    if (answer.recording().lost() > 0) {
      trust *= 0.9;
      answer.add_doubts("records were lost");
    }
    if (answer.forced_steps() > 0) {
      trust *= 0.9;
      answer.add_doubts(absl::StrCat(answer.forced_steps(),
                                     " steps had to go on although what they waited for had not "
                                     "happened"));
    }
    answer.set_trust(trust);
  }

  // Of the readings, without what chance adds.
  static double Most(const pb::WhatIf& answer) {
    double most = answer.with_path().gain();
    if (!answer.calls_gone()) most = std::max(most, answer.wait_alone().gain());
    for (const pb::WhatIfReading& reading : answer.other_paths())
      most = std::max(most, reading.gain());
    return most;
  }

  static std::string Verdict(const pb::WhatIf& answer) {
    std::vector<std::string> changes;
    for (const pb::WhatIfChange& change : answer.changes()) changes.push_back(change.text());
    const std::string with = absl::StrCat("With ", absl::StrJoin(changes, ", "), ": ");
    if (answer.self_check() > kNoSelfCheck)
      return absl::StrCat(with,
                          "not to be predicted from this recording; with nothing changed the "
                          "replay misses its rate by ",
                          PercentText(answer.self_check()), ".");
    if (TooManyForced(answer))
      return absl::StrCat(with,
                          "not to be predicted from this recording; too many steps of the replay "
                          "had to go on although what they waited for had not happened.");
    const bool as_it_was =
        answer.low() <= 1 && answer.expected() < kNoGain && answer.expected() > 1 / kNoGain;
    if (as_it_was && Most(answer) < kNoGain) return absl::StrCat(with, "no gain.");
    if (answer.high() <= kOneNumber * answer.low())
      return absl::StrCat(with, GainText(answer.expected()), " the throughput.");
    return absl::StrFormat("%s%.1f to %s the throughput.", with, answer.low(),
                           GainText(answer.high()));
  }

  const AnalyzedRecording& recording_;
  VertexNames names_;
};

std::string ReadingText(const pb::WhatIfReading& reading, const std::string& how) {
  return absl::StrFormat("%s (%.4g a second): %s", GainText(reading.gain()), reading.rate(), how);
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
  std::vector<std::string> gains;
  for (const pb::WhatIfReading& reading : answer.other_paths())
    gains.push_back(GainText(reading.gain()));
  if (IsMoreAtOnce(answer))
    return absl::StrCat(absl::StrJoin(gains, " or "),
                        ": whoever finds several requests hands on all together");
  return absl::StrCat(absl::StrJoin(gains, " or "),
                      ": how much of the CPU time is on that way is not sure");
}

// Which end is what.
const char* EndsText(const pb::WhatIf& answer) {
  if (answer.calls_gone())
    return "the waits with the least of their calls' CPU time, the upper with the most";
  if (answer.wait_alone().gain() <= answer.with_path().gain())
    return "the wait alone, the upper the wait with its path";
  return "the wait with its path (what is freed is in the way elsewhere), the upper the wait alone";
}

std::string IntervalText(const pb::WhatIf& answer) {
  double chance = std::max(answer.wait_alone().chance(), answer.with_path().chance());
  for (const pb::WhatIfReading& reading : answer.other_paths())
    chance = std::max(chance, reading.chance());
  return absl::StrFormat(
      "%.2f to %.2f, between these %.2f; the lower end is %s, and chance (%s) and the check add to "
      "both",
      answer.low(), answer.high(), answer.expected(), EndsText(answer), PercentText(chance));
}

const char* TrustWord(double trust) {
  if (trust >= 0.85) return "well founded";
  if (trust >= 0.6) return "fairly founded";
  return trust >= 0.35 ? "rough" : "little more than a guess";
}

}  // namespace

namespace {

std::vector<uint8_t> KernelVertices(const AnalyzedRecording& recording) {
  std::vector<uint8_t> is_kernel;
  for (EntityId id = 0; id < recording.timeline.thread_count(); ++id) {
    const uint32_t vertex = recording.vertex_of_entity[id];
    if (vertex >= is_kernel.size()) is_kernel.resize(vertex + 1);
    if (recording.timeline.entities()[id].kernel_thread) is_kernel[vertex] = 1;
  }
  return is_kernel;
}

std::vector<uint32_t> ScopeOf(const AnalyzedRecording& recording) {
  const auto& vertices = recording.report.scope().vertices();
  return {vertices.begin(), vertices.end()};
}

absl::StatusOr<pb::WhatIf> Ask(const AnalyzedRecording& recording, const WhatIfRequest& request,
                               const absl::StatusOr<NamedProgress>& progress,
                               PreparedReplays* prepared = nullptr) {
  const auto changes = ReadChanges(recording, request);
  if (!changes.ok()) return changes.status();
  if (changes->texts.empty())
    return absl::InvalidArgumentError(
        "name a change: --scale, --async, --lock, --skip, --split, --batch, --no-false-wakeups, "
        "--add-thread, --in-flight, --clients, --timer, --function, --run or --cpus");
  if (!progress.ok()) return progress.status();
  ReplayOptions options;
  options.changes = changes->changes;
  options.marks = progress->marks;
  options.paths =
      CallPaths(recording.stacks, recording.code, changes->removed, KernelVertices(recording));
  for (const uint32_t woken : changes->changes.no_false_wakeups)
    options.wake_paths.push_back(WakePaths(recording.stacks, recording.code, woken));
  if (!changes->changes.more_at_once.empty()) {
    options.loops = LoopShares(recording.stacks, recording.code);
    options.sleep_costs = SleepCosts(recording.stacks, recording.code);
  }
  options.candidates = ScopeOf(recording);
  const auto result =
      ReplayTimeline(recording.timeline, recording.vertex_of_entity, options, prepared);
  if (!result.ok()) return result.status();
  return Answerer(recording).Answer(*changes, *progress, *result);
}

}  // namespace

absl::StatusOr<pb::WhatIf> AskWhatIf(const AnalyzedRecording& recording,
                                     const WhatIfRequest& request, SessionReader& session) {
  return Ask(recording, request, ReadProgress(recording, request.progress, session));
}

struct WhatIfAsker::Shared {
  absl::StatusOr<NamedProgress> progress;
  PreparedReplays prepared;
};

WhatIfAsker::WhatIfAsker(const AnalyzedRecording& recording, std::function<void()> on_replay)
    : recording_(recording),
      shared_(std::make_unique<Shared>(Shared{.progress = DefaultProgress(recording)})) {
  shared_->prepared.on_replay = std::move(on_replay);
}
WhatIfAsker::~WhatIfAsker() = default;

absl::StatusOr<pb::WhatIf> WhatIfAsker::Ask(const WhatIfRequest& request) {
  return gordian::Ask(recording_, request, shared_->progress, &shared_->prepared);
}
double WhatIfAsker::ShareOfFalseWakeups(uint32_t vertex) {
  if (!shared_->progress.ok()) return 0;
  if (!shared_->prepared.score)
    PrepareReplays(recording_.timeline, recording_.vertex_of_entity,
                   {.marks = shared_->progress->marks, .candidates = ScopeOf(recording_)},
                   shared_->prepared);
  if (!shared_->prepared.score) return 0;
  const WithoutFalseWakeups without =
      TakeOutFalseWakeups(*shared_->prepared.score, vertex, recording_.vertex_of_entity);
  return static_cast<double>(without.gone) /
         static_cast<double>(std::max<uint64_t>(1, without.wakes));
}
uint64_t WhatIfAsker::replayed_steps() const { return shared_->prepared.replayed_steps; }

bool TooManyForced(const pb::WhatIf& answer) {
  return static_cast<double>(answer.forced_steps()) >
         kMostForced * static_cast<double>(answer.steps());
}

std::string WhatIfText(const pb::WhatIf& answer, const TextStyle& style) {
  TextPage page(style);
  page.Headline(answer.verdict(), Tone::kStrong);
  page.Blank();
  page.Labelled("alone",
                ReadingText(answer.wait_alone(),
                            answer.calls_gone()
                                ? "only the waits are gone and the calls still made; no end of the "
                                  "interval"
                                : "only what was asked for changes, hand-overs in the order "
                                  "recorded"));
  page.Labelled("with path", ReadingText(answer.with_path(), PathText(answer)));
  if (answer.other_paths_size() > 0) page.Labelled("or", OtherPathsText(answer));
  page.Labelled("interval", IntervalText(answer));
  page.Labelled("then", absl::StrCat("what limits next: ", answer.with_path().limit()));
  if (answer.wait_alone().limit() != answer.with_path().limit())
    page.Labelled("", absl::StrCat("with the wait alone: ", answer.wait_alone().limit()));
  page.Labelled("rate of", absl::StrFormat(
                               "%s: %.4g a second as recorded, %d in all", answer.progress().what(),
                               answer.progress().recorded_rate(), answer.progress().events()));
  page.Labelled("check",
                absl::StrFormat("with nothing changed the replay makes %+.1f %% (order as "
                                "recorded) and %+.1f %% (order free) of the recorded rate",
                                100 * answer.wait_alone().self_check(),
                                100 * answer.with_path().self_check()),
                answer.self_check() <= kGoodSelfCheck   ? Tone::kGood
                : answer.self_check() <= kPoorSelfCheck ? Tone::kWarning
                                                        : Tone::kBad);
  page.Labelled("sure", absl::StrCat(TrustWord(answer.trust()), " (", PercentText(answer.trust()),
                                     ")", answer.doubts().empty() ? "" : ": ",
                                     answer.doubts().empty() ? "" : answer.doubts(0)));
  for (int i = 1; i < answer.doubts_size(); ++i) page.Labelled("", answer.doubts(i));
  return page.Take();
}

}  // namespace gordian
