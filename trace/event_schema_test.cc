// SPDX-License-Identifier: Apache-2.0
// The schema of events holds all that its users rely on, and the documentation agrees with it.
#include "trace/event_schema.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <iterator>
#include <set>

#include "trace/event_tables.h"

namespace gordian {
namespace {

using ::testing::EndsWith;

TEST(EventSchema, NamesEveryKindOnce) {
  std::set<std::string> names;
  for (const EventSchema& schema : EventSchemas()) {
    EXPECT_EQ(FindSchema(schema.kind), &schema);
    EXPECT_STREQ(EventKindName(schema.kind), schema.name);
    EXPECT_TRUE(names.insert(schema.name).second) << schema.name;
  }
  EXPECT_EQ(FindSchema(EventKind{0}), nullptr);
  EXPECT_EQ(FindSchema(EventKind{kEventKinds}), nullptr);
  EXPECT_STREQ(EventKindName(EventKind{kEventKinds}), "unknown");
}

// JSON tells a thread's name beside its number: waker_comm beside waker_tid.
TEST(EventSchema, CallsEveryThreadATid) {
  for (const EventSchema& schema : EventSchemas())
    for (const EventField& field : schema.fields)
      if (field.coding == Coding::kThread) {
        EXPECT_THAT(field.name, EndsWith("tid")) << schema.name;
      }
}

TEST(EventSchema, NamesEachFieldOfAKindOnceUnlessItIsShownInTwoWays) {
  for (const EventSchema& schema : EventSchemas()) {
    std::set<std::string> stored;
    for (const EventField& field : schema.fields)
      if (field.is_stored()) {
        EXPECT_TRUE(stored.insert(field.name).second) << schema.name << " " << field.name;
      }
  }
}

// Columns that several fields share are plain numbers, and no two of them hold the same bits.
TEST(EventSchema, PartsOfAColumnDoNotOverlap) {
  for (const EventSchema& schema : EventSchemas())
    for (const EventField& a : schema.fields)
      for (const EventField& b : schema.fields) {
        if (&a == &b || !a.is_stored() || !b.is_stored() || std::string(a.column) != b.column)
          continue;
        EXPECT_EQ(a.coding, Coding::kPlain) << schema.name << " " << a.name;
        EXPECT_EQ((a.mask() << a.shift) & (b.mask() << b.shift), 0u)
            << schema.name << " " << a.name << " " << b.name;
      }
}

std::string ReadFile(const std::string& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

// Between the two marks of `page` stands `table`. GORDIAN_WRITE_TABLES=1 puts it there.
void ExpectTable(const std::string& page, const std::string& table) {
  const std::string path = std::string(GORDIAN_SOURCE_DIRECTORY) + "/" + page;
  const std::string begin = "<!-- event_schema_test writes what follows -->\n";
  const std::string end = "<!-- to here -->\n";
  std::string text = ReadFile(path);
  const size_t from = text.find(begin);
  const size_t to = text.find(end);
  ASSERT_NE(from, std::string::npos) << path;
  ASSERT_NE(to, std::string::npos) << path;
  const size_t at = from + begin.size();
  if (std::getenv("GORDIAN_WRITE_TABLES") != nullptr) {
    std::ofstream(path) << text.replace(at, to - at, table);
    return;
  }
  EXPECT_EQ(text.substr(at, to - at), table)
      << page << " tells other fields than trace/event_schema.cc; mend it with\n"
      << "GORDIAN_WRITE_TABLES=1 build/release/tests/event_schema_test";
}

TEST(EventSchema, StandsInTheDescriptionOfTheFormat) {
  ExpectTable("trace/FORMAT.md", EventFormatTable());
}

TEST(EventSchema, StandsInTheDescriptionOfDump) { ExpectTable("docs/dump.md", EventDumpTable()); }

}  // namespace
}  // namespace gordian
