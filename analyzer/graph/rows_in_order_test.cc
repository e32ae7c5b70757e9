// SPDX-License-Identifier: Apache-2.0
#include "analyzer/graph/rows_in_order.h"

#include <gtest/gtest.h>

#include "base/parallel.h"

namespace gordian {
namespace {

TEST(RowsInOrderTest, PutsGroupsInTheirOrderWhicheverIsMadeFirst) {
  std::vector<int> rows = {7};
  RowsInOrder<int> in_order(rows);
  in_order.Put(2, {4, 5});
  EXPECT_EQ(rows, std::vector({7})) << "those before it are not there";
  in_order.Put(0, {1});
  EXPECT_EQ(rows, std::vector({7, 1}));
  in_order.Put(1, {});
  EXPECT_EQ(rows, std::vector({7, 1, 4, 5}));
}

TEST(RowsInOrderTest, PutsGroupsOfManyThreadsInTheirOrder) {
  std::vector<size_t> rows;
  RowsInOrder<size_t> in_order(rows);
  ParallelFor(4, 1000, [&](size_t group, int) { in_order.Put(group, {group, group}); });
  ASSERT_EQ(rows.size(), 2000u);
  for (size_t i = 0; i < rows.size(); ++i) EXPECT_EQ(rows[i], i / 2);
}

}  // namespace
}  // namespace gordian
