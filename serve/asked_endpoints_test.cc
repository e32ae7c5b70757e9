// SPDX-License-Identifier: Apache-2.0
// The endpoints behind the panes that ask: SQL, requests, changes, two recordings.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidjson/document.h>

#include <atomic>
#include <chrono>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "absl/strings/str_cat.h"
#include "query/test_recording.h"
#include "requests/test_talk.h"
#include "serve/all_endpoints.h"
#include "serve/served_recordings.h"
#include "tests/support/temp_dir.h"
#include "tests/support/time_literals.h"
#include "whatif/testing/test_traces.h"

namespace gordian {
namespace {

using namespace testing;  // NOLINT: literals of time
using ::testing::HasSubstr;
using ::testing::Not;

using Answerer = absl::StatusOr<ViewAnswer> (*)(const ViewRequest&);

// A server with one connection that answers three requests, each after another thread; a disk in
// a circle of waits (figure1); and that once more, with names that are markup.
class AskedEndpoints : public ::testing::Test {
 protected:
  static constexpr size_t kTalk = 0, kFigure = 1, kHostile = 2;

  void SetUp() override {
    WriteTalk(dir_ / "talk");
    ASSERT_TRUE(Figure1Trace(100).WriteSession(dir_ / "figure").ok());
    testing::TraceBuilder hostile;
    hostile.Thread(10, "</script><b>").Thread(20, "\"'\\\n");
    hostile.At(0).Run(10).At(1_ms).Block().At(2_ms).Run(20).At(3_ms).Wake(10).Block();
    hostile.At(4_ms).Run(10).At(5_ms).Block().At(6_ms);
    ASSERT_TRUE(hostile.WriteSession(dir_ / "hostile").ok());
    for (const char* name : {"talk", "figure", "hostile"}) {
      auto recording = std::make_unique<StoredRecording>(dir_ / name, ServedOptions{});
      recording->Load();
      recordings_.Add(std::move(recording));
    }
  }

  static void WriteTalk(const std::string& folder) {
    TestTalk talk;
    talk.trace().Thread(10, "server").Thread(20, "helper", 10);
    talk.At(0).Run(10);
    talk.At(1_us).Block();
    talk.At(2_us, 1).Run(20);
    for (uint64_t round = 1; round <= 3; ++round) {
      const uint64_t begin_ns = round * 100_ms, end_ns = begin_ns + 1_ms + round * 10_ms;
      talk.At(begin_ns);
      talk.Ask(50001, 100).trace().WakeFromNet(10, talk.eth());
      talk.At(begin_ns).Run(10);
      talk.At(begin_ns + 1_ms).Block();
      talk.At(end_ns, 1).Wake(10);
      talk.At(end_ns).Run(10);
      talk.At(end_ns + 1_ms);
      talk.Answer(50001, 10, 200);
      talk.At(end_ns + 2_ms).Block();
    }
    talk.At(500_ms);
    ASSERT_TRUE(talk.trace().WriteSession(folder).ok());
  }

  absl::StatusOr<ViewAnswer> Ask(
      Answerer answer, size_t recording, ViewParameters parameters,
      std::function<bool()> stop_asked = [] { return false; }) const {
    auto served = recordings_.AnalysisOf(recording);
    if (!served.ok()) return served.status();
    return answer({.recording = recordings_.at(recording),
                   .recordings = recordings_,
                   .served = *std::move(served),
                   .parameters = std::move(parameters),
                   .stop_asked = std::move(stop_asked)});
  }
  rapidjson::Document Json(Answerer answer, size_t recording, ViewParameters parameters) const {
    rapidjson::Document json;
    const auto told = Ask(answer, recording, std::move(parameters));
    EXPECT_TRUE(told.ok()) << told.status();
    if (told.ok()) json.Parse(told->body.data(), told->body.size());
    EXPECT_FALSE(json.HasParseError()) << (told.ok() ? told->body : "");
    return json;
  }
  void Refuses(Answerer answer, ViewParameters parameters, const std::string& why) const {
    const auto told = Ask(answer, kFigure, std::move(parameters));
    EXPECT_TRUE(absl::IsInvalidArgument(told.status()) || absl::IsNotFound(told.status()))
        << told.status();
    EXPECT_THAT(std::string(told.status().message()), HasSubstr(why));
  }

  TempDir dir_;
  ServedRecordings recordings_;
};

TEST_F(AskedEndpoints, TellRowsAndWhatTheirColumnsStandFor) {
  const auto json = Json(AnswerQuery, kFigure,
                         {{"sql",
                           "SELECT thread, begin_ns, end_ns - begin_ns AS took, waker, "
                           "9007199254740993 AS large, 0.5, NULL FROM segment ORDER BY "
                           "begin_ns, thread LIMIT 2"}});
  ASSERT_EQ(json["columns"].Size(), 7u);
  EXPECT_STREQ(json["columns"][0]["means"].GetString(), "thread");
  EXPECT_STREQ(json["columns"][0]["origin"].GetString(), "segment.thread");
  EXPECT_STREQ(json["columns"][1]["means"].GetString(), "moment");
  EXPECT_STREQ(json["columns"][2]["means"].GetString(), "");
  ASSERT_EQ(json["rows"].Size(), 2u);
  EXPECT_TRUE(json["rows"][0][0].IsInt());
  EXPECT_STREQ(json["rows"][0][4]["whole"].GetString(), "9007199254740993")
      << "a browser would round it";
  EXPECT_EQ(json["rows"][0][5].GetDouble(), 0.5);
  EXPECT_TRUE(json["rows"][0][6].IsNull());
  EXPECT_STREQ(json["cut"].GetString(), "");
}

TEST_F(AskedEndpoints, SayWhatTheyLeftOut) {
  const std::string numbers =
      "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 200000) ";
  EXPECT_STREQ(
      Json(AnswerQuery, kFigure, {{"sql", numbers + "SELECT i FROM n"}, {"rows", "3"}})["cut"]
          .GetString(),
      "rows");
  const auto exact =
      Json(AnswerQuery, kFigure, {{"sql", numbers + "SELECT i FROM n LIMIT 3"}, {"rows", "3"}});
  EXPECT_STREQ(exact["cut"].GetString(), "") << "there are no more";
  // Text that grows in JSON: bytes that are none.
  const auto told =
      Ask(AnswerQuery, kFigure,
          {{"sql", numbers + "SELECT CAST(randomblob(4000) AS TEXT) FROM n"}, {"rows", "100000"}});
  ASSERT_TRUE(told.ok()) << told.status();
  EXPECT_LE(told->body.size(), kMostAnswerBytes);
  EXPECT_THAT(told->body.substr(told->body.size() - 60), HasSubstr("\"cut\":\"bytes\""));
  const auto cut = Json(AnswerQuery, kFigure, {{"sql", "SELECT hex(zeroblob(100000))"}});
  EXPECT_EQ(cut["cut_cells"].GetUint64(), 1u);
  EXPECT_EQ(cut["rows"][0][0].GetStringLength(), 4096u);
}

TEST_F(AskedEndpoints, TellWhereAQuestionIsWrong) {
  const auto json = Json(AnswerQuery, kFigure, {{"sql", "SELECT nobody FROM thread"}});
  EXPECT_THAT(json["error"].GetString(), HasSubstr("no such column: nobody"));
  EXPECT_THAT(json["error"].GetString(), Not(HasSubstr("--")));
  EXPECT_EQ(json["offset"].GetInt64(), 7);
  for (const char* sql : {"", "DROP TABLE thread", "SELECT 1; SELECT 2", "ATTACH 'x' AS y",
                          "SELECT load_extension('x')", "\xff\xfe", "SELECT '"}) {
    EXPECT_TRUE(Json(AnswerQuery, kFigure, {{"sql", sql}}).HasMember("error")) << sql;
  }
}

TEST_F(AskedEndpoints, EndAQuestionThatNobodyWaitsFor) {
  std::atomic<bool> stop = false;
  std::thread impatient([&stop] {
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    stop = true;
  });
  const auto told =
      Ask(AnswerQuery, kFigure,
          {{"sql",
            "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT max(i) "
            "FROM n"}},
          [&stop] { return stop.load(); });
  impatient.join();
  EXPECT_TRUE(absl::IsCancelled(told.status())) << told.status();
  // The database that it used answers others.
  EXPECT_EQ(Json(AnswerQuery, kFigure, {{"sql", "SELECT 1"}})["rows"][0][0].GetInt(), 1);
}

TEST_F(AskedEndpoints, AskTwoRecordingsAtOnce) {
  const auto json = Json(AnswerQuery, kFigure,
                         {{"sql",
                           "SELECT a.id, c.id FROM thread a, b.thread c WHERE a.name = 'A' "
                           "AND c.name = 'server'"},
                          {"compared", "0"}});
  EXPECT_EQ(json["rows"].Size(), 1u);
  EXPECT_FALSE(json["columns"][0]["of_second"].GetBool());
  EXPECT_TRUE(json["columns"][1]["of_second"].GetBool());
  Refuses(AnswerQuery, {{"sql", "SELECT 1"}, {"compared", "7"}}, "");
}

TEST_F(AskedEndpoints, MayBeAskedByManyAtOnce) {
  std::vector<std::thread> askers;
  for (int i = 0; i < 4; ++i)
    askers.emplace_back([this] {
      for (int round = 0; round < 20; ++round) {
        const auto json =
            Json(AnswerQuery, kFigure, {{"sql", "SELECT count(*) FROM slice(0, 20, 'backward')"}});
        EXPECT_TRUE(json.HasMember("rows"));
      }
    });
  for (std::thread& asker : askers) asker.join();
}

TEST_F(AskedEndpoints, TellTheTablesAndTheSavedQuestions) {
  const auto schema = Json(AnswerSchema, kFigure, {});
  ASSERT_GT(schema["tables"].Size(), 10u);
  EXPECT_STREQ(schema["tables"][0]["name"].GetString(), "thread");
  EXPECT_STREQ(schema["tables"][0]["columns"][0]["means"].GetString(), "thread");
  const auto queries = Json(AnswerQueries, kFigure, {});
  ASSERT_GT(queries["queries"].Size(), 20u);
  for (const auto& query : queries["queries"].GetArray()) {
    const auto told = Json(AnswerQuery, kTalk, {{"sql", query["sql"].GetString()}});
    EXPECT_TRUE(told.HasMember("rows")) << query["name"].GetString();
    EXPECT_THAT(query["sql"].GetString(), Not(HasSubstr("SPDX")));
  }
}

TEST_F(AskedEndpoints, TellRequestsAndTheirThreads) {
  const auto json = Json(AnswerRequests, kTalk, {});
  ASSERT_EQ(json["ports"].Size(), 1u);
  const auto& port = json["ports"][0];
  EXPECT_EQ(port["requests"].GetUint64(), 3u);
  EXPECT_EQ(port["percentiles"][4]["latency_ns"].GetUint64(), 32_ms);
  const auto& slow = port["slowest"][0];
  const auto names = Json(AnswerQuery, kTalk,
                          {{"sql", absl::StrCat("SELECT name FROM thread WHERE id = ",
                                                slow["thread_id"].GetUint64())}});
  EXPECT_STREQ(names["rows"][0][0].GetString(), "server");
  EXPECT_EQ(Json(AnswerRequests, kTalk, {{"slowest", "1"}})["ports"][0]["slowest"].Size(), 1u);
  // Only what begins and is answered within.
  EXPECT_EQ(Json(AnswerRequests, kTalk,
                 {{"from", "150000000"}, {"to", "250000000"}})["ports"][0]["requests"]
                .GetUint64(),
            1u);
  EXPECT_THAT(Json(AnswerRequests, kTalk, {{"port", "81"}})["none_because"].GetString(),
              HasSubstr("no thread"));
  EXPECT_THAT(Json(AnswerRequests, kTalk, {{"phase", "<b>"}})["none_because"].GetString(),
              HasSubstr("no phase is called <b>"));
  const auto stopped = Ask(AnswerRequests, kTalk, {}, [] { return true; });
  EXPECT_TRUE(absl::IsCancelled(stopped.status())) << stopped.status();
}

TEST_F(AskedEndpoints, TellWhatMayBeAskedAndWhatItWouldGain) {
  const auto questions = Json(AnswerQuestions, kFigure, {});
  ASSERT_GE(questions["groups"].Size(), 1u);
  const auto& first = questions["groups"][0]["questions"][0];
  const std::string change =
      absl::StrCat(first["option"].GetString(), ":", first["argument"].GetString());
  EXPECT_EQ(change, "async:B->disk vda");
  const auto told = Json(AnswerWhatIf, kFigure, {{"change", change}, {"progress", "wakes A"}});
  EXPECT_THAT(told["answer"]["verdict"].GetString(), HasSubstr("With B not waiting for vda"));
  EXPECT_EQ(told["command"].GetString(),
            absl::StrCat("gordian whatif ", dir_ / "figure",
                         " --async 'B->disk vda' --progress 'wakes A'"));
  EXPECT_STREQ(told["lines"][0]["label"].GetString(), "told");
  EXPECT_STREQ(told["lines"][1]["label"].GetString(), "alone");
}

TEST_F(AskedEndpoints, EndAPredictionThatNobodyWaitsFor) {
  const auto told =
      Ask(AnswerWhatIf, kFigure, {{"change", "async:B->disk vda"}, {"progress", "wakes A"}},
          [] { return true; });
  EXPECT_TRUE(absl::IsCancelled(told.status())) << told.status();
}

TEST_F(AskedEndpoints, CompareTwoRecordings) {
  const auto json = Json(AnswerCompare, kFigure, {{"with", "2"}});
  EXPECT_FALSE(std::string(json["diff"]["verdict"].GetString()).empty());
  ASSERT_GT(json["uses"].Size(), 0u);
  EXPECT_TRUE(json["uses"][0]["before"].HasMember("run"));
  const auto same = Json(AnswerCompare, kFigure, {{"with", "1"}});
  for (const auto& edge : same["diff"]["edges"].GetArray())
    EXPECT_EQ(edge["change"].GetDouble(), 0);
}

TEST_F(AskedEndpoints, RefuseWhatTheyDoNotUnderstand) {
  Refuses(AnswerQuery, {{"sql", "SELECT 1"}, {"rows", "100001"}}, "rows");
  Refuses(AnswerQuery, {{"sql", "SELECT 1"}, {"rows", "-1"}}, "rows");
  Refuses(AnswerQuery, {{"sql", "SELECT 1"}, {"row", "1"}}, "row");
  Refuses(AnswerQuery, {{"sql", std::string(20'000, ' ')}}, "sql is too long");
  Refuses(AnswerRequests, {{"port", "0"}}, "port");
  Refuses(AnswerRequests, {{"port", "80,99999"}}, "port");
  Refuses(AnswerRequests, {{"slowest", "1000000"}}, "slowest");
  Refuses(AnswerRequests, {{"from", "5"}, {"to", "5"}}, "to");
  for (const char* sel : {"edge:1", "edge:1>2>3", "thread:", "thread:-1", "thread:1e3", "vertex",
                          "edge:99999999999999999999>1", ":"})
    Refuses(AnswerQuestions, {{"sel", sel}}, "sel");
  Refuses(AnswerWhatIf, {}, "name a change");
  Refuses(AnswerWhatIf, {{"change", "async"}}, "OPTION:ARGUMENT");
  Refuses(AnswerWhatIf, {{"change", "erase:B"}}, "OPTION:ARGUMENT");
  Refuses(AnswerWhatIf, {{"change", "run:nobody=0.5"}}, "nobody");
  Refuses(AnswerWhatIf, {{"change", "run:A=x"}}, "");
  Refuses(AnswerCompare, {}, "with");
  Refuses(AnswerCompare, {{"with", "9"}}, "");
}

TEST_F(AskedEndpoints, KeepNamesAsText) {
  const auto told = Ask(AnswerQuery, kHostile, {{"sql", "SELECT name FROM thread ORDER BY id"}});
  ASSERT_TRUE(told.ok());
  rapidjson::Document json;
  json.Parse(told->body.data(), told->body.size());
  ASSERT_FALSE(json.HasParseError());
  EXPECT_STREQ(json["rows"][0][0].GetString(), "</script><b>");
  for (size_t vertex = 0; vertex < 4; ++vertex)
    Json(AnswerQuestions, kHostile, {{"sel", absl::StrCat("vertex:", vertex)}});
  Json(AnswerCompare, kHostile, {{"with", "2"}});
}

}  // namespace
}  // namespace gordian
