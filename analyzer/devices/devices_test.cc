// SPDX-License-Identifier: Apache-2.0
#include "analyzer/devices/devices.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "analyzer/devices/thresholds.h"
#include "analyzer/testing/scenario_timeline.h"

namespace gordian {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

// The devices of a scenario.
class UsedDevices {
 public:
  explicit UsedDevices(const std::string& scenario, uint64_t from_ns = 0, uint64_t to_ns = 100)
      : recorded_(scenario),
        waits_(recorded_.timeline(), {}),
        uses_(UseOfDevices(waits_, recorded_.At(from_ns), recorded_.At(to_ns))) {}

  const DeviceUse& Of(const std::string& device) const {
    for (const DeviceUse& use : uses_) {
      if (Name(use.device) == device) return use;
    }
    ADD_FAILURE() << "no device " << device;
    return uses_.front();
  }
  // "A 30" for each thread that an idle device waits for, and how long.
  std::vector<std::string> IdleFor(const std::string& device) const {
    std::vector<std::string> told;
    for (const Edge& edge : Of(device).idle_edges)
      told.push_back(absl::StrCat(Name(edge.to), " ", edge.own_ns));
    return told;
  }
  const std::vector<DeviceUse>& all() const { return uses_; }

 private:
  std::string Name(EntityId id) const { return waits_.entities()[id].name; }

  ScenarioTimeline recorded_;
  Waits waits_;
  std::vector<DeviceUse> uses_;
};

constexpr char kTwoWriters[] = R"(
end 100
thread 1 A R
thread 2 B R
disk 8 vda
disk 9 vdb
0 0 switch 0 1
0 1 switch 0 2
10 0 issue 1 8 12288 100
20 0 complete 8 100 10
40 1 issue 2 8 4096 200
60 0 complete 8 200 20
70 1 issue 2 9 4096 300
90 0 complete 9 300 20
)";

TEST(Devices, AreEachBusyWithTheirOwnRequests) {
  const UsedDevices used(kTwoWriters);
  EXPECT_EQ(used.Of("vda").busy_ns, 30u);
  EXPECT_EQ(used.Of("vda").bytes, 16384u);
  EXPECT_EQ(used.Of("vda").operations, 2u);
  EXPECT_EQ(used.Of("vdb").busy_ns, 20u);
  EXPECT_EQ(used.Of("vdb").operations, 1u);
}

TEST(Devices, WaitWhileIdleForThoseWhoEndedTheirIdleTimes) {
  const UsedDevices used(kTwoWriters);
  EXPECT_THAT(used.IdleFor("vda"), ElementsAre("A 24", "B 46")) << "70 ns, one to two";
  EXPECT_THAT(used.IdleFor("vdb"), ElementsAre("B 80")) << "A had no part in it";
}

TEST(Devices, TellHowManyIdleTimesEachEndedAndTheLongest) {
  const UsedDevices used(kTwoWriters);
  EXPECT_EQ(used.Of("vda").idle_edges[0].count, 1u);
  EXPECT_EQ(used.Of("vda").idle_edges[0].longest_ns, 10u) << "from the beginning to A's request";
  EXPECT_EQ(used.Of("vda").idle_edges[1].longest_ns, 20u) << "from A's completion to B's request";
}

TEST(Devices, DoNotWaitForAThreadWhoseRequestsFoundThemBusy) {
  const UsedDevices used(R"(
end 100
thread 1 A R
thread 2 B R
disk 8 vda
0 0 switch 0 1
0 1 switch 0 2
10 0 issue 1 8 4096 100
15 1 issue 2 8 4096 200
20 0 complete 8 100 10
50 0 complete 8 200 35
)");
  EXPECT_EQ(used.Of("vda").busy_ns, 40u);
  EXPECT_THAT(used.IdleFor("vda"), ElementsAre("A 60"));
  EXPECT_EQ(used.Of("vda").idle_edges[0].count, 1u);
}

TEST(Devices, WaitForAThreadThatOnlyFlushesAsForAnyOther) {
  const UsedDevices used(R"(
end 100
thread 1 flusher R
thread 2 writer R
disk 8 vda
0 0 switch 0 1
0 1 switch 0 2
10 0 issue 1 8 0 0
20 0 complete 8 0 10
30 1 issue 2 8 4096 100
40 0 complete 8 100 10
)");
  EXPECT_THAT(used.IdleFor("vda"), ElementsAre("flusher 40", "writer 40"));
  EXPECT_EQ(used.Of("vda").bytes, 4096u) << "what was written is told as it is";
}

TEST(Devices, HardlyWaitForAThreadThatWroteALargeFileOnce) {
  const UsedDevices used(R"(
end 100
thread 1 loader R
thread 2 server R
disk 8 vda
0 0 switch 0 1
0 1 switch 0 2
1 0 issue 1 8 1000000000 100
20 0 complete 8 100 19
40 1 issue 2 8 4096 200
50 0 complete 8 200 10
80 1 issue 2 8 4096 300
90 0 complete 8 300 10
)");
  EXPECT_THAT(used.IdleFor("vda"), ElementsAre("loader 2", "server 59"));
}

TEST(Devices, ThatGotNoWorkWaitForNobody) {
  // A completion alone: the thread that asked is not known.
  const UsedDevices used(R"(
end 100
thread 1 A R
disk 8 vda
0 0 switch 0 1
20 0 complete 8 100 5
)");
  EXPECT_EQ(used.Of("vda").busy_ns, 5u);
  EXPECT_THAT(used.IdleFor("vda"), IsEmpty());
}

TEST(Devices, ThatNobodyHadToDoWithAreNotThere) {
  EXPECT_THAT(UsedDevices("end 100\nthread 1 A R\ndisk 8 vda\n0 0 switch 0 1\n").all(), IsEmpty());
}

TEST(Devices, AreLookedAtInTheRangeOnly) {
  const UsedDevices used(kTwoWriters, 15, 50);
  EXPECT_EQ(used.Of("vda").busy_ns, 15u) << "until 20, and from 40 on";
  EXPECT_EQ(used.Of("vda").operations, 1u) << "A's request was made before";
  EXPECT_THAT(used.IdleFor("vda"), ElementsAre("B 20"));
  EXPECT_EQ(used.Of("vdb").operations, 0u);
  EXPECT_THAT(used.IdleFor("vdb"), IsEmpty());
}

TEST(Devices, OfAKnownSpeedAreBusyForAsLongAsTheirBytesTake) {
  // 8 bits a nanosecond: a byte each.
  const UsedDevices used(R"(
end 100
thread 1 A R
thread 2 B R
nic 2 eth0 8000000000
0 0 switch 0 1
0 1 switch 0 2
10 0 send 1 2 30
20 1 send 2 2 10
)");
  EXPECT_EQ(used.Of("eth0").busy_ns, 40u);
  EXPECT_EQ(used.Of("eth0").operations, 2u);
  EXPECT_THAT(used.IdleFor("eth0"), ElementsAre("A 30", "B 30"))
      << "small packets count as a page each";
}

TEST(Devices, AreBusyInTheDirectionThatHasMore) {
  const char* const lines = R"(
end 100
thread 1 A R
nic 2 eth0 8000000000
0 0 switch 0 1
10 0 send 1 2 30
20 0 receive 2 RECEIVED
)";
  const auto busy_ns = [lines](const char* received) {
    const UsedDevices used(absl::StrReplaceAll(lines, {{"RECEIVED", received}}));
    EXPECT_EQ(used.Of("eth0").bytes, 30u + static_cast<uint64_t>(std::atoi(received)));
    return used.Of("eth0").busy_ns;
  };
  EXPECT_EQ(busy_ns("10"), 30u);
  EXPECT_EQ(busy_ns("45"), 45u);
}

TEST(Devices, WaitForNobodyWhoOnlyReceivesThroughThem) {
  const UsedDevices used(R"(
end 100
thread 1 A R
nic 2 eth0 8000000000
0 0 switch 0 1
20 0 receive 2 10
)");
  EXPECT_EQ(used.Of("eth0").busy_ns, 10u);
  EXPECT_THAT(used.IdleFor("eth0"), IsEmpty());
}

TEST(Devices, ThatLeadBackToTheMachineItselfAreNeverFull) {
  const UsedDevices used(R"(
end 100
thread 1 A R
nic 1 lo loopback
0 0 switch 0 1
10 0 send 1 1 5000
)");
  EXPECT_EQ(used.Of("lo").busy_ns, 0u);
  EXPECT_THAT(used.IdleFor("lo"), ElementsAre("A 100"));
}

TEST(Devices, ThatWereGivenMoreThanTheyCanAreBusyAllTheTime) {
  const UsedDevices used(R"(
end 100
thread 1 A R
nic 2 eth0 8000000000
0 0 switch 0 1
10 0 send 1 2 5000
)");
  EXPECT_EQ(used.Of("eth0").busy_ns, 100u);
  EXPECT_THAT(used.IdleFor("eth0"), IsEmpty());
}

TEST(Devices, WhoseSpeedNobodyKnowsAreNeverFull) {
  const UsedDevices used(R"(
end 100
thread 1 A R
nic 2 eth0
0 0 switch 0 1
10 0 send 1 2 4000000
)");
  EXPECT_EQ(used.Of("eth0").busy_ns, 0u);
  EXPECT_THAT(used.IdleFor("eth0"), ElementsAre("A 100"));
}

TEST(Devices, WaitForAVirtualThreadWhereShortLivedOnesGaveThemWork) {
  std::string scenario = "end 100\nthread 1 main R\ndisk 8 vda\n0 0 switch 0 1\n";
  for (int i = 0; i < 3; ++i) {
    const int tid = 10 + i;
    const int born_ns = 10 + 20 * i;
    absl::StrAppend(&scenario, born_ns, " 0 new ", tid, " work of 1 in 1\n", born_ns,
                    " 1 switch 0 ", tid, "\n", born_ns + 2, " 1 issue ", tid, " 8 4096 ", tid, "\n",
                    born_ns + 4, " 1 complete 8 ", tid, " 2\n", born_ns + 5, " 1 exit ", tid, "\n",
                    born_ns + 5, " 1 switch ", tid, " 0 X\n");
  }
  EXPECT_THAT(UsedDevices(scenario).IdleFor("vda"), ElementsAre("work 94"));
}

// Any requests of any threads to two disks, some of which never complete.
std::string AnyRequests() {
  std::string scenario =
      "end 100\nthread 1 A R\nthread 2 B R\nthread 3 C R\ndisk 8 vda\ndisk 9 vdb\n"
      "0 0 switch 0 1\n0 1 switch 0 2\n0 2 switch 0 3\n";
  std::multimap<uint64_t, std::string> moments;
  const auto count = *rc::gen::inRange(1, 12);
  for (int sector = 0; sector < count; ++sector) {
    const auto disk = *rc::gen::inRange(8, 10);
    const auto thread = *rc::gen::inRange(1, 4);
    const auto issued_ns = *rc::gen::inRange<uint64_t>(1, 98);
    const auto done_ns = *rc::gen::inRange<uint64_t>(issued_ns + 1, 120);
    moments.emplace(issued_ns, absl::StrCat(" 0 issue ", thread, " ", disk, " ",
                                            *rc::gen::inRange(0, 100'000), " ", sector));
    if (done_ns < 100)
      moments.emplace(done_ns,
                      absl::StrCat(" 0 complete ", disk, " ", sector, " ", done_ns - issued_ns));
  }
  for (const auto& [time_ns, what] : moments) absl::StrAppend(&scenario, time_ns, what, "\n");
  return scenario;
}

RC_GTEST_PROP(Devices, AreBusyOrWaitForThoseWhoEndedTheirIdleTimes, ()) {
  const std::string scenario = AnyRequests();
  const auto from_ns = *rc::gen::inRange<uint64_t>(0, 60);
  const auto to_ns = *rc::gen::inRange<uint64_t>(from_ns + 1, 101);
  const UsedDevices used(scenario, from_ns, to_ns);
  for (const DeviceUse& use : used.all()) {
    uint64_t idle_ns = 0;
    for (const Edge& edge : use.idle_edges) idle_ns += edge.own_ns;
    RC_ASSERT(use.busy_ns <= to_ns - from_ns);
    if (!use.idle_edges.empty()) {
      RC_ASSERT(use.busy_ns + idle_ns == to_ns - from_ns);
    } else {
      // No idle time ended meanwhile.
      RC_ASSERT(std::none_of(use.busy.begin(), use.busy.end(), [&](const Stretch& busy) {
        return from_ns < busy.from_ns && busy.from_ns < to_ns;
      }));
    }
  }
}

}  // namespace
}  // namespace gordian
