// SPDX-License-Identifier: Apache-2.0
// Nodes' recordings as gordian serve's pages see them: each page asks a node's folder as it would
// ask its daemon.
#include "near/far_nodes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>
#include <rapidjson/document.h>
#include <rapidjson/pointer.h>

#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "near/test_asked_folders.h"
#include "nodes/test_cluster.h"
#include "output/json_check.h"
#include "serve/site.h"

namespace gordian {
namespace {

using testing::AskedFolders;
using testing::AskFrontAndDatabase;
using testing::BeginFrontAndDatabase;
using testing::TempDir;
using testing::TestCluster;
using testing::operator""_ms;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr char kToldToken[] = "0123456789abcdef0123456789abcdef";

// A front and its database, whose clock is off and drifts, behind one server; and their folders as
// a server on those nodes would serve them.
class FarNodes : public ::testing::Test {
 protected:
  FarNodes() {
    cluster_.Node("web");
    cluster_.Node("db", {.skew_ns = 3'000'000'000, .drift_ppm = 100, .bound_ns = 10});
    BeginFrontAndDatabase(cluster_);
    AskFrontAndDatabase(cluster_, 10_ms, 1000);
    cluster_.Measure(40_ms, 10_ms);
    cluster_.Write(dir_ / "run");
    asked_ = std::make_unique<AskedFolders>(dir_ / "run");
    for (FarSource& source : FarSourcesOf(
             asked_->nodes(), "run", [](size_t) -> absl::StatusOr<FarState> { return FarState(); }))
      far_.Add(std::make_unique<FarRecording>(std::move(source)));
    for (const std::string& name : asked_->nodes().names) {
      auto recording =
          std::make_unique<StoredRecording>((dir_ / "run") + "/" + name, ServedOptions{});
      recording->Load();
      near_.Add(std::move(recording));
    }
  }

  static HttpAnswer Get(const Site& site, const std::string& target) {
    return site.Answer({.method = "GET",
                        .target = target,
                        .host = "127.0.0.1:9000",
                        .cookie = std::string("gordian-9000=") + kToldToken},
                       [] { return false; });
  }
  std::string Far(const std::string& target) const { return *Get(far_site_, target).body; }
  std::string Near(const std::string& target) const { return *Get(near_site_, target).body; }
  // Of the thread with that number, on a node as served.
  uint64_t Thread(size_t node, int tid) const {
    rapidjson::Document told;
    told.Parse(Far(absl::StrCat("/api/", node, "/query?sql=SELECT+id+FROM+thread+WHERE+tid=", tid))
                   .c_str());
    return rapidjson::Pointer("/rows/0/0").Get(told)->GetUint64();
  }
  static uint64_t Number(const rapidjson::Document& told, const char* place) {
    const rapidjson::Value* const value = rapidjson::Pointer(place).Get(told);
    return value != nullptr && value->IsUint64() ? value->GetUint64() : UINT64_MAX;
  }

  TempDir dir_;
  TestCluster cluster_;
  std::unique_ptr<AskedFolders> asked_;
  ServeAccess access_{kToldToken, 9000};
  ServedRecordings far_;
  ServedRecordings near_;
  Site far_site_{access_, far_};
  Site near_site_{access_, near_};
};

TEST_F(FarNodes, EachViewIsWhatAServerOnThatNodeShows) {
  ASSERT_THAT(asked_->nodes().names, ElementsAre("db", "web"));
  for (const char* view : {"page",
                           "brief",
                           "report?to=20000000",
                           "units",
                           "tiles?overview=1&pixels=50",
                           "tiles?rows=t0,n0&pixels=7",
                           "segments?threads=0",
                           "moment?thread=0&at=12000000",
                           "forward?thread=0&at=12000000",
                           "wakes?thread=0",
                           "flame",
                           "amounts",
                           "trend",
                           "matrix",
                           "requests",
                           "questions",
                           "told_phases",
                           "log_marks",
                           "query?sql=SELECT+name,run_ns+FROM+thread",
                           "report?from=zero",
                           "units?unknown=1",
                           "moment?thread=99999",
                           "query?sql=no+sql"}) {
    for (size_t node = 0; node < 2; ++node) {
      const std::string target = absl::StrCat("/api/", node, "/", view);
      const HttpAnswer far = Get(far_site_, target);
      const HttpAnswer near = Get(near_site_, target);
      EXPECT_EQ(far.status, near.status) << target;
      EXPECT_EQ(far.content_type, near.content_type) << target;
      if (near.status == 200) {
        EXPECT_EQ(*far.body, *near.body) << target;
      } else {  // with the node's name before it
        const std::string line = near.body->substr(std::string("{\"error\":\"").size());
        EXPECT_THAT(*far.body, HasSubstr(line)) << target;
      }
    }
  }
}

TEST_F(FarNodes, WhatNeedsAllNodesSaysSo) {
  for (const char* view :
       {"path", "why_wait?thread=0&at=1", "participation", "amounts?participation=1",
        "flame?kind=critical", "compare?with=1", "slice?thread=0&at=20000000&forward=1",
        "query?sql=SELECT+*+FROM+critical_path", "query?sql=SELECT+1&compared=1"}) {
    const HttpAnswer answer = Get(far_site_, absl::StrCat("/api/0/", view));
    EXPECT_EQ(answer.status, 400u) << view;
    EXPECT_THAT(*answer.body, HasSubstr("gordian collect")) << view;
  }
}

// The front answered at 18 ms what the database had worked for until 17 ms. Nobody asks the front's
// folder where the database's threads are.
TEST_F(FarNodes, ASliceGoesOnOnTheOtherNode) {
  const std::string web =
      absl::StrCat("/api/1/slice?thread=", Thread(1, 1), "&at=19500000&scope=burst");
  rapidjson::Document told;
  told.Parse(Far(web).c_str());
  ASSERT_FALSE(told.HasParseError());
  EXPECT_EQ(Number(told, "/to_ns"), 19'500'000u);
  EXPECT_EQ(Number(told, "/parts/0/thread"), Thread(1, 1));
  EXPECT_EQ(Number(told, "/elsewhere/0/recording"), 0u);
  EXPECT_STREQ(rapidjson::Pointer("/elsewhere/0/node").Get(told)->GetString(), "db");
  EXPECT_EQ(Number(told, "/elsewhere/0/parts/0/thread"), Thread(0, 2));
  // As the database's own recording counts: since it began, by its own clock.
  EXPECT_NEAR(static_cast<double>(Number(told, "/elsewhere/0/to_ns")),
              static_cast<double>(cluster_.Elapsed("db", 0, 17_ms)), 50.0);
  EXPECT_NEAR(static_cast<double>(Number(told, "/elsewhere/0/from_ns")),
              static_cast<double>(cluster_.Elapsed("db", 0, 12_ms)), 50.0);
}

TEST_F(FarNodes, WhatASliceReachedElsewhereIsThereInThatNodesTimeline) {
  rapidjson::Document told;
  told.Parse(Far(absl::StrCat("/api/1/slice?thread=", Thread(1, 1), "&at=19500000")).c_str());
  const uint64_t thread = Number(told, "/elsewhere/0/parts/0/thread");
  const uint64_t to_ns = Number(told, "/elsewhere/0/to_ns");
  const std::string moment =
      Far(absl::StrCat("/api/0/moment?thread=", thread, "&at=", to_ns - 1'000));
  EXPECT_THAT(moment, HasSubstr(R"("state":"run")"));
}

TEST_F(FarNodes, ASliceTellsWhoDoesNotAnswer) {
  const uint64_t thread = Thread(1, 1);
  asked_->SetAway("db");
  rapidjson::Document told;
  told.Parse(Far(absl::StrCat("/api/1/slice?thread=", thread, "&at=19500000")).c_str());
  EXPECT_EQ(rapidjson::Pointer("/elsewhere").Get(told)->Size(), 0u);
  EXPECT_THAT(rapidjson::Pointer("/notes/0").Get(told)->GetString(),
              HasSubstr("db does not answer"));
}

TEST_F(FarNodes, ANodeThatIsAwayLeavesTheOthers) {
  asked_->SetAway("db");
  EXPECT_THAT(Far("/api/0/page"), HasSubstr("db: nobody listens there"));
  EXPECT_EQ(Get(far_site_, "/api/1/page").status, 200u);
}

TEST_F(FarNodes, MomentsThatAreNotThereAreRefused) {
  EXPECT_EQ(Get(far_site_, "/api/1/slice?thread=99999&at=5").status, 400u);
  EXPECT_EQ(Get(far_site_, "/api/1/slice?thread=0&at=no").status, 400u);
  EXPECT_EQ(Get(far_site_, "/api/1/slice?thread=0&at=5&more=1").status, 400u);
}

RC_GTEST_FIXTURE_PROP(FarNodes, AnswersWhateverAPageAsks, ()) {
  const std::span<const Endpoint> endpoints = AllEndpoints();
  const Endpoint& endpoint = endpoints[*rc::gen::inRange<size_t>(0, endpoints.size())];
  std::string target = absl::StrCat("/api/0/", std::string(endpoint.name), "?");
  for (int i = *rc::gen::inRange(0, 4); i > 0; --i)
    absl::StrAppend(
        &target,
        *rc::gen::element<std::string>("from", "to", "thread", "at", "rows", "threads", "pixels",
                                       "level", "sql", "kind", "scope", "limit", "window", "by",
                                       "sel", "change", "after", "with", "overview", "again"),
        "=",
        *rc::gen::element<std::string>("0", "1", "5000000", "18446744073709551615", "-1", "t0,n0",
                                       "thread", "wait", "SELECT+1", "%3Cb%3E", "", "async:db"),
        "&");
  const HttpAnswer answer = Get(far_site_, target);
  RC_LOG() << target << " " << answer.status << "\n";
  RC_ASSERT(answer.status == 200 || answer.status == 400 || answer.status == 404 ||
            answer.status == 500);
  if (answer.content_type == kJsonType) RC_ASSERT(IsJson(*answer.body));
}

// Random fields in the answers of the database's node.
RC_GTEST_FIXTURE_PROP(FarNodes, PagesStayWholeWhateverANodeAnswers, ()) {
  const NearNodes honest = testing::WithoutPacking(asked_->nodes());
  NearNodes nodes = honest;
  auto number = *rc::gen::arbitrary<uint32_t>();
  nodes.ask = [&](size_t node, const pb::NearQuestion& question) -> absl::StatusOr<pb::NearAnswer> {
    auto answer = honest.ask(node, question);
    if (node != 0 || !answer.ok() || answer->has_about()) return answer;
    return testing::GarbledAnswer(*answer, number);
  };
  const auto slice = FarSliceJson(nodes, 1, {{"thread", "0"}, {"at", "19500000"}});
  if (slice.ok()) RC_ASSERT(IsJson(*slice));
}

TEST_F(FarNodes, ReadsAgainWhatHasGrown) {
  const std::string before = Far("/api/1/brief");
  TestCluster grown;
  grown.Node("web");
  grown.Node("db");
  BeginFrontAndDatabase(grown);
  AskFrontAndDatabase(grown, 10_ms, 1000);
  AskFrontAndDatabase(grown, 40_ms, 2000);
  grown.Measure(80_ms, 10_ms);
  std::filesystem::remove_all(dir_ / "run");
  grown.Write(dir_ / "run");
  EXPECT_EQ(Far("/api/1/brief"), before);
  EXPECT_NE(Far("/api/1/brief?again=1"), before);
  EXPECT_EQ(Get(far_site_, "/api/1/page").status, 200u);
}

}  // namespace
}  // namespace gordian
