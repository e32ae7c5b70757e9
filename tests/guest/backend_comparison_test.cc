// SPDX-License-Identifier: Apache-2.0
#include "tests/guest/backend_comparison.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

namespace gordian {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

// The output of the workload program, with as many waits as the tests below record.
constexpr char kReportJson[] = R"({"disk": {"major": 254, "minor": 16}, "threads": [
  {"role": "ping", "tid": 11, "woken_by": "pong", "context": "thread", "operations": 1, "in_turns": true, "blocks": 1},
  {"role": "syncer", "tid": 12, "woken_by": "", "context": "disk", "operations": 1, "in_turns": false, "blocks": 2},
  {"role": "client", "tid": 13, "woken_by": "server", "context": "net", "operations": 1, "in_turns": true, "blocks": 1},
  {"role": "server", "tid": 14, "woken_by": "client", "context": "net", "operations": 0, "in_turns": true, "blocks": 0},
  {"role": "pong", "tid": 15, "woken_by": "ping", "context": "thread", "operations": 0, "in_turns": true, "blocks": 0}
]})";

WorkloadReport Report() { return ParseWorkloadReport(kReportJson).value(); }

const WakeEvent kByPong{.wakee_tid = 11, .waker_tid = 15};
const WakeEvent kByStranger{.wakee_tid = 11, .waker_tid = 99};
const WakeEvent kByDisk{.wakee_tid = 12,
                        .waker_tid = 99,
                        .context = WakeContext::kSoftirq,
                        .waker_is_cause = false,
                        .device_kind = DeviceKind::kDisk,
                        .vector = 4,
                        .device = DiskId(254, 16)};
const WakeEvent kByServersPacket{.wakee_tid = 13,
                                 .waker_tid = 14,
                                 .context = WakeContext::kSoftirq,
                                 .waker_is_cause = true,
                                 .device_kind = DeviceKind::kNic,
                                 .vector = 3,
                                 .device = 1};

constexpr int kSoftirqThread = 97;
const ThreadNames kNames = {{11, "ping"},   {12, "syncer"}, {13, "client"},
                            {14, "server"}, {15, "pong"},   {kSoftirqThread, "ksoftirqd/0"}};

// A recording in which every wake ends a wait of its wakee.
CausesByRole Recording(const std::vector<WakeEvent>& wakes) {
  WaitCauses causes;
  for (const WakeEvent& wake : wakes) {
    TraceEvent event{};
    event.sched_switch = {.prev_tid = wake.wakee_tid, .prev_state = kStateInterruptible};
    causes.Add(event);
    event.kind = EventKind::kWake;
    event.wake = wake;
    causes.Add(event);
    event.kind = EventKind::kSwitch;
    event.sched_switch = {.next_tid = wake.wakee_tid};
    causes.Add(event);
  }
  return DescribeCauses(causes, kNames, Report());
}

const CausesByRole kTrue = Recording({kByPong, kByDisk, kByDisk, kByServersPacket});

TEST(BackendComparison, ATrueRecordingHasNoFindings) {
  EXPECT_THAT(CheckAgainstWorkload(kTrue, Report()), IsEmpty());
  EXPECT_THAT(CompareCauses(kTrue, kTrue, Report()), IsEmpty());
}

TEST(BackendComparison, AWrongWakerIsFound) {
  const CausesByRole wrong = Recording({kByStranger, kByDisk, kByDisk, kByServersPacket});
  EXPECT_THAT(
      CheckAgainstWorkload(wrong, Report()),
      ElementsAre("ping was woken 1 by thread somebody else; the truth is 1 by thread pong"));
  EXPECT_THAT(CompareCauses(kTrue, wrong, Report()),
              ElementsAre("ping was woken 1 by thread pong against 1 by thread somebody else"));
}

TEST(BackendComparison, AMissingWaitIsFound) {
  const CausesByRole wrong = Recording({kByPong, kByDisk, kByServersPacket});
  EXPECT_THAT(CheckAgainstWorkload(wrong, Report()),
              ElementsAre("syncer was woken 1 by disk 254:16; the truth is 2 by disk 254:16"));
}

TEST(BackendComparison, ALostDeviceIsFound) {
  WakeEvent without_device = kByDisk;
  without_device.device_kind = DeviceKind::kNone;
  const CausesByRole wrong = Recording({kByPong, without_device, without_device, kByServersPacket});
  EXPECT_THAT(CheckAgainstWorkload(wrong, Report()),
              ElementsAre(HasSubstr("syncer was woken 2 by softirq 4")));
  EXPECT_THAT(CompareCauses(kTrue, wrong, Report()), ElementsAre(HasSubstr("syncer")));
}

TEST(BackendComparison, AnInterruptedThreadTakenForTheSenderIsFound) {
  WakeEvent blamed = kByServersPacket;
  blamed.waker_tid = 11;
  const CausesByRole wrong = Recording({kByPong, kByDisk, kByDisk, blamed});
  EXPECT_THAT(CompareCauses(kTrue, wrong, Report()),
              ElementsAre("client was woken 1 by packet of server through interface 1 against "
                          "1 by packet of ping through interface 1"));
}

// Twenty waits of client, `handed_over` of them ended by packets that ksoftirqd took over.
std::vector<std::string> FindingsOfHandedOver(int handed_over, int by_thread) {
  WorkloadReport report = Report();
  report.threads = {report.threads[2], report.threads[3]};
  report.threads[0].operations = report.threads[0].blocks = 20;
  WakeEvent taken_over = kByServersPacket;
  taken_over.waker_tid = by_thread;
  taken_over.waker_is_cause = false;
  std::vector<WakeEvent> wakes(20, kByServersPacket);
  std::fill_n(wakes.begin(), handed_over, taken_over);
  return CheckAgainstWorkload(Recording(wakes), report);
}

TEST(BackendComparison, AFewPacketsMayBeHandedToTheSoftirqThreadButToNobodyElse) {
  EXPECT_THAT(FindingsOfHandedOver(2, kSoftirqThread), IsEmpty());
  EXPECT_THAT(FindingsOfHandedOver(3, kSoftirqThread),
              ElementsAre(HasSubstr("3 by packet handed to ksoftirqd")));
  EXPECT_THAT(FindingsOfHandedOver(1, 99), ElementsAre(HasSubstr("1 by packet of unknown sender")));
}

TEST(BackendComparison, AsManyWakesMayBeUnseenAsTheKernelSkippedPrograms) {
  const CausesByRole unseen = {{"ping", {{"nothing that was seen", 1}}},
                               {"syncer", {{"disk 254:16", 1}, {"nothing that was seen", 1}}},
                               {"client", {{"packet of server through interface 1", 1}}}};
  for (const uint64_t skipped : {0, 1, 2}) {
    CausesByRole causes = unseen;
    ForgiveUnseenWakes(skipped, Report(), causes);
    EXPECT_EQ(CheckAgainstWorkload(causes, Report()).size(), 2 - skipped) << skipped;
  }
}

TEST(BackendComparison, AThreadWithoutItsNameIsFound) {
  EXPECT_THAT(CheckNames(kNames, Report()), IsEmpty());
  ThreadNames names = kNames;
  names[11] = "workload";
  names.erase(15);
  EXPECT_THAT(CheckNames(names, Report()),
              ElementsAre("ping was taken for workload", "pong was taken for somebody else"));
}

TEST(BackendComparison, DiskCompletionsMayDifferInNumberButTurnsMayNot) {
  EXPECT_THAT(CompareCauses(kTrue, Recording({kByPong, kByDisk, kByServersPacket}), Report()),
              IsEmpty());
  EXPECT_THAT(
      CompareCauses(kTrue, Recording({kByPong, kByPong, kByDisk, kByServersPacket}), Report()),
      ElementsAre("ping was woken 1 by thread pong against 2 by thread pong"));
}

TEST(BackendComparison, AWorkloadOutOfStepIsFound) {
  WorkloadReport report = Report();
  report.threads[0].operations = 2;
  EXPECT_THAT(
      CheckAgainstWorkload(kTrue, report),
      ElementsAre("ping blocked 1 times in 2 operations: the workload did not run as it should"));
}

TEST(WorkloadReport, WhatIsNoReportIsRefused) {
  EXPECT_FALSE(ParseWorkloadReport("").ok());
  EXPECT_FALSE(ParseWorkloadReport("{}").ok());
  EXPECT_FALSE(ParseWorkloadReport(R"({"threads": [{"role": "ping"}]})").ok());
  EXPECT_FALSE(ParseWorkloadReport(R"({"threads": [{"tid": 1}]})").ok());
}

}  // namespace
}  // namespace gordian
