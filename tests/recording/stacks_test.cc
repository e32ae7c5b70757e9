// SPDX-License-Identifier: Apache-2.0
// Stacks on the real kernel: complete if all are asked for, true in sum if they are sampled, and
// named.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <map>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "recorder/sessions/test_directory.h"
#include "recorder/sources/clock.h"
#include "tests/recording/played_puppet.h"
#include "trace/session_symbols.h"

namespace gordian::testing {
namespace {

// One recording of a puppet, with the names of its code.
struct Recorded {
  PlayedPuppet played;
  pb::Symbols symbols;
};

absl::StatusOr<Recorded> Load(const std::string& directory, const puppets::pb::Report& report,
                              uint64_t until_ns) {
  absl::StatusOr<RecordedSession> session = LoadSession(directory);
  if (!session.ok()) return session.status();
  absl::StatusOr<pb::Symbols> symbols = ReadSymbols(directory);
  if (!symbols.ok()) return symbols.status();
  return Recorded{Judge(report, *std::move(session), until_ns), *std::move(symbols)};
}

struct Choice {
  StackChoice stacks;
  absl::Duration budget = RecordingOptions().stack_budget;
};

// Records one piece as often at once as there are choices.
void RecordWith(const std::vector<Choice>& choices, const std::vector<std::string>& piece,
                std::vector<Recorded>& recorded) {
  const TestDirectory folder;
  std::vector<std::unique_ptr<Recording>> recordings;
  for (size_t i = 0; i < choices.size(); ++i) {
    auto recording = Recording::Start({.directory = absl::StrCat(folder.path(), "/", i),
                                       .kernel_ring_bytes_per_cpu = 32u << 20,
                                       .stacks = choices[i].stacks,
                                       .stack_budget = choices[i].budget});
    ASSERT_TRUE(recording.ok()) << recording.status();
    recordings.push_back(*std::move(recording));
  }
  const auto report = PlayPuppet(piece);
  ASSERT_TRUE(report.ok()) << report.status();
  const uint64_t until_ns = MonotonicNowNs();
  for (const auto& recording : recordings) ASSERT_TRUE(recording->Stop(EndReason::kAsked).ok());
  for (size_t i = 0; i < choices.size(); ++i) {
    auto loaded = Load(absl::StrCat(folder.path(), "/", i), *report, until_ns);
    ASSERT_TRUE(loaded.ok()) << loaded.status();
    recorded.push_back(*std::move(loaded));
  }
}

// The functions of each stack, innermost first, the kernel's before the program's.
std::map<uint32_t, std::string> FunctionsByStack(const pb::Symbols& symbols) {
  std::map<uint32_t, std::string> functions;
  for (const pb::StackFrames& stack : symbols.stacks()) {
    std::string& text = functions[stack.stack_id()];
    for (const auto* part : {&stack.kernel(), &stack.user()})
      for (const uint32_t frame : *part)
        absl::StrAppend(
            &text,
            symbols.text(static_cast<int>(symbols.frames(static_cast<int>(frame)).function())),
            "\n");
  }
  return functions;
}

std::vector<TraceEvent> Samples(const PlayedPuppet& played, const puppets::pb::Actor& actor,
                                StackMoment moment) {
  std::vector<TraceEvent> samples;
  for (const TraceEvent& event : played.recorded.events)
    if (event.kind == EventKind::kStackSample && event.stack_sample.tid == actor.tid() &&
        event.stack_sample.moment == moment && event.time_ns >= actor.begin_ns() &&
        event.time_ns <= actor.end_ns())
      samples.push_back(event);
  return samples;
}

TEST(Stacks, OfAllWaitsThereIsOneForEachAndItNamesTheCode) {
  std::vector<Recorded> recorded;
  RecordWith({{StackChoice::kAll}}, {"futex-ping-pong", "--rounds", "20000"}, recorded);
  ASSERT_EQ(recorded.size(), 1u);
  const PlayedPuppet& played = recorded[0].played;
  const auto functions = FunctionsByStack(recorded[0].symbols);
  for (const puppets::pb::Actor& actor : played.report.actors()) {
    const auto waits = Samples(played, actor, StackMoment::kWait);
    if (!played.disturbed) {
      EXPECT_EQ(waits.size(), actor.voluntary_switches());
    }
    ASSERT_FALSE(waits.empty());
    for (const TraceEvent& wait : waits) {
      ASSERT_TRUE(functions.contains(wait.stack_sample.stack_id));
      EXPECT_THAT(functions.at(wait.stack_sample.stack_id), ::testing::HasSubstr("futex"));
      EXPECT_THAT(functions.at(wait.stack_sample.stack_id),
                  ::testing::HasSubstr("PingPongOverFutex"));
    }
  }
}

struct Sleep {
  uint64_t from_ns;
  uint64_t length_ns;
};

// From each switch-out that the scheduler did not choose to the wake that ended it.
std::map<int32_t, std::vector<Sleep>> SleepsOf(const PlayedPuppet& played) {
  std::map<int32_t, std::vector<Sleep>> sleeps;
  std::map<int32_t, uint64_t> asleep_since_ns;
  for (const TraceEvent& event : played.recorded.events) {
    if (event.kind == EventKind::kSwitch && !event.sched_switch.preempted &&
        event.sched_switch.prev_state != 0)
      asleep_since_ns[event.sched_switch.prev_tid] = event.time_ns;
    if (event.kind != EventKind::kWake) continue;
    const auto since = asleep_since_ns.find(event.wake.wakee_tid);
    if (since == asleep_since_ns.end()) continue;
    sleeps[event.wake.wakee_tid].push_back({since->second, event.time_ns - since->second});
    asleep_since_ns.erase(since);
  }
  return sleeps;
}

struct Estimate {
  double time_ns = 0;
  double variance = 0;  // of the estimate, from the samples themselves
  double squares = 0;   // of the lengths
  uint64_t samples = 0;
};

// The time slept on a path through the code, from the sampled waits alone. One recording's `sleeps`
// measure the samples of all: in each of the others a sleep begins later, by the time that those
// before it at the same switch take for their stacks, and that is much of a short sleep. So this is
// the one that was begun first. The first quarter is left out: until the tables for its stack are
// made, a new process' path may not be seen whole, and each recording makes its own.
Estimate TimeOn(const std::string& path, const Recorded& recorded,
                const std::map<int32_t, std::vector<Sleep>>& sleeps) {
  const auto functions = FunctionsByStack(recorded.symbols);
  Estimate estimate;
  for (const puppets::pb::Actor& actor : recorded.played.report.actors()) {
    const std::vector<Sleep>& of_actor = sleeps.at(actor.tid());
    const uint64_t from_ns = actor.begin_ns() + (actor.end_ns() - actor.begin_ns()) / 4;
    for (const TraceEvent& sample : Samples(recorded.played, actor, StackMoment::kWait)) {
      const auto found = functions.find(sample.stack_sample.stack_id);
      if (sample.time_ns < from_ns || found == functions.end() ||
          found->second.find(path) == std::string::npos)
        continue;
      auto sleep = std::upper_bound(
          of_actor.begin(), of_actor.end(), sample.time_ns,
          [](uint64_t time_ns, const Sleep& next) { return time_ns < next.from_ns; });
      if (sleep == of_actor.begin()) continue;
      const double weight = std::ldexp(1.0, sample.stack_sample.weight_log2);
      const double length_ns = static_cast<double>(std::prev(sleep)->length_ns);
      estimate.time_ns += weight * length_ns;
      // Of a draw that takes `length` with a probability of 1/weight and counts it `weight` times.
      estimate.variance += weight * (weight - 1) * length_ns * length_ns;
      estimate.squares += length_ns * length_ns;
      ++estimate.samples;
    }
  }
  return estimate;
}

void ExpectSameTime(const char* path, const Estimate& all, const Estimate& sampled) {
  // Fewer could not tell a wrong weight from chance. How many there are is the machine's speed.
  ASSERT_GT(sampled.samples, 50u);
  EXPECT_LT(sampled.samples, all.samples / 4) << "there was nothing to choose from";
  // Samples that miss long waits also tell too small a variance: not less than if all waits had the
  // mean chance.
  const double mean_weight =
      static_cast<double>(all.samples) / static_cast<double>(sampled.samples);
  const double deviation = std::sqrt(std::max(sampled.variance, all.squares * (mean_weight - 1)));
  std::printf("%s: %.3f s slept, %.3f s by %lu of %lu stacks (%+.1f %%, one deviation %.1f %%)\n",
              path, all.time_ns / 1e9, sampled.time_ns / 1e9, sampled.samples, all.samples,
              100 * (sampled.time_ns / all.time_ns - 1), 100 * deviation / all.time_ns);
  EXPECT_LT(std::abs(sampled.time_ns - all.time_ns), 4 * deviation);
}

// The samples are compared with a recording that took every stack of the same waits.
TEST(Stacks, SampledWaitsAddUpToTheTimeOfAllWithinTheChanceOfTheirDraw) {
  std::vector<Recorded> recorded;
  RecordWith({{StackChoice::kAll},
              {StackChoice::kSampled, absl::InfiniteDuration()},
              {StackChoice::kSampled, absl::Nanoseconds(1)}},
             {"two-paths", "--rounds", "20000", "--waiters", "16", "--period-us", "100"}, recorded);
  ASSERT_EQ(recorded.size(), 3u);
  const auto sleeps = SleepsOf(recorded[0].played);
  for (const char* path : {"ShortPath", "LongPath"}) {
    const Estimate all = TimeOn(path, recorded[0], sleeps);
    const Estimate sampled = TimeOn(path, recorded[1], sleeps);
    ExpectSameTime(path, all, sampled);
    const Estimate with_nothing_to_spend = TimeOn(path, recorded[2], sleeps);
    ExpectSameTime(path, all, with_nothing_to_spend);
    EXPECT_LT(with_nothing_to_spend.samples, sampled.samples / 2);
  }
}

TEST(Stacks, RunningThreadsAreSampledByTheClock) {
  std::vector<Recorded> recorded;
  RecordWith({{StackChoice::kSampled}}, {"hogs", "--rounds", "20"}, recorded);
  ASSERT_EQ(recorded.size(), 1u);
  uint64_t samples = 0;
  for (const puppets::pb::Actor& actor : recorded[0].played.report.actors())
    samples += Samples(recorded[0].played, actor, StackMoment::kCpu).size();
  EXPECT_GT(samples, 0u);
}

TEST(Stacks, AreNotTakenWhereNotAskedFor) {
  const TestDirectory folder;
  auto recording = Recording::Start({.directory = folder.path() + "/session"});
  ASSERT_TRUE(recording.ok()) << recording.status();
  ASSERT_TRUE(PlayPuppet({"futex-ping-pong", "--rounds", "100"}).ok());
  ASSERT_TRUE((*recording)->Stop(EndReason::kAsked).ok());
  const auto session = LoadSession(folder.path() + "/session");
  ASSERT_TRUE(session.ok());
  EXPECT_EQ(session->CountFromCpus(EventKind::kStackSample), 0u);
  EXPECT_TRUE(absl::IsNotFound(ReadSymbols(folder.path() + "/session").status()));
}

}  // namespace
}  // namespace gordian::testing
