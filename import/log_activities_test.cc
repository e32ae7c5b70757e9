// SPDX-License-Identifier: Apache-2.0
// Logs of spans and tasks as activity graphs.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "import/import.h"
#include "import/lanes.h"
#include "import/waiting_line.h"
#include "tests/support/temp_dir.h"
#include "trace/activities/activity_reader.h"

namespace gordian {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::TempDir;
using ::testing::UnorderedElementsAre;
using testing::WriteFile;

struct ImportedLog {
  absl::Status status;
  std::vector<std::string> edges;
  std::vector<std::string> counters;
};

// Times are told in `unit_ns` since `base_ns`; an edge that is not traversable ends in "(not)".
ImportedLog ImportLog(ActivityFormat format, const std::string& text, uint64_t base_ns,
                      uint64_t unit_ns) {
  const TempDir dir;
  ImportedLog imported;
  const auto result =
      ImportActivities({.file = WriteFile(dir / "log", text), .directory = dir / "graph"}, format);
  imported.status = result.status();
  if (!result.ok()) {
    EXPECT_THAT(dir.Entries(), ElementsAre("log"));
    return imported;
  }
  for (const pb::Counter& counter : result->graph.counters())
    imported.counters.push_back(absl::StrCat(counter.name(), " ", counter.value()));
  const auto reader = ActivityReader::Open(dir / "graph");
  EXPECT_TRUE(reader.ok()) << reader.status();
  std::vector<ActivityEdge> edges;
  while (reader.ok() && *(*reader)->Next(edges)) {
    const ActivityNames& names = (*reader)->names();
    for (const ActivityEdge& edge : edges)
      imported.edges.push_back(absl::StrCat(
          names.Text(edge.src_worker), "@", (edge.src_ns - base_ns) / unit_ns, " → ",
          names.Text(edge.dst_worker), "@", (edge.dst_ns - base_ns) / unit_ns, " ",
          names.Text(edge.type), " ", names.Text(edge.label), edge.traversable ? "" : " (not)"));
  }
  return imported;
}

constexpr uint64_t kBaseNs = 1'700'000'000'000'000'000;

std::string SpanText(const std::string& id, const std::string& parent, const std::string& name,
                     int64_t start_ns, int64_t end_ns, const std::string& more = "") {
  return absl::StrCat(R"({"traceId":"t","spanId":")", id, R"(","parentSpanId":")", parent,
                      R"(","name":")", name, R"(","startTimeUnixNano":")",
                      static_cast<int64_t>(kBaseNs) + start_ns, R"(","endTimeUnixNano":")",
                      static_cast<int64_t>(kBaseNs) + end_ns, "\"", more, "}");
}

std::string SpansOf(const std::string& service, const std::vector<std::string>& spans) {
  std::string joined;
  for (const std::string& span : spans) absl::StrAppend(&joined, joined.empty() ? "" : ",", span);
  return absl::StrCat(R"({"resourceSpans":[{"scopeSpans":[{"spans":[)", joined,
                      R"(]}],"resource":{"attributes":[{"key":"service.name","value":)",
                      R"({"stringValue":")", service, "\"}}]}}]}\n");
}

ImportedLog Otel(const std::string& text) {
  return ImportLog(ActivityFormat::kOtelSpans, text, kBaseNs, 1);
}

TEST(OtelActivities, LetAParentWaitForItsChild) {
  const ImportedLog log = Otel(SpansOf("db", {SpanText("2", "1", "query", 20, 70)}) +
                               SpansOf("shop", {SpanText("1", "", "GET", 0, 100)}));
  ASSERT_TRUE(log.status.ok()) << log.status;
  EXPECT_THAT(log.edges,
              UnorderedElementsAre(
                  "shop@0 → shop@20 Processing GET", "shop@20 → db@20 ControlMessage query",
                  "db@20 → db@70 Processing query", "shop@20 → shop@70 Waiting GET (not)",
                  "db@70 → shop@70 ControlMessage query", "shop@70 → shop@100 Processing GET"));
  EXPECT_THAT(log.counters, ElementsAre());
}

TEST(OtelActivities, LetAParentWorkUntilItStartsAnotherChild) {
  // a runs all the time; b ends, and then c is started.
  const ImportedLog log =
      Otel(SpansOf("s", {SpanText("p", "", "P", 0, 100), SpanText("a", "p", "A", 10, 90),
                         SpanText("b", "p", "B", 10, 30), SpanText("c", "p", "C", 40, 80)}));
  std::vector<std::string> line;
  for (const std::string& edge : log.edges)
    if (edge.ends_with(" P") || edge.ends_with(" P (not)")) line.push_back(edge);
  EXPECT_THAT(line, ElementsAre("s@0 → s@10 Processing P", "s@10 → s@30 Waiting P (not)",
                                "s@30 → s@40 Processing P", "s@40 → s@80 Waiting P (not)",
                                "s@80 → s@90 Waiting P (not)", "s@90 → s@100 Processing P"));
}

TEST(OtelActivities, DoNotLetAParentWaitForWhatOutlivesIt) {
  const ImportedLog log =
      Otel(SpansOf("s", {SpanText("p", "", "P", 0, 50), SpanText("a", "p", "A", 10, 90),
                         SpanText("b", "p", "B", 70, 80)}));
  EXPECT_THAT(log.edges, UnorderedElementsAre(
                             "s@0 → s@10 Processing P", "s@10 → s@50 Processing P",
                             "s@10 → s #2@10 ControlMessage A", "s #2@10 → s #2@90 Processing A",
                             "s@50 → s@70 ControlMessage B", "s@70 → s@80 Processing B"));
}

TEST(OtelActivities, FollowLinks) {
  const ImportedLog log = Otel(SpansOf(
      "q",
      {SpanText("a", "", "send", 0, 10),
       SpanText("b", "", "receive", 30, 40,
                R"(,"links":[{"traceId":"t","spanId":"a"},{"traceId":"t","spanId":"none"}])")}));
  EXPECT_THAT(log.edges, UnorderedElementsAre("q@0 → q@10 Processing send",
                                              "q@10 → q@30 ControlMessage receive",
                                              "q@30 → q@40 Processing receive"));
  EXPECT_THAT(log.counters, ElementsAre("activities_odd 1"));
}

TEST(OtelActivities, CountClocksThatDifferAndWhatIsMissing) {
  const ImportedLog log =
      Otel(SpansOf("s", {SpanText("p", "gone", "P", 10, 100), SpanText("a", "p", "A", 5, 50),
                         SpanText("e", "", "E", 9, 8), SpanText("p", "", "again", 1, 2),
                         R"({"traceId":"t","spanId":"open","startTimeUnixNano":"5"})"}));
  EXPECT_THAT(log.edges,
              UnorderedElementsAre("s #2@10 → s #2@100 Processing P", "s@5 → s@50 Processing A"));
  EXPECT_THAT(log.counters, UnorderedElementsAre("activities_back_in_time 2", "activities_odd 2",
                                                 "spans_without_parent 1"));
}

TEST(OtelActivities, TakeSpansThatAreEachOthersParents) {
  const ImportedLog log =
      Otel(SpansOf("s", {SpanText("a", "b", "A", 0, 9), SpanText("b", "a", "B", 0, 9),
                         SpanText("c", "c", "C", 0, 9)}));
  EXPECT_TRUE(log.status.ok());
  EXPECT_EQ(log.edges.size(), 7u);
}

TEST(OtelActivities, RefuseADamagedDocumentWithItsLine) {
  const std::string good = SpansOf("s", {SpanText("a", "", "A", 0, 9)});
  EXPECT_THAT(std::string(Otel(good + "{]\n" + good).status.message()),
              HasSubstr("log:2: a JSON document that is damaged"));
  EXPECT_THAT(std::string(Otel(good + "{\"resourceSpans\":[").status.message()),
              HasSubstr("log:2: a JSON document that breaks off"));
}

constexpr uint64_t kBaseMs = 1'700'000'000'000;

std::string TaskText(int stage, int64_t launch_ms, int64_t finish_ms,
                     const std::string& more = "") {
  return absl::StrCat(R"({"Event":"SparkListenerTaskEnd","Stage ID":)", stage,
                      R"(,"Task Info":{"Launch Time":)", kBaseMs + launch_ms, R"(,"Finish Time":)",
                      kBaseMs + finish_ms, R"(,"Executor ID":"1","Host":"n1"})", more, "}\n");
}

std::string EventText(const std::string& event, const std::string& field, uint64_t time_ms,
                      const std::string& more = "") {
  return absl::StrCat(R"({"Event":"SparkListener)", event, R"(",")", field, R"(":)",
                      kBaseMs + time_ms, more, "}\n");
}

ImportedLog Spark(const std::string& text) {
  return ImportLog(ActivityFormat::kSparkEvents, text, kBaseMs * 1'000'000, 1'000'000);
}

TEST(SparkActivities, PartATaskAsItsMetricsDo) {
  const ImportedLog log = Spark(
      R"({"Event":"SparkListenerStageSubmitted","Stage Info":{"Stage ID":0,"Stage Name":"count"}})"
      "\n" +
      TaskText(0, 0, 100,
               R"(,"Task Metrics":{"Executor Deserialize Time":10,"Executor Run Time":70,)"
               R"("Result Serialization Time":5,"Shuffle Read Metrics":{"Fetch Wait Time":20},)"
               R"("Shuffle Write Metrics":{"Shuffle Write Time":8000000}})"));
  ASSERT_TRUE(log.status.ok()) << log.status;
  const std::string worker = "executor 1@n1";
  EXPECT_THAT(log.edges,
              UnorderedElementsAre("driver@0 → " + worker + "@0 ControlMessage stage 0: count",
                                   worker + "@0 → " + worker + "@15 Scheduling stage 0: count",
                                   worker + "@15 → " + worker + "@25 Serialization stage 0: count",
                                   worker + "@25 → " + worker + "@45 ShuffleRead stage 0: count",
                                   worker + "@45 → " + worker + "@87 Processing stage 0: count",
                                   worker + "@87 → " + worker + "@95 ShuffleWrite stage 0: count",
                                   worker + "@95 → " + worker + "@100 Serialization stage 0: count",
                                   worker + "@100 → driver@100 ControlMessage stage 0: count",
                                   "driver@0 → driver@100 Waiting driver (not)"));
}

TEST(SparkActivities, LetTheDriverWaitForTasksAndScheduleOrWorkBetweenThem) {
  const ImportedLog log = Spark(
      EventText("ApplicationStart", "Timestamp", 0) + EventText("JobStart", "Submission Time", 10) +
      TaskText(0, 20, 40) + TaskText(0, 20, 50) + TaskText(1, 60, 70) +
      EventText("JobEnd", "Completion Time", 75) + EventText("ApplicationEnd", "Timestamp", 90));
  std::vector<std::string> line;
  for (const std::string& edge : log.edges)
    if (edge.starts_with("driver@") && edge.find("→ driver@") != std::string::npos)
      line.push_back(edge);
  EXPECT_THAT(line, ElementsAre("driver@0 → driver@10 Processing driver",
                                "driver@10 → driver@20 Scheduling driver",
                                "driver@20 → driver@40 Waiting driver (not)",
                                "driver@40 → driver@50 Waiting driver (not)",
                                "driver@50 → driver@60 Scheduling driver",
                                "driver@60 → driver@70 Waiting driver (not)",
                                "driver@70 → driver@75 Scheduling driver",
                                "driver@75 → driver@90 Processing driver"));
}

TEST(SparkActivities, TellOfResultsThatWereFetched) {
  const ImportedLog log = Spark(absl::StrCat(
      R"({"Event":"SparkListenerTaskEnd","Stage ID":0,"Task Info":{"Launch Time":)", kBaseMs,
      R"(,"Getting Result Time":)", kBaseMs + 30, R"(,"Finish Time":)", kBaseMs + 50, "}}\n"));
  EXPECT_THAT(log.edges, ::testing::Contains("executor @@30 → driver@50 DataMessage stage 0"));
}

TEST(SparkActivities, CountWhatTellsNoActivity) {
  const ImportedLog log = Spark(R"({"Event":"SparkListenerTaskStart"})"
                                "\n"
                                R"({"Event":"SparkListenerTaskStart"})"
                                "\n" +
                                TaskText(0, 10, 5) + TaskText(0, 10, 10) + R"({"Event":"Other"})" +
                                "\n{\"Event\":\"Spa");
  ASSERT_TRUE(log.status.ok()) << log.status;
  EXPECT_THAT(log.edges, ElementsAre());
  EXPECT_THAT(log.counters, UnorderedElementsAre("activities_odd 3", "activities_back_in_time 1"));
}

TEST(SparkActivities, RefuseWhatIsNoEventLogWithTheLine) {
  EXPECT_THAT(
      std::string(Spark(TaskText(0, 0, 5) + "no JSON\n" + TaskText(0, 0, 5)).status.message()),
      HasSubstr("log:2: no JSON object: \"no JSON\""));
  EXPECT_THAT(std::string(Spark("{}\n").status.message()),
              HasSubstr("no line is an event of Spark"));
}

TEST(Lanes, AreAsManyAsThereAreActivitiesAtOnce) {
  Lanes lanes;
  EXPECT_EQ(lanes.Take(1, 0, 10), 1u);
  EXPECT_EQ(lanes.Take(1, 5, 6), 2u);
  EXPECT_EQ(lanes.Take(2, 5, 6), 1u);
  EXPECT_EQ(lanes.Take(1, 7, 20), 2u);
  EXPECT_EQ(lanes.Take(1, 10, 20), 3u) << "the first ends at this moment, not before it";
  EXPECT_EQ(lanes.Take(1, 11, 20), 1u);
  EXPECT_EQ(Lanes::Name("shop", 1), "shop");
  EXPECT_EQ(Lanes::Name("shop", 3), "shop #3");
}

}  // namespace
}  // namespace gordian
