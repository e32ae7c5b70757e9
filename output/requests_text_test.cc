// SPDX-License-Identifier: Apache-2.0
#include "output/requests_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace gordian {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

pb::RequestTime& AddTime(const std::string& kind, const std::string& who, double share,
                         google::protobuf::RepeatedPtrField<pb::RequestTime>& times) {
  pb::RequestTime& time = *times.Add();
  time.set_kind(kind);
  time.set_who(who);
  time.set_share(share);
  return time;
}

pb::Requests ManyRequests() {
  pb::Requests requests;
  requests.set_found_by("packets");
  pb::RequestPort& port = *requests.add_ports();
  port.set_port(80);
  port.add_servers("web");
  port.set_requests(2000);
  port.set_mean_ns(3'000'000);
  port.set_open_at_once(16);
  for (const double quantile : {0.5, 0.9, 0.99, 0.999, 1.0}) {
    pb::RequestPercentile& percentile = *port.add_percentiles();
    percentile.set_quantile(quantile);
    percentile.set_latency_ns(static_cast<uint64_t>(quantile * 12e6));
    const bool is_slow = quantile >= 0.99;
    pb::RequestTime& lock =
        AddTime("lock", "compaction", is_slow ? 0.84 : 0.1, *percentile.mutable_times());
    AddTime("disk", "compaction", 0.75, *lock.mutable_causes());
    AddTime("run", "compaction", 0.25, *lock.mutable_causes());
    AddTime("run", "web", is_slow ? 0.155 : 0.895, *percentile.mutable_times());
    AddTime("timer", "timer", 0.005, *percentile.mutable_times());
  }
  return requests;
}

TEST(RequestsText, BeginsWithWhatHoldsTheSlowOnes) {
  const std::string text = RequestsText(ManyRequests(), {});
  EXPECT_THAT(text, StartsWith("The 99th percentile of 2,000 requests to port 80 (web) is 11.9 "
                               "ms. 84 % of its\ntime: waits for a lock of compaction (75 % of "
                               "that: it waits for a disk).\n"));
  EXPECT_THAT(text, HasSubstr("2,000 requests, 3 ms on average, up to 16 open at once."));
}

TEST(RequestsText, LeavesTheAddressOfALocalServiceAsItIs) {
  pb::Requests requests = ManyRequests();
  requests.mutable_ports(0)->set_service("unix:/run/web.sock");
  EXPECT_THAT(RequestsText(requests, {}), HasSubstr("\nunix:/run/web.sock (web): 2,000 requests"));
}

TEST(RequestsText, HasARowForEachThingThatTimeWentTo) {
  const std::string text = RequestsText(ManyRequests(), {});
  EXPECT_THAT(text, HasSubstr("WHERE THE TIME GOES"));
  EXPECT_THAT(text, HasSubstr("\nwaits for a lock of compaction "));
  EXPECT_THAT(text, HasSubstr("\n  it waits for a disk "));
  EXPECT_THAT(text, HasSubstr("\nruns: web "));
  // What is less than a hundredth everywhere stands together.
  EXPECT_THAT(text, Not(HasSubstr("sleeps")));
  EXPECT_THAT(text, HasSubstr("\n(others) "));
  EXPECT_THAT(RequestsText(ManyRequests(), {.most_rows = 1}), Not(HasSubstr("\nwaits for a lock")));
}

TEST(RequestsText, TellsTheMedianOfAFew) {
  pb::Requests requests = ManyRequests();
  requests.mutable_ports(0)->set_requests(20);
  EXPECT_THAT(RequestsText(requests, {}), StartsWith("The median of 20 requests "));
}

TEST(RequestsText, CountsWhatIsMissing) {
  pb::Requests requests = ManyRequests();
  pb::RequestCounter& counter = *requests.add_counters();
  counter.set_name("requests_without_answer");
  counter.set_value(1234);
  EXPECT_THAT(RequestsText(requests, {}), HasSubstr("\n1,234: Requests that were open "));
}

TEST(RequestsText, CutsLongNamesInTables) {
  pb::Requests requests = ManyRequests();
  pb::RequestPort& port = *requests.mutable_ports(0);
  for (pb::RequestPercentile& percentile : *port.mutable_percentiles())
    for (pb::RequestTime& time : *percentile.mutable_times()) time.set_who(std::string(200, 'w'));
  pb::RequestTold& slow = *port.add_slowest();
  slow.set_client("[2001:db8:1234:5678:9abc:def0:1234:5678]:54321");
  slow.set_latency_ns(123'456'789'012);
  AddTime("lock", std::string(200, 'w'), 0.84, *slow.mutable_times());
  const std::string text = RequestsText(requests, {});
  const size_t table = text.find("WHERE THE TIME GOES");
  for (size_t begin = table; begin < text.size();) {
    const size_t end = text.find('\n', begin);
    EXPECT_LE(end - begin, 100u) << text.substr(begin, end - begin);
    begin = end + 1;
  }
}

}  // namespace
}  // namespace gordian
