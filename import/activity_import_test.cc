// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "import/import.h"
#include "tests/support/temp_dir.h"
#include "trace/activities/activity_reader.h"

namespace gordian {
namespace {

using ::testing::ElementsAre;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::TempDir;
using testing::WriteFile;

absl::StatusOr<ActivityImportResult> ImportGraph(const TempDir& dir, const std::string& csv) {
  return ImportActivities({.file = WriteFile(dir / "a.csv", csv), .directory = dir / "graph"},
                          ActivityFormat::kCsv);
}

std::string MessageOfImport(const std::string& csv) {
  const TempDir dir;
  const auto result = ImportGraph(dir, csv);
  EXPECT_TRUE(absl::IsInvalidArgument(result.status())) << result.status();
  EXPECT_THAT(dir.Entries(), ElementsAre("a.csv"));
  return std::string(result.status().message());
}

std::vector<std::string> EdgesOf(const std::string& directory) {
  std::vector<std::string> texts;
  const auto reader = ActivityReader::Open(directory);
  EXPECT_TRUE(reader.ok()) << reader.status();
  if (!reader.ok()) return texts;
  std::vector<ActivityEdge> edges;
  while (*(*reader)->Next(edges)) {
    const ActivityNames& names = (*reader)->names();
    for (const ActivityEdge& edge : edges)
      texts.push_back(absl::StrCat(names.Text(edge.src_worker), "@", edge.src_ns, " ",
                                   names.Text(edge.dst_worker), "@", edge.dst_ns, " ",
                                   names.Text(edge.type), " ", names.Text(edge.label), " ",
                                   edge.traversable ? 1 : 0));
  }
  return texts;
}

TEST(ActivityImport, MakesAGraphInOrderOfTheBeginnings) {
  const TempDir dir;
  const auto result = ImportGraph(dir,
                                  "src_worker,src_ns,dst_worker,dst_ns,type,label,traversable\n"
                                  "w1,5,w2,9,DataMessage,,1\n"
                                  "\n"
                                  "w1,0,w1,5,Processing,map,1\r\n"
                                  "w2,0,w2,9,Waiting,,0");
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_EQ(result->lines, 5u);
  EXPECT_EQ(result->graph.edges(), 3u);
  EXPECT_EQ(result->graph.imported_format(), "activities");
  EXPECT_THAT(EdgesOf(dir / "graph"),
              ElementsAre("w1@0 w1@5 Processing map 1", "w2@0 w2@9 Waiting  0",
                          "w1@5 w2@9 DataMessage  1"));
}

TEST(ActivityImport, TakesAnyTextAsAName) {
  const TempDir dir;
  ASSERT_TRUE(ImportGraph(dir,
                          "#1,0,\"a, \"\"b\"\"\",1,größer,\"two\nlines\",1\n"
                          "time_ns,2,\" \",3,0,-,1\n")
                  .ok());
  EXPECT_THAT(EdgesOf(dir / "graph"),
              ElementsAre("#1@0 a, \"b\"@1 größer two\nlines 1", "time_ns@2  @3 0 - 1"));
}

TEST(ActivityImport, TakesAHeaderInQuotes) {
  const TempDir dir;
  ASSERT_TRUE(ImportGraph(dir,
                          "\"src_worker\",\"src_ns\",\"dst_worker\",\"dst_ns\",\"type\","
                          "\"label\",\"traversable\"\n\"a\",\"1\",\"b\",\"2\",\"t\",\"l\",\"1\"\n")
                  .ok());
  EXPECT_THAT(EdgesOf(dir / "graph"), ElementsAre("a@1 b@2 t l 1"));
}

TEST(ActivityImport, CountsEdgesBackInTime) {
  const TempDir dir;
  const auto result = ImportGraph(dir, "a,5,b,4,m,,1\na,5,b,5,m,,1\n");
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_EQ(result->graph.edges(), 1u);
  ASSERT_EQ(result->graph.counters_size(), 1);
  EXPECT_EQ(result->graph.counters(0).name(), "activities_back_in_time");
}

TEST(ActivityImport, TakesAnEmptyFile) {
  const TempDir dir;
  ASSERT_TRUE(ImportGraph(dir, "").ok());
  EXPECT_THAT(EdgesOf(dir / "graph"), IsEmpty());
}

TEST(ActivityImport, NamesTheLineOfWhatIsWrongAndLeavesNothing) {
  const std::string good = "w,0,w,1,t,l,1\n";
  EXPECT_THAT(MessageOfImport(good + "w,0,w,1,t,l\n"), EndsWith("a.csv:2: 6 fields, not the 7 of "
                                                                "src_worker,src_ns,dst_worker,"
                                                                "dst_ns,type,label,traversable"));
  EXPECT_THAT(MessageOfImport(good + "w,0,w,1,t,l,1,x\n"), HasSubstr("a.csv:2: 8 fields"));
  EXPECT_THAT(MessageOfImport("w,x,w,1,t,l,1\n"), HasSubstr("a.csv:1: src_ns must be a whole"));
  EXPECT_THAT(MessageOfImport("w,0,w,-1,t,l,1\n"), HasSubstr("dst_ns must be a whole number"));
  EXPECT_THAT(MessageOfImport("w,0,w,9223372036854775808,t,l,1\n"), HasSubstr("dst_ns must be"));
  EXPECT_THAT(MessageOfImport(",0,w,1,t,l,1\n"), HasSubstr("src_worker is empty"));
  EXPECT_THAT(MessageOfImport("w,0,w,1,t,l,true\n"), HasSubstr("0 or 1, not \"true\""));
  EXPECT_THAT(MessageOfImport("w,0,w,1,t,\xff,1\n"), HasSubstr("not UTF-8"));
  EXPECT_THAT(MessageOfImport(good + "src_worker,src_ns,dst_worker,dst_ns,type,label,traversable"),
              HasSubstr("a.csv:2: src_ns must be"));
}

TEST(ActivityImport, NamesTheLineOnWhichAQuoteIsLeftOpen) {
  std::string csv = "w,0,w,1,t,l,1\n\"w,0,w,1,t,l,1\n";
  EXPECT_THAT(MessageOfImport(csv), HasSubstr("a.csv:2: a double quote is not closed"));
  for (int i = 0; i < 100'000; ++i) csv += "w,0,w,1,t,l,1\n";
  EXPECT_THAT(MessageOfImport(csv), HasSubstr("a.csv:2: a double quote is not closed"));
}

TEST(ActivityImport, RefusesAFolderThatHoldsSomething) {
  const TempDir dir;
  ASSERT_TRUE(ImportGraph(dir, "").ok());
  EXPECT_TRUE(absl::IsAlreadyExists(ImportGraph(dir, "").status()));
}

}  // namespace
}  // namespace gordian
