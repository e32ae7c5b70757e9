// SPDX-License-Identifier: Apache-2.0
#include "query/query.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "query/test_recording.h"

namespace gordian {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

class Queries : public ::testing::Test {
 protected:
  std::vector<std::string> Ask(std::string_view sql) { return AskOf(database_, sql); }
  absl::Status Fails(std::string_view sql) { return FailureOf(database_, sql); }

  QueryRecording figure_ = QueryRecording("figure1.txt");
  QueryRecording other_ = QueryRecording("chain.txt");
  QueryDatabase database_ = DatabaseOf({&figure_.analysis(), &other_.analysis()});
};

TEST_F(Queries, TellWhatAThreadDidAtEveryMoment) {
  EXPECT_THAT(
      Ask("SELECT s.begin_ns, s.end_ns, s.kind, w.name FROM segment s JOIN thread t ON t.id = "
          "s.thread LEFT JOIN thread w ON w.id = s.waker WHERE t.name = 'A' AND "
          "s.end_ns > s.begin_ns ORDER BY 1"),
      ElementsAre("0|2|run|", "2|10|wait|B", "10|12|run|", "12|20|wait|B"));
}

TEST_F(Queries, TellTheEdgesThatLetThreadsGoOn) {
  EXPECT_THAT(
      Ask("SELECT f.name, e.to_ns, t.name, e.kind FROM edge e JOIN thread f ON f.id = "
          "e.from_thread JOIN thread t ON t.id = e.to_thread ORDER BY e.to_ns, t.name"),
      ElementsAre("B|0|A|wake", "B|10|A|wake", "vda|10|B|disk", "B|20|A|wake", "vda|20|B|disk"));
}

TEST_F(Queries, TellTheGraphOfAPartOfTheRecording) {
  EXPECT_THAT(Ask("SELECT from_label, to_label, own_ns FROM wait_graph(0, 20) ORDER BY 1"),
              ElementsAre("A|B|16", "B|vda|10", "vda|B|10"));
  EXPECT_THAT(Ask("SELECT from_label, to_label, own_ns FROM wait_graph(0, 10) WHERE from_label = "
                  "'A'"),
              ElementsAre("A|B|8"));
  EXPECT_THAT(std::string(Fails("SELECT * FROM wait_graph('soon')").message()),
              HasSubstr("wait_graph takes two whole numbers"));
  EXPECT_FALSE(Fails("SELECT * FROM wait_graph(10, 5)").ok());
  EXPECT_THAT(
      Ask("SELECT own_ns FROM wait_graph WHERE (from_ns = 0 OR from_ns = 12) AND from_label = "
          "'A' ORDER BY 1"),
      ElementsAre("8", "16"));
}

TEST_F(Queries, TellRequestsToDisks) {
  EXPECT_THAT(Ask("SELECT ns, kind, bytes, sector, service_ns FROM disk_request"),
              ElementsAre("5|issue|65536|100|", "10|complete|0|100|5", "15|issue|65536|200|",
                          "20|complete|0|200|5"));
}

TEST_F(Queries, AskTwoRecordingsAtOnce) {
  EXPECT_THAT(Ask("SELECT (SELECT count(*) FROM thread), (SELECT count(*) FROM b.thread) > 0"),
              ElementsAre(absl::StrCat(figure_.analysis().timeline().entities().size(), "|1")));
  EXPECT_EQ(Ask("SELECT * FROM b.wait_graph(0, 1000)").size(),
            other_.analysis().merged_graph().edges.size());
}

TEST_F(Queries, AnswerAllExamplesOfTheSchema) {
  for (const std::string& example : SchemaExamples()) {
    EXPECT_TRUE(Fails(example).ok()) << example << ": " << Fails(example);
    EXPECT_THAT(SchemaText(), HasSubstr(example));
  }
}

TEST_F(Queries, RefuseAllButQuestions) {
  for (const char* sql :
       {"CREATE TABLE x(a)", "DROP TABLE thread", "INSERT INTO thread(id) VALUES (1)",
        "DELETE FROM segment", "UPDATE thread SET name = 'x'", "ATTACH '/tmp/x' AS c", "DETACH b",
        "PRAGMA temp_store = 1", "SELECT load_extension('x')", "VACUUM INTO '/tmp/x'", "BEGIN",
        "CREATE TEMP TABLE x AS SELECT 1", "ANALYZE"}) {
    EXPECT_FALSE(Fails(sql).ok()) << sql;
  }
  EXPECT_TRUE(absl::IsPermissionDenied(Fails("CREATE TABLE x(a)")));
  EXPECT_TRUE(absl::IsPermissionDenied(Fails("PRAGMA table_list")));
  EXPECT_TRUE(absl::IsPermissionDenied(Fails("VACUUM INTO '/tmp/x'")));
  EXPECT_TRUE(Fails("SELECT count(*) FROM b.edge").ok()) << "what is refused leaves nothing behind";
}

TEST_F(Queries, SayInALineWhatIsWrong) {
  EXPECT_THAT(std::string(Fails("SELECT nonsense FROM thread").message()),
              HasSubstr("no such column"));
  EXPECT_THAT(std::string(Fails("SELECT").message()),
              HasSubstr("the query cannot be answered: incomplete input"));
  EXPECT_THAT(std::string(Fails("DELETE FROM thread").message()), HasSubstr("only questions"));
  EXPECT_THAT(std::string(Fails("").message()), HasSubstr("empty"));
  EXPECT_THAT(std::string(Fails("SELECT 1; SELECT 2").message()), HasSubstr("one at a time"));
  EXPECT_TRUE(Fails("SELECT 1; -- and no more").ok());
}

TEST_F(Queries, EndWhenTheyTakeTooLongOrTooMuch) {
  constexpr char kEndless[] =
      "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT max(i) FROM n";
  QueryDatabase short_of_time = DatabaseOf({&figure_.analysis()}, {.timeout_ns = 1'000'000});
  EXPECT_TRUE(absl::IsDeadlineExceeded(FailureOf(short_of_time, kEndless)));
  QueryDatabase short_of_memory = DatabaseOf({&figure_.analysis()}, {.memory_bytes = 8 << 20});
  const absl::Status failure =
      FailureOf(short_of_memory,
                "WITH RECURSIVE n(i) AS (SELECT 1 UNION SELECT i + 1 FROM n) SELECT max(i) FROM n");
  EXPECT_TRUE(absl::IsResourceExhausted(failure)) << failure;
  EXPECT_THAT(std::string(failure.message()), HasSubstr("--query-memory"));
  EXPECT_THAT(std::string(Fails("SELECT instr(zeroblob(60000000), zeroblob(30000000))").message()),
              HasSubstr("too big"));
}

TEST_F(Queries, EndWhenTheCallerAsksThemTo) {
  size_t looks = 0;
  const absl::Status status = database_.Run(
      "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT max(i) FROM n",
      [](std::span<const std::string>) {}, [](std::span<const QueryCell>) { return true; },
      [&looks] { return ++looks > 3; });
  EXPECT_TRUE(absl::IsCancelled(status)) << status;
  EXPECT_EQ(Ask("SELECT 1 + 1"), std::vector<std::string>{"2"});
}

TEST_F(Queries, StopWhenTheCallerHasSeenEnough) {
  size_t rows = 0;
  const absl::Status status = database_.Run(
      "SELECT * FROM segment", [](std::span<const std::string>) {},
      [&rows](std::span<const QueryCell>) { return ++rows < 2; });
  EXPECT_TRUE(status.ok());
  EXPECT_EQ(rows, 2U);
}

}  // namespace
}  // namespace gordian
