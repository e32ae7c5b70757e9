// SPDX-License-Identifier: Apache-2.0
// Puppets, recorded: all their known actions are in the recording, and nothing else.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "recorder/sources/file_text.h"
#include "recorder/sources/text_fields.h"
#include "tests/recording/played_puppet.h"

namespace gordian::testing {
namespace {

constexpr uint16_t kBlockSoftirq = 4;

class ExactPuppet : public ::testing::TestWithParam<std::vector<std::string>> {};

TEST_P(ExactPuppet, EverySwitchAndWakeIsRecordedAsItWas) {
  const absl::StatusOr<PlayedPuppet> played = RecordUndisturbed(GetParam());
  ASSERT_TRUE(played.ok()) << played.status();
  ASSERT_TRUE(played->report.wakes_are_exact());
  ExpectExact(*played);
}

std::string NameOf(const ::testing::TestParamInfo<std::vector<std::string>>& info) {
  std::string name = absl::StrCat(info.index, "_");
  for (const char letter : info.param[0]) name += letter == '-' ? '_' : letter;
  return name;
}

INSTANTIATE_TEST_SUITE_P(
    Pieces, ExactPuppet,
    ::testing::Values(
        std::vector<std::string>{"pipe-ping-pong", "--rounds", "1000"},
        std::vector<std::string>{"pipe-ping-pong", "--rounds", "1000", "--cpus", "0,0"},
        std::vector<std::string>{"futex-ping-pong", "--rounds", "1000"},
        std::vector<std::string>{"futex-ping-pong", "--rounds", "1000", "--cpus", "1,1"},
        std::vector<std::string>{"mutex", "--rounds", "200"},
        std::vector<std::string>{"mutex", "--rounds", "200", "--cpus", "1,1"},
        std::vector<std::string>{"timer", "--rounds", "100"},
        std::vector<std::string>{"timer", "--rounds", "1000", "--period-us", "10"},
        std::vector<std::string>{"broadcast", "--rounds", "500", "--waiters", "8"},
        std::vector<std::string>{"hogs", "--rounds", "10"}),
    NameOf);

TEST(Puppets, LoopbackPacketsAreTheirSendersDeedAndNameInterfaceAndFlow) {
  for (const char* cpus : {"0,1", "1,1"}) {
    const absl::StatusOr<PlayedPuppet> played =
        RecordUndisturbed({"tcp-echo", "--rounds", "500", "--cpus", cpus});
    ASSERT_TRUE(played.ok()) << played.status();
    ExpectExact(*played);
    const auto& numbers = played->report.numbers();
    const std::vector<uint64_t> ports = {numbers.at("client_port"), numbers.at("server_port")};
    for (const puppets::pb::Actor& actor : played->report.actors()) {
      for (const WakeEvent& wake : WakesOf(played->recorded, actor)) {
        const auto flow = played->recorded.flows.find(wake.flow_id);
        ASSERT_NE(flow, played->recorded.flows.end()) << "no flow " << wake.flow_id;
        const std::vector<uint64_t> flow_ports = {flow->second.source_port,
                                                  flow->second.destination_port};
        EXPECT_TRUE(std::is_permutation(ports.begin(), ports.end(), flow_ports.begin()));
      }
    }
  }
}

// Its sending says all: its receipt within the same system call would only double it. (The answers
// of an interrupt by itself, as the connection opens and closes, carry nothing.)
TEST(Puppets, APacketOverLoopbackIsToldOnce) {
  const absl::StatusOr<PlayedPuppet> played = RecordUndisturbed({"tcp-echo", "--rounds", "500"});
  ASSERT_TRUE(played.ok()) << played.status();
  const uint64_t client_port = played->report.numbers().at("client_port");
  const uint64_t server_port = played->report.numbers().at("server_port");
  constexpr uint32_t kIpAndTcpBytes = 60;  // with as many options as there are
  uint64_t sent = 0, received = 0;
  for (const TraceEvent& event : played->recorded.events) {
    if (event.kind != EventKind::kNetSend && event.kind != EventKind::kNetReceive) continue;
    const auto flow = played->recorded.flows.find(event.net.flow_id);
    if (flow == played->recorded.flows.end()) continue;
    if (event.net.bytes <= kIpAndTcpBytes) continue;
    if (std::minmax<uint64_t>(flow->second.source_port, flow->second.destination_port) !=
        std::minmax(client_port, server_port))
      continue;
    (event.kind == EventKind::kNetSend ? sent : received) += 1;
  }
  EXPECT_GE(sent, 1000u);
  EXPECT_EQ(received, 0u);
}

TEST(Puppets, CpuHogsAreRunnableWhenTheyDoNotRunAndNeverBlocked) {
  const absl::StatusOr<PlayedPuppet> played = RecordUndisturbed({"hogs", "--rounds", "10"});
  ASSERT_TRUE(played.ok()) << played.status();
  for (const puppets::pb::Actor& actor : played->report.actors()) {
    EXPECT_EQ(actor.voluntary_switches(), 0u);
    EXPECT_GE(actor.involuntary_switches(), 10u);
    for (const TraceEvent& event : played->recorded.events) {
      if (event.kind != EventKind::kSwitch || event.sched_switch.prev_tid != actor.tid()) continue;
      if (event.time_ns < actor.begin_ns() || event.time_ns > actor.end_ns()) continue;
      EXPECT_TRUE(event.sched_switch.preempted || event.sched_switch.prev_state == kStateRunning);
    }
  }
}

// Some thread must have been interrupted; if that is the idle thread, the wake must have no waker
// thread.
TEST(Puppets, AnInterruptOnAnIdleCpuWakesAsTheTimerAndNotAsAThread) {
  const absl::StatusOr<PlayedPuppet> played =
      RecordUndisturbed({"timer", "--rounds", "100", "--period-us", "500"});
  ASSERT_TRUE(played.ok()) << played.status();
  uint64_t on_idle = 0;
  for (const WakeEvent& wake : WakesOf(played->recorded, played->report.actors(0))) {
    EXPECT_EQ(wake.context, WakeContext::kTimer);
    EXPECT_FALSE(wake.waker_is_cause);
    on_idle += wake.waker_tid == 0;
  }
  if (on_idle == 0) GTEST_SKIP() << "this machine is too busy: no sleep left the CPU idle";
}

TEST(Puppets, AWakeBeforeTheSwitchOutIsNotLost) {
  const absl::StatusOr<PlayedPuppet> played =
      RecordUndisturbed({"wake-before-sleep", "--rounds", "3000"});
  ASSERT_TRUE(played.ok()) << played.status();
  ExpectExact(*played);
  const puppets::pb::Actor& sleeper = played->report.actors(0);
  const puppets::pb::Actor& hammer = played->report.actors(1);
  const std::vector<WakeEvent> wakes = WakesOf(played->recorded, sleeper);
  // A round that the sleeper left before the wake reached it has no wake; each sleep has one.
  EXPECT_LE(wakes.size(), played->report.numbers().at("rounds"));
  EXPECT_GE(wakes.size(), sleeper.voluntary_switches());
  for (const WakeEvent& wake : wakes) {
    EXPECT_EQ(wake.waker_tid, hammer.tid());
    EXPECT_EQ(wake.context, WakeContext::kThread);
  }
  const ThreadLife* life = played->LifeOf(sleeper.tid(), played->report.pid());
  ASSERT_NE(life, nullptr);
  std::printf("%zu wakes, %lu sleeps; %lu wakes before the switch-out, %lu kept it from sleeping\n",
              wakes.size(), sleeper.voluntary_switches(), life->early_wakes,
              life->cancelled_sleeps);
}

class Storm : public ::testing::TestWithParam<std::string> {};

TEST_P(Storm, EveryShortLifeHasNameParentStartAndExit) {
  constexpr int kChildren = 10'000;
  const absl::StatusOr<PlayedPuppet> played =
      RecordPuppet({GetParam(), "--rounds", absl::StrCat(kChildren)});
  ASSERT_TRUE(played.ok()) << played.status();
  ExpectExact(*played);
  ASSERT_EQ(played->report.children_size(), kChildren);
  const puppets::pb::Actor& parent = played->report.actors(0);
  std::map<int32_t, const ThreadLife*> lives;
  for (const ThreadLife& life : played->lives) {
    if (life.parent_tid == parent.tid()) lives[life.tid] = &life;
  }
  EXPECT_EQ(lives.size(), static_cast<size_t>(kChildren));
  uint64_t last_start_ns = 0;
  for (const int32_t child : played->report.children()) {
    ASSERT_TRUE(lives.contains(child)) << child;
    const ThreadLife& life = *lives.at(child);
    ExpectCompleteLife(life, played->disturbed);
    EXPECT_EQ(life.comm, "puppet-child");
    EXPECT_GT(life.start_time_ns, last_start_ns);  // one after the other
    last_start_ns = life.start_time_ns;
  }
}

INSTANTIATE_TEST_SUITE_P(Kinds, Storm, ::testing::Values("fork-storm", "thread-storm"),
                         [](const auto& info) {
                           return info.index == 0 ? "Processes" : "Threads";
                         });

// The number of the whole disk that a file system's device is a part of.
uint32_t WholeDisk(uint64_t major, uint64_t minor) {
  const std::string folder = absl::StrCat("/sys/dev/block/", major, ":", minor);
  if (!std::filesystem::exists(folder + "/partition")) return DiskId(major, minor);
  const std::string text = ReadSmallFile(folder + "/../dev").value_or("");
  const size_t colon = std::min(text.find(':'), text.size() - 1);
  const std::string_view view = text;
  return DiskId(ParseNumber<uint32_t>(view.substr(0, colon)).value_or(0),
                ParseNumber<uint32_t>(view.substr(colon + 1)).value_or(0));
}

TEST(Puppets, WhoWaitsForTheDiskIsWokenByThatDisk) {
  constexpr uint64_t kRounds = 20;
  const absl::StatusOr<PlayedPuppet> played =
      RecordUndisturbed({"disk-sync", "--rounds", absl::StrCat(kRounds), "--directory",
                         std::filesystem::current_path().string()});
  ASSERT_TRUE(played.ok()) << played.status();
  const auto& numbers = played->report.numbers();
  if (numbers.at("device_major") == 0) GTEST_SKIP() << "the build folder is on no disk";
  ExpectExact(*played);
  const uint32_t disk = WholeDisk(numbers.at("device_major"), numbers.at("device_minor"));
  const puppets::pb::Actor& writer = played->report.actors(0);

  std::map<int32_t, const ThreadLife*> by_tid;
  for (const ThreadLife& life : played->lives) by_tid[life.tid] = &life;
  uint64_t by_disk = 0;
  uint64_t by_kernel_thread = 0;
  for (const WakeEvent& wake : WakesOf(played->recorded, writer)) {
    const bool from_disk =
        wake.device_kind == DeviceKind::kDisk && wake.device == disk && !wake.waker_is_cause &&
        (wake.context == WakeContext::kHardirq ||
         (wake.context == WakeContext::kSoftirq && wake.vector == kBlockSoftirq));
    const bool from_kernel_thread = wake.context == WakeContext::kThread &&
                                    by_tid.contains(wake.waker_tid) &&
                                    (by_tid[wake.waker_tid]->comm.starts_with("kworker") ||
                                     by_tid[wake.waker_tid]->comm.starts_with("jbd2"));
    EXPECT_TRUE(from_disk || from_kernel_thread)
        << "by " << wake.waker_tid << " context " << static_cast<int>(wake.context) << " vector "
        << wake.vector << " device " << wake.device;
    by_disk += from_disk;
    by_kernel_thread += from_kernel_thread;
  }
  EXPECT_GE(by_disk + by_kernel_thread, kRounds);
  EXPECT_GE(by_disk, 1u);

  uint64_t written_bytes = 0;
  uint64_t writes = 0;
  for (const TraceEvent& event : played->recorded.events) {
    if (event.kind != EventKind::kBlockComplete || event.block.device != disk) continue;
    if (event.time_ns < writer.begin_ns() || event.time_ns > writer.end_ns()) continue;
    if (event.block.operation != BlockOperation::kWrite) continue;
    ++writes;
    written_bytes += event.block.bytes;
  }
  EXPECT_GE(writes, kRounds);
  EXPECT_GE(written_bytes, kRounds * numbers.at("block_bytes"));
}

}  // namespace
}  // namespace gordian::testing
