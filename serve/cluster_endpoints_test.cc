// SPDX-License-Identifier: Apache-2.0
// The endpoints of the cluster, trend and frame views.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidjson/document.h>

#include <memory>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "serve/all_endpoints.h"
#include "serve/stored_recording.h"
#include "views/test_talking.h"

namespace gordian {
namespace {

using ::testing::HasSubstr;

using ClusterAnswerer = absl::StatusOr<ViewAnswer> (*)(const ViewRequest&);

class ClusterEndpoints : public ::testing::Test {
 protected:
  ClusterEndpoints() {
    auto recording = std::make_unique<StoredRecording>(
        talk_.folder(), ServedOptions{.rack_of_node = {{"web", "r1"}, {"db", "r2"}}});
    recording->Load();
    recordings_.Add(std::move(recording));
  }

  absl::StatusOr<ViewAnswer> Ask(ClusterAnswerer answer, ViewParameters parameters) const {
    auto served = recordings_.AnalysisOf(0);
    if (!served.ok()) return served.status();
    return answer({.recording = recordings_.at(0),
                   .recordings = recordings_,
                   .served = *std::move(served),
                   .parameters = std::move(parameters),
                   .stop_asked = [] { return false; }});
  }
  rapidjson::Document Json(ClusterAnswerer answer, ViewParameters parameters) const {
    rapidjson::Document json;
    const auto told = Ask(answer, std::move(parameters));
    EXPECT_TRUE(told.ok()) << told.status();
    if (told.ok()) json.Parse(told->body.data(), told->body.size());
    EXPECT_FALSE(json.HasParseError());
    return json;
  }
  void Refuses(ClusterAnswerer answer, ViewParameters parameters, const std::string& why) const {
    const auto told = Ask(answer, std::move(parameters));
    EXPECT_TRUE(absl::IsInvalidArgument(told.status()) || absl::IsNotFound(told.status()))
        << told.status();
    EXPECT_THAT(std::string(told.status().message()), HasSubstr(why));
  }

  const TalkingRecording talk_;
  ServedRecordings recordings_;
};

uint64_t SumOf(const rapidjson::Value& numbers) {
  uint64_t sum = 0;
  for (const auto& number : numbers.GetArray()) sum += number.GetUint64();
  return sum;
}

TEST_F(ClusterEndpoints, TellAmountsOfRacks) {
  const auto json =
      Json(AnswerAmounts, {{"level", "rack"}, {"bytes", "1"}, {"participation", "1"}});
  EXPECT_TRUE(json["has_packets"].GetBool());
  ASSERT_EQ(json["units"]["name"].Size(), 2u);
  EXPECT_EQ(SumOf(json["units"]["sent_bytes"]),
            TalkingRecording::kAskedInAll + 10 * TalkingRecording::kAnswered);
  double participation = 0;
  for (const auto& share : json["units"]["participation"].GetArray())
    participation += share.GetDouble();
  EXPECT_NEAR(participation, 1, 1e-9);
}

TEST_F(ClusterEndpoints, TellWhatTakesAPassWhenItIsAskedFor) {
  const auto json = Json(AnswerAmounts, {});
  EXPECT_FALSE(json["has_packets"].GetBool());
  EXPECT_STREQ(json["no_packets"].GetString(), "") << "nothing is missing";
  EXPECT_FALSE(json["has_participation"].GetBool());
  EXPECT_EQ(SumOf(json["units"]["sent_bytes"]), 0u);
}

TEST_F(ClusterEndpoints, TellTheSameInWindowsAsOverAllOfThem) {
  const auto trend = Json(AnswerTrend, {{"window", "10000000"}, {"bytes", "1"}});
  const auto matrix = Json(AnswerMatrix, {{"what", "bytes"}});
  uint64_t sent = 0;
  for (const auto& row : trend["rows"].GetArray()) sent += SumOf(row["values"]["sent_bytes"]);
  EXPECT_EQ(sent, SumOf(matrix["entries"]["amount"]));
  uint64_t by_frame = 0;
  const auto& windows = trend["windows"];
  for (rapidjson::SizeType i = 0; i < windows["from_ns"].Size(); ++i) {
    const auto frame =
        Json(AnswerMatrix, {{"what", "bytes"},
                            {"window", "10000000"},
                            {"from", absl::StrCat(windows["from_ns"][i].GetUint64())},
                            {"to", absl::StrCat(windows["to_ns"][i].GetUint64())}});
    by_frame += SumOf(frame["entries"]["amount"]);
  }
  EXPECT_EQ(by_frame, sent);
}

TEST_F(ClusterEndpoints, TellWindowsOfPhases) {
  const auto json = Json(AnswerTrend, {{"phase", "round"}});
  EXPECT_EQ(json["windows"]["label"].Size(), 10u);
  EXPECT_STREQ(json["windows"]["label"][0].GetString(), "round 1");
  EXPECT_STREQ(json["phase_names"][0].GetString(), "round");
}

TEST_F(ClusterEndpoints, RefuseWhatMakesNoSenseInOneLine) {
  Refuses(AnswerAmounts, {{"level", "galaxy"}}, "level");
  Refuses(AnswerAmounts, {{"from", "5"}, {"to", "5"}}, "to");
  Refuses(AnswerAmounts, {{"from", "900000000000"}}, "none of the recorded time");
  Refuses(AnswerAmounts, {{"colour", "red"}}, "not known");
  Refuses(AnswerTrend, {{"window", "1"}}, "choose longer windows");
  Refuses(AnswerTrend, {{"phase", "nap"}}, "nap");
  Refuses(AnswerTrend, {{"only", "1,x"}}, "only");
  Refuses(AnswerMatrix, {{"what", "bytes"}, {"level", "thread"}}, "packets belong to processes");
  Refuses(AnswerMatrix, {{"most", "100000"}}, "most");
}

TEST_F(ClusterEndpoints, IgnoreUnitsThatDoNotExist) {
  const auto json = Json(AnswerTrend, {{"only", "0,4000000000,4294967297,18446744073709551615"}});
  EXPECT_EQ(json["rows"].Size(), 1u);
}

}  // namespace
}  // namespace gordian
