// SPDX-License-Identifier: Apache-2.0
#include "requests/load.h"

#include <gtest/gtest.h>

#include <vector>

#include "tests/support/time_literals.h"

namespace gordian {
namespace {

using namespace testing;  // NOLINT: literals of time

LoadTime LoadOf(const std::vector<Request>& requests) {
  std::vector<const Request*> pointers;
  for (const Request& request : requests) pointers.push_back(&request);
  return WhenTheyCame(pointers);
}

// One each millisecond.
std::vector<Request> FromTo(uint64_t from_ns, uint64_t to_ns) {
  std::vector<Request> requests;
  for (uint64_t at_ns = from_ns; at_ns < to_ns; at_ns += 1_ms)
    requests.push_back({.start_ns = at_ns, .answer_ns = at_ns + 400_us});
  return requests;
}

TEST(Load, LastsFromTheFirstQuestionToTheLastAnswer) {
  const LoadTime load = LoadOf(FromTo(1000_ms, 1100_ms));
  EXPECT_EQ(load.from_ns, 1000_ms);
  EXPECT_EQ(load.to_ns, 1099_ms + 400_us);
}

TEST(Load, LeavesOutAFewLongBeforeAndBehindTheOthers) {
  std::vector<Request> requests = FromTo(1000_ms, 3000_ms);
  requests.push_back({.start_ns = 10_ms, .answer_ns = 11_ms});
  requests.push_back({.start_ns = 8000_ms, .answer_ns = 8001_ms});
  const double rate = static_cast<double>(requests.size()) * 1e9 /
                      static_cast<double>(LoadOf(requests).length_ns());
  EXPECT_NEAR(rate, 1000, 5);
}

TEST(Load, OfOneRequestIsThatOne) {
  const LoadTime load = LoadOf({{.start_ns = 5_ms, .answer_ns = 9_ms}});
  EXPECT_EQ(load.from_ns, 5_ms);
  EXPECT_EQ(load.to_ns, 9_ms);
}

TEST(Load, OfNoneTakesNoTime) { EXPECT_EQ(LoadOf({}).length_ns(), 0U); }

}  // namespace
}  // namespace gordian
