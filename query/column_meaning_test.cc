// SPDX-License-Identifier: Apache-2.0
#include "query/column_meaning.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "query/query.h"
#include "query/test_recording.h"

namespace gordian {
namespace {

// "thread.id of who asked" -> kThread: what --schema tells people is the oracle.
ColumnMeaning MeaningByWords(const std::string& about) {
  const std::string told = about.starts_with("given: ") ? about.substr(7) : about;
  if (told.starts_with("thread.id")) return ColumnMeaning::kThread;
  if (told.starts_with("vertex.id") || told.starts_with("… of what it waits for"))
    return ColumnMeaning::kVertex;
  return ColumnMeaning::kValue;
}

TEST(ColumnMeanings, AreWhatTheSchemaTellsPeople) {
  for (const ListedTable& table : SchemaTables()) {
    for (const ListedColumn& column : table.columns) {
      const std::string name = table.name + "." + column.name;
      const ColumnMeaning by_words = MeaningByWords(column.about);
      const bool is_own_number = name == "thread.id" || name == "vertex.id";
      const bool is_label = column.meaning == ColumnMeaning::kLabel;
      // "of the waker, of the parent"
      if (is_own_number || is_label || name == "event.other") continue;
      if (by_words != ColumnMeaning::kValue) {
        EXPECT_EQ(column.meaning, by_words) << name;
      } else {
        EXPECT_NE(column.meaning, ColumnMeaning::kVertex) << name;
        EXPECT_NE(column.meaning, ColumnMeaning::kThread) << name;
      }
    }
  }
}

// Lengths of time end in _ns, too.
TEST(ColumnMeanings, OfAMomentAreNotThoseOfALength) {
  for (const ListedTable& table : SchemaTables()) {
    for (const ListedColumn& column : table.columns) {
      if (!column.name.ends_with("ns")) continue;
      const bool is_moment = column.name == "ns" || column.name == "begin_ns" ||
                             column.name == "end_ns" || column.name == "from_ns" ||
                             column.name == "to_ns" || column.name == "given_ns";
      EXPECT_EQ(column.meaning == ColumnMeaning::kMoment, is_moment)
          << table.name << "." << column.name;
    }
  }
}

class OriginsOfColumns : public ::testing::Test {
 protected:
  std::vector<std::string> Told(const std::string& sql) {
    AskOf(database_, sql);
    std::vector<std::string> told;
    for (const QueryColumn& column : database_.columns())
      told.push_back(column.title + "|" + column.origin + "|" +
                     std::string(ColumnMeaningName(column.meaning)) +
                     (column.is_of_second ? "|b" : ""));
    return told;
  }

  QueryRecording figure_ = QueryRecording("figure1.txt");
  QueryRecording other_ = QueryRecording("chain.txt");
  QueryDatabase database_ = DatabaseOf({&figure_.analysis(), &other_.analysis()});
};

TEST_F(OriginsOfColumns, AreFoundThroughAliasesAndSubqueries) {
  EXPECT_THAT(Told("SELECT t.id AS who, s.begin_ns AS ns, s.end_ns - s.begin_ns AS ns FROM segment "
                   "s JOIN thread t ON t.id = s.thread"),
              ::testing::ElementsAre("who|thread.id|thread", "ns|segment.begin_ns|moment", "ns||"));
  EXPECT_THAT(Told("SELECT x.who FROM (SELECT from_thread AS who FROM edge) x"),
              ::testing::ElementsAre("who|edge.from_thread|thread"));
}

TEST_F(OriginsOfColumns, TellWhichRecordingTheyAreOf) {
  EXPECT_THAT(Told("SELECT a.id, c.id FROM thread a, b.thread c"),
              ::testing::ElementsAre("id|thread.id|thread", "id|thread.id|thread|b"));
}

TEST_F(OriginsOfColumns, OfComputedOnesAreTheirTitleIfItIsClear) {
  EXPECT_THAT(Told("SELECT min(begin_ns) AS begin_ns, max(end_ns) AS ns, 1 AS id FROM segment"),
              ::testing::ElementsAre("begin_ns||moment", "ns||", "id||"));
}

TEST_F(OriginsOfColumns, OfAQueryThatFailsAreNone) {
  EXPECT_FALSE(FailureOf(database_, "SELECT name FROM nowhere").ok());
  EXPECT_TRUE(database_.columns().empty());
}

TEST_F(OriginsOfColumns, ErrorsTellWhereTheyAre) {
  EXPECT_FALSE(FailureOf(database_, "SELECT nobody FROM thread").ok());
  EXPECT_EQ(database_.error_offset(), 7);
  AskOf(database_, "SELECT 1");
  EXPECT_EQ(database_.error_offset(), -1);
}

}  // namespace
}  // namespace gordian
