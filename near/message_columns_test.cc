// SPDX-License-Identifier: Apache-2.0
#include "near/message_columns.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <string>

#include "schema/near.pb.h"

namespace gordian {
namespace {

std::string SomeColumns() {
  pb::NearQuestion question;
  for (uint32_t i = 0; i < 20; ++i) {
    pb::NearEntry& entry = *question.mutable_part()->add_entries();
    entry.set_thread(i);
    entry.set_at_ns(1'000'000 - 100 * i);
  }
  std::string columns;
  TakeColumns(question, columns);
  EXPECT_EQ(question.part().entries_size(), 0);
  EXPECT_TRUE(question.has_part());
  return columns;
}

// Behind the frame's checksum: what somebody made on purpose.
RC_GTEST_PROP(MessageColumns, OfStrangersAreRefusedOrRead, ()) {
  std::string columns = SomeColumns();
  const int changes = *rc::gen::inRange(1, 5);
  for (int i = 0; i < changes; ++i)
    columns[*rc::gen::inRange<size_t>(0, columns.size())] = *rc::gen::arbitrary<char>();
  columns.resize(*rc::gen::inRange<size_t>(0, columns.size() + 1));
  pb::NearQuestion question;
  const absl::Status status = AddColumns(columns, question);
  RC_ASSERT(status.ok() || absl::IsDataLoss(status));
  RC_ASSERT(static_cast<size_t>(question.part().entries_size()) <= columns.size());
}

TEST(MessageColumns, HaveNoMoreRecordsThanBytes) {
  // A list of 2^40 records at part.entries, with one column of one byte.
  std::string columns = {2, 2, 6};
  columns += "\x80\x80\x80\x80\x80\x20";
  columns += std::string({1, 1, 0, 1, 0});
  pb::NearQuestion question;
  EXPECT_TRUE(absl::IsDataLoss(AddColumns(columns, question)));
  EXPECT_EQ(question.part().entries_size(), 0);
}

TEST(MessageColumns, OfAListThatIsToldTwiceAreBothRead) {
  const std::string columns = SomeColumns();
  pb::NearQuestion question;
  ASSERT_TRUE(AddColumns(columns + columns, question).ok());
  EXPECT_EQ(question.part().entries_size(), 40);
  EXPECT_EQ(question.part().entries(39).at_ns(), 1'000'000U - 1900);
}

}  // namespace
}  // namespace gordian
