// SPDX-License-Identifier: Apache-2.0
#include "output/folded_waits.h"

#include <gtest/gtest.h>

#include "report/test_reports.h"

namespace gordian {
namespace {

TEST(FoldedWaits, OneLineForEveryEdgeOfAThreadWithItsOwnWaits) {
  EXPECT_EQ(FoldedWaits(WeightedStacks(TestReport("figure1"), {}, Code()), Code()),
            "figure1;A;waits for B 8000000\n"
            "figure1;B;waits for vda 5000000\n");  // vda's idle time is no thread's wait
}

TEST(FoldedWaits, NamesCannotAddFramesOrLines) {
  EXPECT_EQ(FoldedWaits(WeightedStacks(TestReport("hostile"), {}, Code()), Code()),
            "p:q;</script><img src=x onerror=alert(1)>;waits for \uFFFD[31mred\uFFFD\\ 500000\n"
            "<!--;\uFFFD[31mred\uFFFD\\;waits for a\"]:evil[x=\"\uFFFD 250000\n");
}

}  // namespace
}  // namespace gordian
