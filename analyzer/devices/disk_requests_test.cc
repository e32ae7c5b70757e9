// SPDX-License-Identifier: Apache-2.0
// When a disk was busy, of the requests and completions that were seen.
#include "analyzer/devices/disk_requests.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>

namespace gordian {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr uint64_t kEndNs = 100;

BlockRecord Issue(uint64_t time_ns, uint64_t sector) {
  return {.time_ns = time_ns, .sector = sector};
}
// Without its service time it does not tell which request it ends.
BlockRecord Complete(uint64_t time_ns, uint64_t sector, uint64_t service_ns = 0) {
  return {.time_ns = time_ns, .sector = sector, .service_ns = service_ns, .complete = true};
}

constexpr uint64_t kNever = UINT64_MAX;

// Of threads that never wait for the disk.
DiskTimes TimesOf(const std::vector<BlockRecord>& records, const Pauses& pauses = {}) {
  return BusyTimes(records, {}, pauses, 0, kEndNs, [](EntityId, uint64_t) { return kNever; });
}
std::vector<Stretch> BusyOf(const std::vector<BlockRecord>& records) {
  const DiskTimes times = TimesOf(records);
  EXPECT_EQ(times.requests_without_end, 0u);
  return times.busy;
}

TEST(DiskRequests, KeepTheDiskBusyFromTheirIssueToTheirCompletion) {
  EXPECT_THAT(BusyOf({Issue(10, 1), Complete(20, 1), Issue(30, 1), Complete(45, 1)}),
              ElementsAre(Stretch{10, 20}, Stretch{30, 45}));
  EXPECT_THAT(BusyOf({}), IsEmpty());
}

TEST(DiskRequests, InFlightAtOnceAreOneBusyTime) {
  EXPECT_THAT(BusyOf({Issue(10, 1), Issue(15, 2), Complete(20, 1), Complete(40, 2)}),
              ElementsAre(Stretch{10, 40}));
  EXPECT_THAT(BusyOf({Issue(10, 1), Issue(12, 2), Complete(14, 2), Complete(30, 1)}),
              ElementsAre(Stretch{10, 30}))
      << "one within the other";
  EXPECT_THAT(BusyOf({Issue(10, 1), Complete(20, 1), Issue(20, 2), Complete(30, 2)}),
              ElementsAre(Stretch{10, 30}))
      << "one right behind the other";
}

TEST(DiskRequests, ThatTakeNoTimeKeepNobodyBusy) {
  EXPECT_THAT(BusyOf({Issue(10, 1), Complete(10, 1)}), IsEmpty());
}

TEST(DiskRequests, WhoseIssueWasNotSeenCountFromTheTimeTheCompletionTells) {
  EXPECT_THAT(BusyOf({Complete(20, 1, 5)}), ElementsAre(Stretch{15, 20}));
  EXPECT_THAT(BusyOf({Complete(20, 1, 500)}), ElementsAre(Stretch{0, 20}))
      << "it was issued before the recording began";
}

TEST(DiskRequests, OfWhichNothingIsKnownButTheirEndCountFromTheBeginning) {
  EXPECT_THAT(BusyOf({Complete(20, 1)}), ElementsAre(Stretch{0, 20}));
}

TEST(DiskRequests, ThatHaveNotCompletedAreInFlightToTheEnd) {
  EXPECT_THAT(BusyOf({Issue(10, 1), Complete(20, 1), Issue(70, 2)}),
              ElementsAre(Stretch{10, 20}, Stretch{70, kEndNs}));
}

TEST(DiskRequests, ThatALaterOneOvertookWereDoneUnseenByTheNextCompletion) {
  // That of sector 1 never completes, although those issued at 30 and at 60 do.
  const DiskTimes times =
      TimesOf({Issue(10, 1), Issue(30, 2), Complete(40, 2), Issue(60, 3), Complete(90, 3)});
  EXPECT_THAT(times.busy, ElementsAre(Stretch{10, 40}, Stretch{60, 90}));
  EXPECT_EQ(times.requests_without_end, 1u);
}

TEST(DiskRequests, OfOneSectorAreToldApartByTheTimeTheyTook) {
  // The first of two takes 30 ns, the second is still in flight.
  EXPECT_THAT(BusyOf({Issue(10, 1), Issue(20, 1), Complete(40, 1, 30)}),
              ElementsAre(Stretch{10, kEndNs}));
  // The second is done, and the first not: that happened unseen.
  const DiskTimes times = TimesOf({Issue(10, 1), Issue(50, 1), Complete(60, 1, 10)});
  EXPECT_THAT(times.busy, ElementsAre(Stretch{10, 60}));
  EXPECT_EQ(times.requests_without_end, 1u);
}

TEST(DiskRequests, OfOneSectorAreTheNewestIfNothingTellsThemApart) {
  const DiskTimes times = TimesOf({Issue(10, 1), Issue(50, 1), Complete(60, 1)});
  EXPECT_THAT(times.busy, ElementsAre(Stretch{10, 60}));
  EXPECT_EQ(times.requests_without_end, 1u) << "the older one's completion was not seen";
}

TEST(DiskRequests, ThatNeverCompleteAreDoneWhenTheirThreadGoesOn) {
  // Thread 7 waits for its request, and goes on at 25.
  const auto goes_on = [](EntityId thread, uint64_t issue_ns) {
    return thread == 7 ? issue_ns + 15 : kNever;
  };
  const auto times = [&](const std::vector<BlockRecord>& records) {
    return BusyTimes(records, {}, {}, 0, kEndNs, goes_on);
  };
  const DiskTimes one = times({{.time_ns = 10, .sector = 1, .thread = 7}});
  EXPECT_THAT(one.busy, ElementsAre(Stretch{10, 25}));
  EXPECT_EQ(one.requests_without_end, 1u);
  const DiskTimes two =
      times({{.time_ns = 10, .sector = 1, .thread = 7}, {.time_ns = 12, .sector = 2, .thread = 7}});
  EXPECT_THAT(two.busy, ElementsAre(Stretch{10, kEndNs}))
      << "its wait may have been for the second one alone";
}

TEST(DiskRequests, ThatNeverCompleteAreDoneWhenTheirSectorIsAskedForAgain) {
  const DiskTimes times = TimesOf({Issue(10, 1), Issue(60, 1)});
  EXPECT_THAT(times.busy, ElementsAre(Stretch{10, kEndNs}));
  EXPECT_THAT(times.several, IsEmpty());
  EXPECT_EQ(times.requests_without_end, 1u);
}

TEST(DiskRequests, ThatNeverCompleteAreUnknownAfterTenTimesTheLongestService) {
  const DiskTimes times = TimesOf({Issue(1, 1), Complete(3, 1), Issue(10, 2)});
  EXPECT_THAT(times.busy, ElementsAre(Stretch{1, 3}, Stretch{10, 30}));
  EXPECT_EQ(times.requests_without_end, 1u);
}

TEST(DiskRequests, WithoutAnIssueAreNotLongerThanTheLongestOneSeen) {
  const DiskTimes times = TimesOf({Issue(10, 1), Complete(15, 1), Complete(80, 2)});
  EXPECT_THAT(times.busy, ElementsAre(Stretch{10, 15}, Stretch{75, 80}));
  EXPECT_EQ(times.requests_without_end, 1u) << "its issue was not seen";
}

TEST(DiskRequests, AreSeveralWhereTheyOverlapOrSeveralThreadsWait) {
  EXPECT_THAT(TimesOf({Issue(10, 1), Issue(15, 2), Complete(20, 1), Complete(40, 2)}).several,
              ElementsAre(Stretch{15, 20}));
  EXPECT_THAT(TimesOf({Issue(10, 1), Complete(20, 1), Issue(20, 2), Complete(40, 2)}).several,
              IsEmpty());
  // A disk that takes one at a time: the second thread waits until the first one's is done.
  const std::vector<Stretch> disk_waits = {{10, 20}, {12, 40}};
  const DiskTimes times = BusyTimes(
      std::vector<BlockRecord>{Issue(10, 1), Complete(20, 1), Issue(20, 2), Complete(40, 2)},
      disk_waits, {}, 0, kEndNs, [](EntityId, uint64_t) { return kNever; });
  EXPECT_THAT(times.several, ElementsAre(Stretch{12, 20}));
}

TEST(DiskRequests, InFlightAtAPauseAreKnownToBeUntilThen) {
  pb::Session session;
  session.add_pauses()->set_from_ns(30);
  session.mutable_pauses(0)->set_to_ns(500);
  const Pauses pauses(session, 0);
  const DiskTimes times = TimesOf({Issue(10, 1), Issue(40, 2), Complete(50, 2)}, pauses);
  EXPECT_THAT(times.busy, ElementsAre(Stretch{10, 30}, Stretch{40, 50}));
  EXPECT_EQ(times.requests_without_end, 0u) << "it may well have completed in the pause";
}

// All requests are seen, each of a sector of its own: the disk is busy whenever one is in flight.
RC_GTEST_PROP(DiskRequests, SeenWholeKeepTheDiskBusyWheneverOneIsInFlight, ()) {
  const auto starts_ns =
      *rc::gen::container<std::vector<uint64_t>>(rc::gen::inRange<uint64_t>(0, kEndNs - 1));
  std::vector<Stretch> requests;
  std::vector<BlockRecord> records;
  for (const uint64_t start_ns : starts_ns) {
    const auto end_ns = *rc::gen::inRange<uint64_t>(start_ns, kEndNs);
    const bool tells_service_time = *rc::gen::arbitrary<bool>();
    const uint64_t sector = requests.size();
    requests.push_back({start_ns, end_ns});
    records.push_back(Issue(start_ns, sector));
    records.push_back(Complete(end_ns, sector, tells_service_time ? end_ns - start_ns : 0));
  }
  std::stable_sort(records.begin(), records.end(), [](const BlockRecord& a, const BlockRecord& b) {
    return a.time_ns < b.time_ns;
  });
  const DiskTimes times = TimesOf(records);
  RC_ASSERT(times.requests_without_end == 0u);
  for (uint64_t time_ns = 0; time_ns < kEndNs; ++time_ns) {
    const auto holds = [time_ns](const Stretch& stretch) {
      return stretch.from_ns <= time_ns && time_ns < stretch.to_ns;
    };
    RC_ASSERT(std::any_of(requests.begin(), requests.end(), holds) ==
              std::any_of(times.busy.begin(), times.busy.end(), holds));
  }
  for (size_t i = 1; i < times.busy.size(); ++i)
    RC_ASSERT(times.busy[i - 1].to_ns < times.busy[i].from_ns);
}

// Any records may be missing: issues and completions without a match, of a few sectors.
RC_GTEST_PROP(DiskRequests, GiveBusyTimesWithinTheRecordingWhateverIsMissing, ()) {
  auto times_ns = *rc::gen::container<std::vector<uint64_t>>(rc::gen::inRange<uint64_t>(0, kEndNs));
  std::sort(times_ns.begin(), times_ns.end());
  std::vector<BlockRecord> records;
  for (const uint64_t time_ns : times_ns) {
    const auto sector = *rc::gen::inRange<uint64_t>(0, 3);
    records.push_back(*rc::gen::arbitrary<bool>()
                          ? Issue(time_ns, sector)
                          : Complete(time_ns, sector, *rc::gen::inRange<uint64_t>(0, 150)));
  }
  const DiskTimes times = TimesOf(records);
  uint64_t before_ns = 0;
  for (const Stretch& busy : times.busy) {
    RC_ASSERT(busy.from_ns < busy.to_ns);
    RC_ASSERT(before_ns == 0u || before_ns < busy.from_ns);
    before_ns = busy.to_ns;
  }
  RC_ASSERT(before_ns <= kEndNs);
}

// One request after the other, evenly: some completions are missing, at random.
RC_GTEST_PROP(DiskRequests, KeepTheDiskAboutAsBusyAsItWasWhateverCompletionsAreMissing, ()) {
  constexpr uint64_t kPeriodNs = 100;
  constexpr uint64_t kRequests = 200;
  const auto service_ns = *rc::gen::inRange<uint64_t>(1, kPeriodNs);
  const auto missing_percent = *rc::gen::inRange<int>(0, 60);
  std::vector<BlockRecord> records;
  for (uint64_t i = 0; i < kRequests; ++i) {
    records.push_back({.time_ns = i * kPeriodNs, .sector = i, .thread = 7});
    if (*rc::gen::inRange<int>(0, 100) >= missing_percent)
      records.push_back(Complete(i * kPeriodNs + service_ns, i, service_ns));
  }
  const DiskTimes times =
      BusyTimes(records, {}, {}, 0, kRequests * kPeriodNs,
                [&](EntityId, uint64_t issue_ns) { return issue_ns + service_ns; });
  uint64_t busy_ns = 0;
  for (const Stretch& busy : times.busy) busy_ns += busy.to_ns - busy.from_ns;
  RC_ASSERT(busy_ns == kRequests * service_ns);
  RC_ASSERT(times.several.empty());
}

}  // namespace
}  // namespace gordian
