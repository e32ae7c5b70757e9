// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <span>
#include <string>
#include <vector>

#include "store/entry_format.h"
#include "store/store.h"
#include "store/store_fixture.h"

namespace gordian {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

class StoreMembersTest : public StoreFixture {};

TEST_F(StoreMembersTest, AreSeveralResultsInOneEntry) {
  const Store store = Open();
  auto writer = store.Begin(KeyOf("timelines"), "/recordings/one");
  ASSERT_TRUE(writer.ok()) << writer.status();
  const std::vector<std::string> texts = {"first", NoisyText(100'000), ""};
  for (size_t i = 0; i < texts.size(); ++i) {
    writer->BeginMember(std::to_string(i));
    writer->AddBytes("content", BytesOfText(texts[i]));
    writer->AddBytes("more content", BytesOfText("more of " + std::to_string(i)));
  }
  ASSERT_TRUE(writer->Commit().ok());

  auto entry = store.Find(KeyOf("timelines"));
  ASSERT_TRUE(entry.ok()) << entry.status();
  EXPECT_FALSE(entry->Has("content"));
  std::vector<StoredEntry> members;
  for (size_t i = 0; i < texts.size(); ++i) members.push_back(*entry->Member(std::to_string(i)));
  EXPECT_TRUE(absl::IsNotFound(entry->Member("3").status()));
  *entry = *store.Find(KeyOf("timelines"));
  for (size_t i = 0; i < texts.size(); ++i) {
    EXPECT_THAT(members[i].Sections(), ElementsAre("content", "more content"));
    EXPECT_EQ(TextOfBytes(*members[i].Section("content")), texts[i]);
    EXPECT_EQ(TextOfBytes(*members[i].Section("more content")), "more of " + std::to_string(i));
    EXPECT_FALSE(members[i].Has("1/content"));
  }
}

// Pages of the one are given back while the other is in use.
TEST_F(StoreMembersTest, HaveNoPageInCommon) {
  const Store store = Open();
  auto writer = store.Begin(KeyOf("timelines"), "/recordings/one");
  ASSERT_TRUE(writer.ok()) << writer.status();
  for (const char* name : {"a", "b"}) {
    writer->BeginMember(name);
    writer->AddBytes("content", BytesOfText(NoisyText(5'000)));
    writer->AddBytes("more content", BytesOfText(name));
  }
  ASSERT_TRUE(writer->Commit().ok());
  auto entry = store.Find(KeyOf("timelines"));
  auto first = *entry->Member("a");
  auto second = *entry->Member("b");
  EXPECT_THAT(first.Mapped(), IsEmpty());
  ASSERT_TRUE(first.Section("more content").ok());
  ASSERT_TRUE(first.Section("content").ok());
  ASSERT_TRUE(second.Section("content").ok());
  ASSERT_EQ(first.Mapped().size(), 1u);
  ASSERT_EQ(second.Mapped().size(), 1u);
  const std::span<const std::byte> of_first = first.Mapped().front();
  EXPECT_EQ(of_first.data() + RoundUpToPage(of_first.size()), second.Mapped().front().data());
  ASSERT_TRUE(first.MutableSection("content").ok());
  EXPECT_THAT(first.Mapped(), IsEmpty()) << "what was changed would be lost";
  EXPECT_EQ(second.Mapped().size(), 1u);
}

}  // namespace
}  // namespace gordian
