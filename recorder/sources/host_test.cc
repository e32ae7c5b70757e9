// SPDX-License-Identifier: Apache-2.0
#include "recorder/sources/host.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <net/if.h>
#include <unistd.h>

#include <map>
#include <string>

#include "recorder/sources/clock.h"
#include "trace/trace_event.h"

namespace gordian {
namespace {

using ::testing::ElementsAre;
using ::testing::IsSupersetOf;
using ::testing::Pair;

pb::Session SmallMachine() {
  const std::string root = GORDIAN_TESTDATA "/small_machine";
  pb::Session session;
  FillHost({root + "/proc", root + "/sys"}, session);
  return session;
}

TEST(Host, IsReadFromTheTreesGiven) {
  const pb::Session session = SmallMachine();
  EXPECT_EQ(session.host().hostname(), "node-17");
  EXPECT_EQ(session.host().boot_id(), "0c7b1f3e-5a1d-4a8e-9a53-1f0f3b1a2c4d");
  EXPECT_EQ(session.host().kernel_release(), "6.1.0-fixture");
  EXPECT_EQ(session.host().cpus(), 9u);  // possible is 0-3,8
  EXPECT_EQ(session.host().memory_bytes(), 16384u * 1024);
}

TEST(Host, DisksHaveNumberSizeAndKindAndEmptyOnesAreLeftOut) {
  std::map<std::string, pb::Disk> disks;
  const pb::Session session = SmallMachine();
  for (const pb::Disk& disk : session.disks()) disks[disk.name()] = disk;
  EXPECT_EQ(disks.size(), 3u);
  EXPECT_EQ(disks["vda"].device(), DiskId(254, 0));
  EXPECT_EQ(disks["vda"].size_bytes(), 2048u * 512);
  EXPECT_FALSE(disks["vda"].rotational());
  EXPECT_TRUE(disks["sda"].rotational());
  EXPECT_EQ(disks["nvme0n1"].device(), DiskId(259, 5));
}

TEST(Host, InterfacesHaveTheSpeedTheKernelKnows) {
  std::map<std::string, pb::Interface> interfaces;
  const pb::Session session = SmallMachine();
  for (const pb::Interface& interface : session.interfaces()) {
    interfaces[interface.name()] = interface;
  }
  EXPECT_TRUE(interfaces["lo"].loopback());
  EXPECT_FALSE(interfaces["fixture0"].loopback());
  EXPECT_EQ(interfaces["fixture0"].index(), 2u);
  EXPECT_EQ(interfaces["fixture0"].bits_per_second(), 10'000'000'000u);
  EXPECT_EQ(interfaces["fixture1"].bits_per_second(), 0u);
}

TEST(Host, IrqsAreNamedByWhoAskedForThem) {
  std::map<uint32_t, std::string> irqs;
  const pb::Session session = SmallMachine();
  for (const pb::Irq& irq : session.irqs()) irqs[irq.number()] = irq.name();
  EXPECT_THAT(irqs, ElementsAre(Pair(8, "rtc0"), Pair(24, "ACPI:Ged"), Pair(36, "virtio1-req.0"),
                                Pair(40, "arch_timer, watchdog"), Pair(41, "IO-APIC")));
}

TEST(Host, OnThisMachineTheLoopbackIsThereWithItsAddress) {
  pb::Session session;
  FillHost(SystemPaths{}, session);
  FillHost(SystemPaths{}, session);  // fills anew, not twice
  EXPECT_FALSE(session.host().kernel_release().empty());
  EXPECT_GE(session.host().cpus(), sysconf(_SC_NPROCESSORS_ONLN));
  EXPECT_GT(session.host().memory_bytes(), 0u);
  int loopbacks = 0;
  for (const pb::Interface& interface : session.interfaces()) {
    EXPECT_EQ(interface.index(), if_nametoindex(interface.name().c_str()));
    if (!interface.loopback()) continue;
    ++loopbacks;
    EXPECT_THAT(interface.addresses(), IsSupersetOf({"127.0.0.1"}));
  }
  EXPECT_EQ(loopbacks, 1);
}

TEST(Clock, APairStandsBetweenTheReadingsAroundItAndIsTight) {
  const uint64_t before_ns = MonotonicNowNs();
  const pb::ClockPair pair = ReadClockPair();
  const uint64_t after_ns = MonotonicNowNs();
  EXPECT_GE(pair.monotonic_ns(), before_ns);
  EXPECT_LE(pair.monotonic_ns(), after_ns);
  EXPECT_LE(pair.error_ns(), (after_ns - before_ns + 1) / 2);
  EXPECT_GT(pair.realtime_ns(), 1'500'000'000'000'000'000);  // after 2017: nanoseconds, not less
}

}  // namespace
}  // namespace gordian
