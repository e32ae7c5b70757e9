// SPDX-License-Identifier: Apache-2.0
#include "tests/recording/played_puppet.h"

#include <gtest/gtest.h>
#include <net/if.h>

#include <map>
#include <memory>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "google/protobuf/util/json_util.h"
#include "recorder/sessions/test_directory.h"
#include "recorder/sources/clock.h"
#include "tests/program.h"
#include "trace/counters.h"

namespace gordian::testing {
namespace {

constexpr uint16_t kNetReceiveSoftirq = 3;

bool InWindow(uint64_t time_ns, const puppets::pb::Actor& actor) {
  return time_ns >= actor.begin_ns() && time_ns <= actor.end_ns();
}

std::string Describe(const WakeEvent& wake) {
  return absl::StrCat("wake of ", wake.wakee_tid, " by ", wake.waker_tid, " context ",
                      int{static_cast<uint8_t>(wake.context)}, " vector ", wake.vector, " cause ",
                      wake.waker_is_cause, " device kind ",
                      int{static_cast<uint8_t>(wake.device_kind)}, " device ", wake.device,
                      " flow ", wake.flow_id);
}

// Whether this wake matches the row in every field.
bool Matches(const WakeEvent& wake, const puppets::pb::Wakes& row) {
  if (wake.wakee_tid != row.wakee()) return false;
  const bool waker_fits = row.waker() == 0 || wake.waker_tid == row.waker();
  const bool no_device = wake.device_kind == DeviceKind::kNone && wake.flow_id == 0;
  if (row.context() == "thread") {
    return wake.context == WakeContext::kThread && waker_fits && wake.waker_is_cause && no_device;
  }
  if (row.context() == "timer") {
    return wake.context == WakeContext::kTimer && !wake.waker_is_cause && no_device;
  }
  return row.context() == "softirq" && wake.context == WakeContext::kSoftirq &&
         wake.vector == kNetReceiveSoftirq && waker_fits && wake.waker_is_cause &&
         wake.device_kind == DeviceKind::kNic && wake.device == if_nametoindex("lo");
}

void ExpectExactWakes(const PlayedPuppet& played) {
  std::vector<uint64_t> counts(played.report.wakes_size());
  int complaints = 0;
  for (const puppets::pb::Actor& actor : played.report.actors()) {
    for (const WakeEvent& wake : WakesOf(played.recorded, actor)) {
      bool matched = false;
      for (int row = 0; row < played.report.wakes_size() && !matched; ++row) {
        matched = Matches(wake, played.report.wakes(row));
        counts[row] += matched;
      }
      if (!matched && ++complaints <= 5) ADD_FAILURE() << "unexpected " << Describe(wake);
    }
  }
  for (int row = 0; row < played.report.wakes_size(); ++row) {
    EXPECT_EQ(counts[row], played.report.wakes(row).count())
        << played.report.wakes(row).ShortDebugString();
  }
}

void ExpectExactSwitches(const PlayedPuppet& played, const puppets::pb::Actor& actor) {
  uint64_t slept = 0;
  uint64_t pushed_off = 0;
  for (const TraceEvent& event : played.recorded.events) {
    if (event.kind != EventKind::kSwitch || event.sched_switch.prev_tid != actor.tid()) continue;
    if (!InWindow(event.time_ns, actor)) continue;
    const bool stays_runnable =
        event.sched_switch.preempted || event.sched_switch.prev_state == kStateRunning;
    (stays_runnable ? pushed_off : slept) += 1;
  }
  EXPECT_EQ(slept, actor.voluntary_switches()) << actor.role();
  EXPECT_EQ(pushed_off, actor.involuntary_switches()) << actor.role();
}

}  // namespace

absl::StatusOr<puppets::pb::Report> PlayPuppet(const std::vector<std::string>& arguments) {
  std::vector<std::string> words{PUPPET_PROGRAM};
  words.insert(words.end(), arguments.begin(), arguments.end());
  const ProgramResult end = RunProgram(words);
  if (end.exit_code != 0) {
    return absl::InternalError(absl::StrCat("the puppet ", words[1], " ended with code ",
                                            end.exit_code, ": ", end.errors));
  }
  puppets::pb::Report report;
  const auto parsed = google::protobuf::util::JsonStringToMessage(end.output, &report);
  if (!parsed.ok()) return absl::InternalError(parsed.ToString());
  return report;
}

PlayedPuppet Judge(puppets::pb::Report report, RecordedSession recorded, uint64_t until_ns) {
  const ThreadChecker checker = FollowThreads(recorded, until_ns);
  const bool disturbed = HiddenThreadRan(recorded, report.begin_ns(), until_ns);
  return {std::move(report), std::move(recorded), checker.lives(), checker.violations(), disturbed};
}

absl::StatusOr<PlayedPuppet> RecordPuppet(const std::vector<std::string>& arguments) {
  const TestDirectory folder;
  absl::StatusOr<std::unique_ptr<Recording>> recording =
      Recording::Start({.directory = folder.path() + "/session"});
  if (!recording.ok()) return recording.status();
  absl::StatusOr<puppets::pb::Report> report = PlayPuppet(arguments);
  if (!report.ok()) return report.status();
  const uint64_t played_ns = MonotonicNowNs();
  const absl::StatusOr<RecordingStatus> stopped = (*recording)->Stop(EndReason::kAsked);
  if (!stopped.ok()) return stopped.status();
  absl::StatusOr<RecordedSession> recorded = LoadSession(folder.path() + "/session");
  if (!recorded.ok()) return recorded.status();
  return Judge(*std::move(report), *std::move(recorded), played_ns);
}

absl::StatusOr<PlayedPuppet> RecordUndisturbed(const std::vector<std::string>& arguments) {
  constexpr int kTries = 40;
  for (int attempt = 0; attempt < kTries; ++attempt) {
    absl::StatusOr<PlayedPuppet> played = RecordPuppet(arguments);
    if (!played.ok() || !played->disturbed) return played;
  }
  return absl::UnavailableError(
      "threads that this machine hides from BPF ran during every one of the recordings");
}

const ThreadLife* PlayedPuppet::LifeOf(int32_t tid, int32_t parent_tid) const {
  for (const ThreadLife& life : lives) {
    if (life.tid == tid && life.parent_tid == parent_tid) return &life;
  }
  return nullptr;
}

std::vector<WakeEvent> WakesOf(const RecordedSession& recorded, const puppets::pb::Actor& actor) {
  std::vector<WakeEvent> wakes;
  for (const TraceEvent& event : recorded.events) {
    const bool wakes_actor = event.kind == EventKind::kWake && event.wake.wakee_tid == actor.tid();
    if (wakes_actor && InWindow(event.time_ns, actor)) wakes.push_back(event.wake);
  }
  return wakes;
}

void ExpectWhole(const RecordedSession& recorded) {
  EXPECT_TRUE(recorded.session.complete());
  EXPECT_EQ(recorded.damage.corrupt_blocks, 0u);
  EXPECT_EQ(recorded.damage.torn_tails, 0u);
  for (const pb::Counter& counter : recorded.session.counters()) {
    const CounterDefinition* definition = FindCounter(counter.name());
    ASSERT_NE(definition, nullptr) << counter.name();
    const bool plain = definition->severity == CounterSeverity::kInfo;
    EXPECT_TRUE(plain || counter.value() == 0) << counter.ShortDebugString();
  }
  for (int kind = 0; kind < kEventKinds; ++kind) {
    EXPECT_EQ(recorded.CountLost(static_cast<EventKind>(kind)), 0u) << kind;
  }
}

// A thread is reaped a moment before it leaves its CPU for the last time: the recording may end in
// between. If the last switch-out had been lost instead, the next switch of that CPU would not fit.
void ExpectCompleteLife(const ThreadLife& life, bool disturbed) {
  EXPECT_TRUE(life.born && life.exited && (life.ended || life.on_its_way)) << life.tid;
  EXPECT_EQ(life.run_ns + life.runnable_ns + life.blocked_ns + life.unknown_ns, life.lifetime_ns())
      << life.tid;
  EXPECT_GT(life.start_time_ns, 0u) << life.tid;
  if (disturbed) return;
  EXPECT_EQ(life.unknown_ns, 0u) << life.tid;
  EXPECT_GT(life.run_ns, 0u) << life.tid;
  EXPECT_EQ(life.sleeps_ended_unseen, 0u) << life.tid;
  EXPECT_EQ(life.wakes_too_many, 0u) << life.tid;
  EXPECT_EQ(life.switches_unseen, 0u) << life.tid;
}

void ExpectExact(const PlayedPuppet& played) {
  ExpectWhole(played.recorded);
  for (const puppets::pb::Actor& actor : played.report.actors()) {
    const ThreadLife* life = played.LifeOf(actor.tid(), played.report.pid());
    ASSERT_NE(life, nullptr) << actor.role();
    ExpectCompleteLife(*life, played.disturbed);
    EXPECT_EQ(life->comm, actor.role());
    ExpectExactSwitches(played, actor);
  }
  if (played.report.wakes_are_exact()) ExpectExactWakes(played);
  // The rules hold for every thread of the machine, not only for the puppet's.
  for (size_t at = 0; at < played.violations.size() && at < 5; ++at) {
    ADD_FAILURE() << "thread " << played.violations[at].tid << " " << played.violations[at].what
                  << " at " << played.violations[at].time_ns;
  }
}

}  // namespace gordian::testing
