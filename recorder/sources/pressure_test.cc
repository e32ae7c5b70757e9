// SPDX-License-Identifier: Apache-2.0
#include "recorder/sources/pressure.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <string>

#include "recorder/sources/fixture_tree.h"

namespace gordian {
namespace {

using ::testing::DoubleNear;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Pair;

constexpr uint64_t kTenSecondsNs = 10'000'000'000;

std::string Lines(uint64_t some_us, uint64_t full_us) {
  return "some avg10=1.00 avg60=0.00 avg300=0.00 total=" + std::to_string(some_us) +
         "\nfull avg10=0.00 avg60=0.00 avg300=0.00 total=" + std::to_string(full_us) + "\n";
}

class PressureTest : public ::testing::Test {
 protected:
  std::map<std::string, double> SampleAt(Pressure& pressure, uint64_t now_ns) {
    pb::ResourceBlock block;
    ResourceSink sink(now_ns, block);
    pressure.Sample(sink, missed_);
    std::map<std::string, double> values;
    for (const pb::ResourceSample& sample : block.samples())
      values[block.resources(static_cast<int>(sample.resource())).name()] = sample.value();
    return values;
  }

  FixtureTree tree_;
  uint64_t missed_ = 0;
};

TEST_F(PressureTest, IsTheShareOfTheTimeInWhichThreadsWaited) {
  tree_.Write("proc/pressure/memory", Lines(1'000'000, 0));
  Pressure pressure(tree_.paths());
  EXPECT_THAT(SampleAt(pressure, kTenSecondsNs), IsEmpty());
  tree_.Write("proc/pressure/memory", Lines(4'000'000, 500'000));
  EXPECT_THAT(SampleAt(pressure, 2 * kTenSecondsNs),
              ElementsAre(Pair("memory/full", DoubleNear(0.05e9, 1)),
                          Pair("memory/some", DoubleNear(0.3e9, 1))));
  EXPECT_EQ(missed_, 0u);
}

TEST_F(PressureTest, IsNotMissedWhereTheKernelKeepsNoAccount) {
  Pressure pressure(tree_.paths());
  SampleAt(pressure, kTenSecondsNs);
  EXPECT_THAT(SampleAt(pressure, 2 * kTenSecondsNs), IsEmpty());
  EXPECT_EQ(missed_, 0u);
}

TEST_F(PressureTest, CountsLinesThatMakeNoSense) {
  tree_.Write("proc/pressure/io", "some avg10=0.00 total=\nfull\nodd total=5\n");
  Pressure pressure(tree_.paths());
  EXPECT_THAT(SampleAt(pressure, kTenSecondsNs), IsEmpty());
  EXPECT_EQ(missed_, 2u);
}

}  // namespace
}  // namespace gordian
