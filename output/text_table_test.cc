// SPDX-License-Identifier: Apache-2.0
#include "output/text_table.h"

#include <gtest/gtest.h>

namespace gordian {
namespace {

TEST(TextTable, ColumnsAreAsWideAsTheirWidestCell) {
  TextTable table({{"NAME"}, {"EVENTS", TextTable::Align::kRight}, {"STATE"}});
  table.AddRow({"a-long-name", "7", "recording"});
  table.AddRow({"b", "12,345,678", ""});
  EXPECT_EQ(table.ToString(),
            "NAME             EVENTS  STATE\n"
            "a-long-name           7  recording\n"
            "b            12,345,678\n");
}

TEST(TextTable, WidthIsCountedInCodePoints) {
  EXPECT_EQ(DisplayWidth("µs"), 2u);
  TextTable table({{"T"}, {"U"}});
  table.AddRow({"1 µs", "x"});
  table.AddRow({"1 ms", "y"});
  EXPECT_EQ(table.ToString(), "T     U\n1 µs  x\n1 ms  y\n");
}

}  // namespace
}  // namespace gordian
