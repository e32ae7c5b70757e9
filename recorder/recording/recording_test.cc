// SPDX-License-Identifier: Apache-2.0
// The recorder on the real kernel: the contents of a recording, its end, and snapshots.
#include "recorder/recording/recording.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "trace/counters.h"
#include "trace/session_reader.h"
#include "trace/session_symbols.h"

namespace gordian {
namespace {

namespace fs = std::filesystem;
using testing::Contains;
using testing::Ge;
using testing::HasSubstr;

class RecordingTest : public testing::Test {
 protected:
  void SetUp() override {
    char folder[] = "/tmp/gordian-recording-test-XXXXXX";
    ASSERT_NE(mkdtemp(folder), nullptr);
    folder_ = folder;
  }
  void TearDown() override { fs::remove_all(folder_); }

  RecordingOptions Options(const std::string& name = "session") {
    RecordingOptions options;
    options.directory = folder_ + "/" + name;
    return options;
  }
  std::unique_ptr<Recording> Start(RecordingOptions options) {
    auto recording = Recording::Start(std::move(options));
    EXPECT_TRUE(recording.ok()) << recording.status().message();
    return recording.ok() ? *std::move(recording) : nullptr;
  }
  std::unique_ptr<SessionReader> Open(const std::string& name = "session") {
    auto reader = SessionReader::Open(folder_ + "/" + name);
    EXPECT_TRUE(reader.ok()) << reader.status().message();
    return *std::move(reader);
  }
  std::string folder_;
};

// A pair of processes that hand a byte to and fro `rounds` times, and then end.
class PingPong {
 public:
  explicit PingPong(int rounds) {
    EXPECT_EQ(pipe(there_) | pipe(back_) | pipe(gate_), 0);
    pong_ = Fork([=, this] { Echo(rounds); });
    ping_ = Fork([=, this] { Call(rounds); });
  }
  ~PingPong() { Wait(); }
  pid_t ping() const { return ping_; }
  pid_t pong() const { return pong_; }
  void Go() {
    const char go[2] = {1, 1};
    EXPECT_EQ(write(gate_[1], go, 2), 2);
  }
  void Stop() {
    kill(ping_, SIGKILL);
    kill(pong_, SIGKILL);
    Wait();
  }
  void Wait() {
    if (waited_) return;
    waited_ = true;
    for (const int fd : {there_[0], there_[1], back_[0], back_[1], gate_[0], gate_[1]}) close(fd);
    waitpid(ping_, nullptr, 0);
    waitpid(pong_, nullptr, 0);
  }

 private:
  pid_t Fork(const std::function<void()>& run) {
    const pid_t pid = fork();
    if (pid != 0) return pid;
    // Only its own pipes: closing another pair's when it ends would wake that pair.
    const std::set<int> own = {there_[0], there_[1], back_[0], back_[1], gate_[0]};
    for (int fd = 3; fd < 256; ++fd)
      if (own.count(fd) == 0) close(fd);
    char go;
    if (read(gate_[0], &go, 1) == 1) run();
    _exit(0);
  }
  void Call(int rounds) const {
    char byte = 0;
    for (int i = 0; i < rounds; ++i)
      if (write(there_[1], &byte, 1) != 1 || read(back_[0], &byte, 1) != 1) _exit(1);
  }
  void Echo(int rounds) const {
    char byte = 0;
    for (int i = 0; i < rounds; ++i)
      if (read(there_[0], &byte, 1) != 1 || write(back_[1], &byte, 1) != 1) _exit(1);
  }
  int there_[2], back_[2], gate_[2];
  pid_t ping_, pong_;
  bool waited_ = false;
};

// Wakes by thread, as waker -> wakee.
std::map<std::pair<int32_t, int32_t>, int> ThreadWakes(SessionReader& session) {
  std::map<std::pair<int32_t, int32_t>, int> wakes;
  MergedEvents events(session);
  while (events.Next()) {
    const TraceEvent& event = events.event();
    if (event.kind == EventKind::kWake && event.wake.waker_is_cause)
      ++wakes[{event.wake.waker_tid, event.wake.wakee_tid}];
  }
  return wakes;
}

std::map<int32_t, std::string> Names(SessionReader& session) {
  std::map<int32_t, std::string> names;
  MergedEvents events(session);
  while (events.Next())
    if (events.event().kind == EventKind::kTask) {
      const TaskRecord& task = events.block().tasks[events.event().task.index];
      names[task.tid] = task.comm;
    }
  return names;
}

TEST_F(RecordingTest, HoldsTheWholeMachineWithNamesAndEndsComplete) {
  auto recording = Start(Options());
  ASSERT_NE(recording, nullptr);
  PingPong pair(200);
  pair.Go();
  pair.Wait();
  const auto status = recording->Stop(EndReason::kAsked);
  ASSERT_TRUE(status.ok());
  EXPECT_TRUE(status->error.ok());
  EXPECT_EQ(status->lost, 0u);

  auto session = Open();
  EXPECT_TRUE(session->session().complete());
  EXPECT_EQ(session->session().end_reason(), "asked");
  EXPECT_GE(session->session().clocks_size(), 2);
  EXPECT_EQ(CounterValue(session->session(), "resource_samples_missed"), 0u)
      << "the last sample is of the recording's end, not of when its hooks are gone";
  const auto wakes = ThreadWakes(*session);
  // One of the two has to wait at least once: the other may always find its byte already there. The
  // kernel decides how often (a pipe's own lock can make them wait, too). The puppets, kept on one
  // CPU, count exactly.
  const auto count = [&](pid_t waker, pid_t wakee) {
    const auto found = wakes.find({waker, wakee});
    return found == wakes.end() ? 0 : found->second;
  };
  EXPECT_GE(count(pair.ping(), pair.pong()) + count(pair.pong(), pair.ping()), 1);
  const auto names = Names(*session);
  EXPECT_EQ(names.at(1).empty(), false) << "threads that existed before are named";
  EXPECT_EQ(names.count(pair.ping()), 1u) << "so are those born since";
}

// Of each thread, calls by counter.
std::map<std::string, int> CallsOf(SessionReader& session, int32_t tid) {
  std::map<std::string, int> calls;
  MergedEvents events(session);
  while (events.Next()) {
    const TraceEvent& event = events.event();
    if (event.kind == EventKind::kProbe && event.probe.tid == tid)
      ++calls[events.block().names[event.probe.name]];
  }
  return calls;
}

TEST_F(RecordingTest, CountsTheCallsThatItIsAskedForAndThatSucceed) {
  RecordingOptions options = Options();
  options.counted_calls = {"getppid", "dup", "umask"};
  auto recording = Start(options);
  ASSERT_NE(recording, nullptr);
  for (int i = 0; i < 1000; ++i) syscall(SYS_getppid);
  for (int i = 0; i < 7; ++i) EXPECT_EQ(close(dup(0)), 0);
  for (int i = 0; i < 10; ++i) EXPECT_EQ(dup(-1), -1);
  for (int i = 0; i < 5; ++i) syscall(SYS_getpgid, 0);
  ASSERT_TRUE(recording->Stop(EndReason::kAsked).ok());
  auto session = Open();
  const std::map<std::string, int> calls = CallsOf(*session, getpid());
  EXPECT_EQ(calls.at("syscall getppid"), 1000);
  // The recording may close files of its own on this thread as it ends, but not before it began.
  EXPECT_EQ(calls.at("syscall dup"), 7);
  EXPECT_EQ(CounterValue(session->session(), "records_produced_counted_call"), 1007u);
  EXPECT_EQ(calls.count("syscall getpgid"), 0u);
  EXPECT_EQ(calls.count("syscall umask"), 0u);
  EXPECT_THAT(session->session().options().counted_calls(),
              testing::ElementsAre("getppid", "dup", "umask"));
}

TEST_F(RecordingTest, SaysThatACallIsNone) {
  RecordingOptions options = Options();
  options.counted_calls = {"no_such_call"};
  const auto recording = Recording::Start(options);
  ASSERT_FALSE(recording.ok());
  EXPECT_THAT(std::string(recording.status().message()), HasSubstr("no_such_call"));
  EXPECT_FALSE(fs::exists(options.directory));
}

TEST_F(RecordingTest, ProducedIsRecordedPlusLost) {
  auto recording = Start(Options());
  ASSERT_NE(recording, nullptr);
  PingPong pair(1000);
  pair.Go();
  pair.Wait();
  ASSERT_TRUE(recording->Stop(EndReason::kAsked).ok());
  auto session = Open();
  std::map<EventKind, uint64_t> recorded;
  for (const auto& stream : session->cpus()) {
    EventBlock block;
    for (size_t i = 0; i < stream->blocks().size(); ++i) {
      ASSERT_TRUE(stream->Read(i, block).ok());
      for (const TraceEvent& event : block.events) ++recorded[event.kind];
    }
  }
  for (const EventKind kind :
       {EventKind::kSwitch, EventKind::kWake, EventKind::kIrqRun, EventKind::kTask}) {
    const std::string name = EventKindName(kind);
    EXPECT_EQ(CounterValue(session->session(), "records_produced_" + name),
              recorded[kind] + CounterValue(session->session(), "records_lost_" + name))
        << name;
  }
}

// Hooks attach and detach one after another, which takes far longer than a round of ping and pong.
// If they did not begin and end together, thousands of wakes would stand without switches.
TEST_F(RecordingTest, BeginsAndEndsForAllKindsOfEventsAtOnce) {
  PingPong pair(100'000'000);  // far more than it comes to
  pair.Go();
  auto recording = Start(Options());
  if (recording)
    while (recording->Status().events < 20000) usleep(1000);
  const bool stopped = recording && recording->Stop(EndReason::kAsked).ok();
  pair.Stop();
  ASSERT_TRUE(stopped);

  auto session = Open();
  const uint64_t start_ns = session->session().start_time_ns();
  const uint64_t end_ns = session->session().end_time_ns();
  const std::set<int32_t> both = {pair.ping(), pair.pong()};
  std::vector<EventKind> order;  // of the pair's wakes and switches
  MergedEvents events(*session);
  while (events.Next()) {
    const TraceEvent& event = events.event();
    EXPECT_LE(event.time_ns, end_ns);
    const bool wake = event.kind == EventKind::kWake && both.count(event.wake.wakee_tid) > 0;
    const bool leaves =
        event.kind == EventKind::kSwitch && both.count(event.sched_switch.prev_tid) > 0;
    if (!wake && !leaves) continue;
    EXPECT_GE(event.time_ns, start_ns);
    order.push_back(event.kind);
  }
  const auto first_of = [](const auto begin, const auto end, EventKind kind) {
    return std::find(begin, end, kind) - begin;
  };
  for (const EventKind kind : {EventKind::kWake, EventKind::kSwitch}) {
    EXPECT_LT(first_of(order.begin(), order.end(), kind), 100) << EventKindName(kind);
    EXPECT_LT(first_of(order.rbegin(), order.rend(), kind), 100) << EventKindName(kind);
  }
}

TEST_F(RecordingTest, EndsByItselfAfterItsDuration) {
  RecordingOptions options = Options();
  options.duration = absl::Milliseconds(100);
  auto recording = Start(options);
  ASSERT_NE(recording, nullptr);
  while (!recording->Status().ended) usleep(1000);
  EXPECT_EQ(recording->Status().end_reason, EndReason::kDuration);
  ASSERT_TRUE(recording->Stop(EndReason::kAsked).ok());
  EXPECT_EQ(Open()->session().end_reason(), "duration");
}

TEST_F(RecordingTest, EndsByItselfAtItsSizeAndIsReadable) {
  RecordingOptions options = Options();
  options.max_bytes = 64 << 10;
  auto recording = Start(options);
  ASSERT_NE(recording, nullptr);
  while (!recording->Status().ended) {
    PingPong pair(5000);
    pair.Go();
  }
  const auto status = recording->Stop(EndReason::kAsked);
  ASSERT_TRUE(status.ok());
  EXPECT_EQ(status->end_reason, EndReason::kSizeLimit);
  EXPECT_LE(status->bytes_on_disk, options.max_bytes + (64 << 10)) << "session.pb comes on top";
  auto session = Open();
  EXPECT_EQ(session->session().end_reason(), "size limit");
  EXPECT_EQ(session->damage().corrupt_blocks, 0u);
  EXPECT_GT(CounterValue(session->session(), "events_not_written"), 0u);
}

TEST_F(RecordingTest, ASecondStopSaysTheSame) {
  auto recording = Start(Options());
  ASSERT_NE(recording, nullptr);
  const auto first = recording->Stop(EndReason::kCommandEnded);
  const auto second = recording->Stop(EndReason::kAsked);
  ASSERT_TRUE(first.ok() && second.ok());
  EXPECT_EQ(first->events, second->events);
  EXPECT_EQ(second->end_reason, EndReason::kCommandEnded);
}

TEST_F(RecordingTest, ASnapshotNamesThreadsBornBeforeItsOldestEventAndTheRecordingGoesOn) {
  PingPong pair(20000);
  RecordingOptions options = Options();
  options.ring_bytes = 1 << 20;
  auto recording = Start(options);
  ASSERT_NE(recording, nullptr);
  pair.Go();
  while (recording->Status().events < 20000) usleep(1000);
  ASSERT_TRUE(recording->Snapshot(folder_ + "/cut").ok());
  const uint64_t events_then = recording->Status().events;
  pair.Wait();
  ASSERT_TRUE(recording->Stop(EndReason::kAsked).ok());

  auto cut = Open("cut");
  EXPECT_TRUE(cut->session().complete());
  EXPECT_EQ(cut->session().snapshot_of(), "session");
  EXPECT_THAT(Names(*cut), Contains(testing::Key(pair.ping())));
  uint64_t events = 0;
  for (const auto& stream : cut->cpus())
    for (const BlockInfo& block : stream->blocks()) events += block.events;
  EXPECT_GE(events, events_then / 2);
  EXPECT_EQ(cut->damage().corrupt_blocks, 0u);
}

TEST_F(RecordingTest, OnlyRecordsWhatTouchesTheTarget) {
  PingPong target(300);
  PingPong other(300);
  RecordingOptions options = Options();
  options.targets.pids = {target.ping()};
  options.targets.only = true;
  auto recording = Start(options);
  ASSERT_NE(recording, nullptr);
  target.Go();
  other.Go();
  target.Wait();
  other.Wait();
  ASSERT_TRUE(recording->Stop(EndReason::kAsked).ok());

  auto session = Open();
  EXPECT_TRUE(session->session().chains_end_at_targets());
  ASSERT_EQ(session->session().targets_size(), 1);
  EXPECT_EQ(session->session().targets(0).pid(), target.ping());
  MergedEvents events(*session);
  uint64_t of_target = 0;
  while (events.Next()) {
    const TraceEvent& event = events.event();
    if (event.kind == EventKind::kWake) {
      EXPECT_NE(event.wake.wakee_tid, other.ping());
      EXPECT_NE(event.wake.wakee_tid, other.pong());
      of_target += event.wake.wakee_tid == target.ping();
    }
    if (event.kind == EventKind::kSwitch) {
      // The other pair's switches are recorded only where a target or one of its wakers is on the
      // other side.
      const std::set<int32_t> sides = {event.sched_switch.prev_tid, event.sched_switch.next_tid};
      EXPECT_FALSE(sides == (std::set<int32_t>{other.ping(), 0}) ||
                   sides == (std::set<int32_t>{other.pong(), 0}) ||
                   sides == (std::set<int32_t>{other.ping(), other.pong()}));
    }
  }
  EXPECT_GT(of_target, 0u);
}

TEST_F(RecordingTest, OnlyFollowsTheTargetsChildren) {
  int gate[2];
  ASSERT_EQ(pipe(gate), 0);
  const pid_t parent = fork();
  if (parent == 0) {
    char go;
    if (read(gate[0], &go, 1) != 1) _exit(1);
    for (int i = 0; i < 10; ++i) {
      const pid_t child = fork();
      if (child == 0) {
        usleep(1000);
        _exit(0);
      }
      waitpid(child, nullptr, 0);
    }
    _exit(0);
  }
  RecordingOptions options = Options();
  options.targets.only = true;
  options.targets.pids = {parent};
  auto recording = Start(options);
  ASSERT_NE(recording, nullptr);
  ASSERT_EQ(write(gate[1], "x", 1), 1);
  waitpid(parent, nullptr, 0);
  close(gate[0]);
  close(gate[1]);
  ASSERT_TRUE(recording->Stop(EndReason::kAsked).ok());

  auto session = Open();
  std::set<int32_t> children;
  std::map<int32_t, int> timer_wakes;
  MergedEvents events(*session);
  while (events.Next()) {
    const TraceEvent& event = events.event();
    if (event.kind == EventKind::kTask) {
      const TaskRecord& task = events.block().tasks[event.task.index];
      if (task.change == TaskChange::kNew && task.parent_tid == parent) children.insert(task.tid);
    }
    if (event.kind == EventKind::kWake && event.wake.context == WakeContext::kTimer)
      ++timer_wakes[event.wake.wakee_tid];
  }
  EXPECT_EQ(children.size(), 10u);
  for (const int32_t child : children)
    EXPECT_EQ(timer_wakes[child], 1) << "the sleep of child " << child;
}

TEST_F(RecordingTest, AFolderThatIsNotEmptyIsRefusedUntouched) {
  fs::create_directory(folder_ + "/session");
  const std::string kept = folder_ + "/session/kept";
  fclose(fopen(kept.c_str(), "w"));
  auto recording = Recording::Start(Options());
  EXPECT_EQ(recording.status().code(), absl::StatusCode::kAlreadyExists);
  EXPECT_TRUE(fs::exists(kept));
  EXPECT_EQ(std::distance(fs::directory_iterator(folder_ + "/session"), fs::directory_iterator()),
            1);
}

TEST_F(RecordingTest, AnUnknownProcessOrCgroupIsRefusedAndLeavesNothing) {
  RecordingOptions options = Options();
  options.targets.pids = {0x3fffffff};
  EXPECT_THAT(std::string(Recording::Start(options).status().message()),
              HasSubstr("there is no process 1073741823"));
  options = Options();
  options.targets.cgroups = {"/no/such/group"};
  EXPECT_FALSE(Recording::Start(options).ok());
  EXPECT_FALSE(fs::exists(options.directory));
}

TEST_F(RecordingTest, OptionsThatMakeNoSenseAreRefused) {
  RecordingOptions options = Options();
  options.kernel_ring_bytes_per_cpu = 5000;
  EXPECT_EQ(Recording::Start(options).status().code(), absl::StatusCode::kInvalidArgument);
  options = Options();
  options.resource_interval = absl::Milliseconds(1);
  EXPECT_EQ(Recording::Start(options).status().code(), absl::StatusCode::kInvalidArgument);
  options = Options();
  options.flush_interval = absl::Seconds(5);
  EXPECT_EQ(Recording::Start(options).status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_FALSE(fs::exists(options.directory));
}

TEST_F(RecordingTest, ResourcesAreSampledAtTheIntervalAsked) {
  RecordingOptions options = Options();
  options.resource_interval = absl::Milliseconds(50);
  options.duration = absl::Milliseconds(600);
  auto recording = Start(options);
  ASSERT_NE(recording, nullptr);
  while (!recording->Status().ended) usleep(1000);
  ASSERT_TRUE(recording->Stop(EndReason::kAsked).ok());
  const auto blocks = Open()->ReadResources();
  ASSERT_TRUE(blocks.ok());
  std::map<pb::ResourceKind, int> samples;
  for (const pb::ResourceBlock& block : *blocks)
    for (const pb::ResourceSample& sample : block.samples())
      ++samples[block.resources(sample.resource()).kind()];
  EXPECT_THAT(samples[pb::RESOURCE_CPU], Ge(3));
  EXPECT_THAT(samples[pb::RESOURCE_MEMORY], Ge(3));
  EXPECT_THAT(samples[pb::RESOURCE_HARDIRQ] + samples[pb::RESOURCE_SOFTIRQ], Ge(1));
}

// A process tells its mappings only while it lives, and a block may wait for a second.
TEST_F(RecordingTest, KnowsTheCodeOfAProcessThatEndsBeforeItsEventsAreWritten) {
  RecordingOptions options = Options();
  options.stacks = StackChoice::kAll;
  options.flush_interval = absl::Seconds(1);
  auto recording = Start(options);
  ASSERT_NE(recording, nullptr);
  const pid_t child = fork();
  if (child == 0) {
    for (;;) usleep(1000);
  }
  usleep(600'000);
  kill(child, SIGKILL);
  waitpid(child, nullptr, 0);
  ASSERT_TRUE(recording->Stop(EndReason::kAsked).ok());
  const auto symbols = ReadSymbols(options.directory);
  ASSERT_TRUE(symbols.ok()) << symbols.status();
  EXPECT_TRUE(std::any_of(symbols->processes().begin(), symbols->processes().end(),
                          [&](const pb::ProcessImage& image) { return image.tgid() == child; }));
}

}  // namespace
}  // namespace gordian
