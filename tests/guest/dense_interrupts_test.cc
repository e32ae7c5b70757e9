// SPDX-License-Identifier: Apache-2.0
// Nothing is lost uncounted, however dense interrupts are: of each kind of event, the recorded and
// the lost together are at least the true ones, and the recorded are never more.
//
// The programs are loaded with widened windows (bpf/state.bpf.h), so that interrupts are sure to
// come while a record is being written; that they did is part of the test. It runs on this machine
// and, by dense_interrupts_test.sh, in guests.
#include <gtest/gtest.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <system_error>
#include <thread>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "recorder/recording/recording.h"
#include "recorder/sessions/test_directory.h"
#include "tests/guest/dense_load.h"
#include "tests/guest/tracepoint_count.h"
#include "tests/support/recorded_session.h"
#include "trace/counters.h"

namespace gordian::testing {
namespace {

struct Way {
  const char* name;
  AttachChoice attach;
  StackChoice stacks;
  uint32_t window_rounds;
};

void PrintTo(const Way& way, std::ostream* out) { *out << way.name; }

uint64_t NumberFromEnvironment(const char* name, uint64_t otherwise) {
  const char* text = std::getenv(name);
  return text == nullptr ? otherwise : std::strtoull(text, nullptr, 10);
}

std::string AnyOf(const std::string& field, const std::vector<int32_t>& tids) {
  return absl::StrJoin(tids, " || ", [&](std::string* text, int32_t tid) {
    absl::StrAppend(text, field, " == ", tid);
  });
}

// Programs do not run on some sandboxes' own threads (see HiddenThreads). One that follows another
// of its process on a CPU leaves no trace at all, so the whole process counts as hidden. Wakes from
// there count for neither side.
void AddTheirProcesses(std::set<int32_t>& hidden) {
  for (const int32_t tid : std::set<int32_t>(hidden)) {
    std::error_code gone;
    for (const auto& thread :
         std::filesystem::directory_iterator(absl::StrCat("/proc/", tid, "/task"), gone)) {
      hidden.insert(std::atoi(thread.path().filename().c_str()));
    }
  }
}

std::string NotWhile(const std::set<int32_t>& hidden) {
  std::string text;
  for (const int32_t tid : hidden) absl::StrAppend(&text, " && common_pid != ", tid);
  return text;
}

// The events of these threads in the recording.
struct Recorded {
  std::map<int32_t, uint64_t> switches_by_tid;
  uint64_t switches = 0;
  uint64_t wakes = 0;
  uint64_t calls = 0;
  uint64_t packets = 0;
  uint64_t births = 0;
  uint64_t deaths = 0;
};

Recorded CountEvents(const RecordedSession& session, const DenseLoad& load,
                     const std::set<int32_t>& hidden) {
  const std::vector<int32_t> list = load.tids();
  const std::set<int32_t> tids(list.begin(), list.end());
  Recorded recorded;
  std::set<int32_t> children;
  for (const TraceEvent& event : session.events) {
    switch (event.kind) {
      case EventKind::kSwitch:
        if (!tids.contains(event.sched_switch.prev_tid)) break;
        ++recorded.switches;
        ++recorded.switches_by_tid[event.sched_switch.prev_tid];
        break;
      case EventKind::kWake:
        recorded.wakes +=
            tids.contains(event.wake.wakee_tid) && !hidden.contains(event.wake.waker_tid);
        break;
      case EventKind::kProbe:
        recorded.calls += tids.contains(event.probe.tid);
        break;
      case EventKind::kNetSend:
        recorded.packets += event.net.bytes == DenseLoad::kPacketBytes;
        break;
      case EventKind::kTask: {
        const TaskRecord& task = session.tasks[event.task.index];
        if (task.change == TaskChange::kNew && task.parent_tid == load.forker_tid()) {
          ++recorded.births;
          children.insert(task.tid);
        }
        if (task.change == TaskChange::kExit && children.erase(task.tid) > 0) ++recorded.deaths;
        break;
      }
      default:
        break;
    }
  }
  return recorded;
}

struct Played {
  RecordedSession session;
  Recorded recorded;
  Recorded truth;
};

absl::StatusOr<Played> Play(const Way& way, uint64_t seed, const std::set<int32_t>& hidden) {
  const char* disk = std::getenv("DENSE_DIRECTORY");
  const TestDirectory folder;
  DenseLoad load({.rounds = NumberFromEnvironment("DENSE_ROUNDS", 30'000),
                  .seed = seed,
                  .directory = disk == nullptr ? folder.path() : disk});
  const auto switches = TracepointCount::Open("sched/sched_switch", AnyOf("prev_pid", load.tids()));
  if (!switches.ok()) return switches.status();
  const auto wakes = TracepointCount::Open(
      "sched/sched_waking", absl::StrCat("(", AnyOf("pid", load.tids()), ")", NotWhile(hidden)));
  if (!wakes.ok()) return wakes.status();

  auto recording = Recording::Start({.directory = folder.path() + "/session",
                                     .attach = way.attach,
                                     .kernel_ring_bytes_per_cpu = 8u << 20,
                                     .stacks = way.stacks,
                                     .counted_calls = {DenseLoad::kCountedCall},
                                     .sample_hz = 997,
                                     .test_window_rounds = way.window_rounds});
  if (!recording.ok()) return recording.status();
  // Read at the gates: between the gates and the recording's own begin and end a thread was seen to
  // be woken once more, for a reason that is not known.
  const uint64_t switches_before = switches->Read();
  const uint64_t wakes_before = wakes->Read();
  load.Run();
  const uint64_t all_switches = switches->Read() - switches_before;
  const uint64_t all_wakes = wakes->Read() - wakes_before;
  const auto stopped = (*recording)->Stop(EndReason::kAsked);
  if (!stopped.ok()) return stopped.status();
  absl::StatusOr<RecordedSession> session = LoadSession(folder.path() + "/session");
  if (!session.ok()) return session.status();
  const Recorded recorded = CountEvents(*session, load, hidden);
  return Played{.session = *std::move(session),
                .recorded = recorded,
                .truth = {.switches_by_tid = load.switches(),
                          .switches = all_switches,
                          .wakes = all_wakes,
                          .calls = load.calls(),
                          .packets = load.packets(),
                          .births = load.forks(),
                          .deaths = load.forks()}};
}

// Again, if threads turn out to be hidden that were not known to be.
absl::StatusOr<Played> PlayUndisturbed(const Way& way, uint64_t seed) {
  constexpr int kTries = 10;
  std::set<int32_t> hidden;
  for (int attempt = 0; attempt < kTries; ++attempt) {
    absl::StatusOr<Played> played = Play(way, seed, hidden);
    if (!played.ok()) return played;
    const size_t known = hidden.size();
    hidden.merge(HiddenThreads(played->session));
    AddTheirProcesses(hidden);
    if (hidden.size() == known) return played;
  }
  return absl::UnavailableError("ever more threads of this machine are hidden from BPF");
}

void Compare(const char* what, uint64_t truth, uint64_t recorded, uint64_t lost) {
  std::printf("%-10s %10lu %10lu %10lu\n", what, static_cast<unsigned long>(truth),
              static_cast<unsigned long>(recorded), static_cast<unsigned long>(lost));
  EXPECT_LE(recorded, truth) << what;
  EXPECT_GE(recorded + lost, truth) << what;
}

class DenseInterrupts : public ::testing::TestWithParam<Way> {};

TEST_P(DenseInterrupts, LoseNothingUncounted) {
  const Way& way = GetParam();
  const uint64_t seed = NumberFromEnvironment("DENSE_SEED", 1);
  const absl::StatusOr<Played> played = PlayUndisturbed(way, seed);
  // This machine's kernel may not let a backend attach; a guest's does.
  if (absl::IsUnavailable(played.status()) && std::getenv("DENSE_EVERY_WAY") == nullptr)
    GTEST_SKIP() << played.status();
  ASSERT_TRUE(played.ok()) << played.status();
  const auto& [session, recorded, truth] = *played;
  std::printf("%s, seed %lu\n%-10s %10s %10s %10s\n", way.name, static_cast<unsigned long>(seed),
              "", "true", "recorded", "lost");
  const auto lost = [&](EventKind kind) { return session.CountLost(kind); };
  Compare("switches", truth.switches, recorded.switches, lost(EventKind::kSwitch));
  for (const auto& [tid, count] : truth.switches_by_tid) {
    const auto found = recorded.switches_by_tid.find(tid);
    const uint64_t its = found == recorded.switches_by_tid.end() ? 0 : found->second;
    EXPECT_LE(its, count) << tid;
    EXPECT_GE(its + lost(EventKind::kSwitch), count) << tid;
  }
  Compare("wakes", truth.wakes, recorded.wakes, lost(EventKind::kWake));
  Compare("calls", truth.calls, recorded.calls, lost(EventKind::kProbe));
  Compare("packets", truth.packets, recorded.packets, lost(EventKind::kNetSend));
  Compare("births", truth.births, recorded.births, lost(EventKind::kTask));
  Compare("deaths", truth.deaths, recorded.deaths, lost(EventKind::kTask));
  for (const pb::Counter& counter : session.session.counters()) {
    if (counter.value() == 0) continue;
    std::printf("  %s %lu\n", counter.name().c_str(), static_cast<unsigned long>(counter.value()));
  }
  if (way.window_rounds > 0) {
    EXPECT_GT(CounterValue(session.session, "writes_interrupted"), 0u)
        << "this test has shown nothing";
  }
  EXPECT_EQ(CounterValue(session.session, "plain_writes_interrupted"), 0u);
}

// The kernel lets so many samples through in a second; more are throttled. Of guests alone: it
// holds for the whole machine.
class SampleRateLimit {
 public:
  explicit SampleRateLimit(int per_second) {
    std::ifstream(kFile) >> before_;
    std::ofstream(kFile) << per_second;
  }
  ~SampleRateLimit() { std::ofstream(kFile) << before_; }

 private:
  static constexpr char kFile[] = "/proc/sys/kernel/perf_event_max_sample_rate";
  int before_ = 0;
};

struct SampledCpu {
  uint64_t first_ns = 0;
  uint64_t last_ns = 0;
  uint64_t samples = 0;
};

TEST(Samples, OfRunningThreadsAreTakenOrCountedAsMissed) {
  constexpr uint32_t kHz = 997;
  const TestDirectory folder;
  const BusyCpus busy;  // so that no sample is of an idle CPU, which is not recorded
  auto recording = Recording::Start(
      {.directory = folder.path() + "/session", .stacks = StackChoice::kSampled, .sample_hz = kHz});
  ASSERT_TRUE(recording.ok()) << recording.status();
  const bool is_guest = std::getenv("DENSE_EVERY_WAY") != nullptr;
  std::optional<SampleRateLimit> limit;
  if (is_guest) limit.emplace(250);
  std::this_thread::sleep_for(std::chrono::milliseconds(1500));
  limit.reset();
  ASSERT_TRUE((*recording)->Stop(EndReason::kAsked).ok());
  const absl::StatusOr<RecordedSession> session = LoadSession(folder.path() + "/session");
  ASSERT_TRUE(session.ok()) << session.status();

  std::map<uint16_t, SampledCpu> cpus;
  for (const TraceEvent& event : session->events) {
    if (event.kind != EventKind::kStackSample || event.stack_sample.moment != StackMoment::kCpu)
      continue;
    SampledCpu& cpu = cpus[event.cpu];
    if (cpu.samples++ == 0) cpu.first_ns = event.time_ns;
    cpu.last_ns = event.time_ns;
  }
  double due = 0;
  uint64_t taken = 0;
  for (const auto& [number, cpu] : cpus) {
    due += 1 + static_cast<double>(cpu.last_ns - cpu.first_ns) * kHz / 1e9;
    taken += cpu.samples;
  }
  const uint64_t missed = CounterValue(session->session, "cpu_samples_missed");
  std::printf("%.0f samples due, %lu taken, %lu missed\n", due, static_cast<unsigned long>(taken),
              static_cast<unsigned long>(missed));
  EXPECT_GT(taken, 10u);
  if (is_guest) {
    EXPECT_GT(missed, due / 4);
  }
  const uint64_t not_taken = CounterValue(session->session, "stacks_not_taken");
  EXPECT_NEAR(static_cast<double>(taken + missed), due,
              0.02 * due + 5 + static_cast<double>(not_taken));
}

INSTANTIATE_TEST_SUITE_P(
    Ways, DenseInterrupts,
    ::testing::Values(Way{"tracepoint", AttachChoice::kTracepoint, StackChoice::kOff, 64},
                      Way{"tracepoint_as_is", AttachChoice::kTracepoint, StackChoice::kSampled, 0},
                      Way{"tracepoint_with_stacks", AttachChoice::kTracepoint,
                          StackChoice::kSampled, 16},
                      Way{"fentry", AttachChoice::kFentry, StackChoice::kOff, 64},
                      Way{"kprobe", AttachChoice::kKprobe, StackChoice::kSampled, 32}),
    [](const auto& way) { return std::string(way.param.name); });

}  // namespace
}  // namespace gordian::testing
