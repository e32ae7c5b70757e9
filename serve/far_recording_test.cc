// SPDX-License-Identifier: Apache-2.0
// Recordings that lie on their nodes, as pages ask about them: a node is a function here, and
// answers whatever it likes.
#include "serve/far_recording.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <future>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "serve/served_recordings.h"
#include "serve/site.h"

namespace gordian {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr char kFarToken[] = "0123456789abcdef0123456789abcdef";

class FarRecordings : public ::testing::Test {
 protected:
  FarRecordings() {
    for (const char* name : {"web1", "db<1>"}) {
      recordings_.Add(std::make_unique<FarRecording>(FarSource{
          .name = name,
          .directory = "web",
          .state = [this] { return state_; },
          .ask = [this](std::string_view endpoint, const ViewParameters& parameters,
                        bool read_again) { return Ask(endpoint, parameters, read_again); }}));
    }
    recordings_.SetInstead("gordian collect web --nodes all");
  }

  absl::StatusOr<FarAnswer> Ask(std::string_view endpoint, const ViewParameters& parameters,
                                bool read_again) {
    std::string text(endpoint);
    for (const auto& [name, value] : parameters) text += " " + name + "=" + value;
    if (read_again) text += " anew";
    asked_.push_back(text);
    if (hold_ != nullptr && endpoint == "page") hold_->get_future().wait();
    return answer_;
  }

  HttpAnswer Get(const std::string& target) const {
    return site_.Answer({.method = "GET",
                         .target = target,
                         .host = "127.0.0.1:9000",
                         .cookie = std::string("gordian-9000=") + kFarToken},
                        [] { return false; });
  }
  static std::string BodyOf(const HttpAnswer& answer) { return *answer.body; }

  absl::StatusOr<FarState> state_ = FarState{.state = "recording", .seconds = 2, .bytes = 7};
  absl::StatusOr<FarAnswer> answer_ = FarAnswer{.body = "{\"a\":1}", .reading = 5};
  std::vector<std::string> asked_;
  std::promise<void>* hold_ = nullptr;
  ServeAccess access_{kFarToken, 9000};
  ServedRecordings recordings_;
  Site site_{access_, recordings_};
};

TEST_F(FarRecordings, AreListedAsNodesWithWhatHasTheRest) {
  const std::string list = BodyOf(Get("/api/recordings"));
  EXPECT_THAT(list, HasSubstr(R"("name":"web1","directory":"web","kind":"node","state":"ready")"));
  EXPECT_THAT(list, HasSubstr(R"("instead":"gordian collect web --nodes all")"));
}

TEST_F(FarRecordings, QuestionsGoToTheNodeAsTheyAre) {
  const HttpAnswer answer = Get("/api/0/report?from=5&to=7");
  EXPECT_EQ(BodyOf(answer), "{\"a\":1}");
  EXPECT_EQ(answer.content_type, "application/json");
  EXPECT_THAT(asked_, ElementsAre("report from=5 to=7"));
}

TEST_F(FarRecordings, AnAnswerIsKept) {
  Get("/api/0/report");
  Get("/api/0/report");
  EXPECT_EQ(asked_.size(), 1u);
  Get("/api/1/report");
  EXPECT_EQ(asked_.size(), 2u);
}

TEST_F(FarRecordings, AnAnswerThatTellsNoReadingIsNotKept) {
  Get("/api/0/page");
  answer_->reading = 0;
  Get("/api/0/slice");
  Get("/api/0/slice");
  EXPECT_THAT(asked_, ElementsAre("page", "slice", "slice"));
}

TEST_F(FarRecordings, WhatIsAskedAgainIsReadAgain) {
  Get("/api/0/brief");
  answer_->reading = 6;
  Get("/api/0/brief?again=1");
  EXPECT_THAT(asked_, ElementsAre("brief", "brief anew"));
}

TEST_F(FarRecordings, APageNeverMixesTwoReadings) {
  EXPECT_EQ(Get("/api/0/page").status, 200u);
  answer_->reading = 6;
  const HttpAnswer mixed = Get("/api/0/units");
  EXPECT_EQ(mixed.status, 400u);
  EXPECT_THAT(BodyOf(mixed), HasSubstr("web1: its recording was read again"));
  EXPECT_EQ(Get("/api/0/units?x=1").status, 400u);
}

TEST_F(FarRecordings, APageThatIsLoadedAnewGoesOnWithTheNewReading) {
  Get("/api/0/units");
  answer_->reading = 6;
  EXPECT_EQ(Get("/api/0/page").status, 200u);
  EXPECT_EQ(Get("/api/0/tiles").status, 200u);
}

TEST_F(FarRecordings, WhatIsNoJsonIsNotPassedOn) {
  answer_->body = "<script>alert(1)</script>";
  const HttpAnswer answer = Get("/api/1/page");
  EXPECT_EQ(answer.status, 500u);
  EXPECT_EQ(answer.content_type, "application/json");
  EXPECT_THAT(BodyOf(answer), HasSubstr("its answer is not JSON"));
  EXPECT_THAT(BodyOf(answer), Not(HasSubstr("script")));
}

TEST_F(FarRecordings, BytesHaveTheTypeOfTheirQuestion) {
  answer_->body = "<html>";
  const HttpAnswer answer = Get("/api/0/tiles");
  EXPECT_EQ(answer.status, 200u);
  EXPECT_EQ(answer.content_type, "application/octet-stream");
}

TEST_F(FarRecordings, WhatIsTooLongIsNotPassedOn) {
  answer_->body = "\"" + std::string(17 << 20, 'a') + "\"";
  EXPECT_THAT(BodyOf(Get("/api/0/page")), HasSubstr("too long"));
}

TEST_F(FarRecordings, ANodeThatDoesNotAnswerIsNamedAndNotAskedOn) {
  answer_ = absl::UnavailableError("no daemon listens at\n10.0.0.1:7470");
  const HttpAnswer answer = Get("/api/1/page");
  EXPECT_EQ(answer.status, 500u);  // 503 would make the page ask for ever
  EXPECT_THAT(BodyOf(answer), HasSubstr("db<1>: no daemon listens at"));
  state_ = answer_.status();
  EXPECT_EQ(Get("/api/1/state").status, 500u);
}

TEST_F(FarRecordings, WhatItsSessionDoesIsToldWithoutReadingIt) {
  EXPECT_EQ(BodyOf(Get("/api/0/state")),
            R"({"state":"recording","seconds":2.0,"events":0,"lost":0,"bytes":7})");
  EXPECT_THAT(asked_, ElementsAre());
}

TEST_F(FarRecordings, ABusyNodeIsAskedAgainAndHoldsUpNoOther) {
  std::promise<void> hold;
  hold_ = &hold;
  auto slow = std::async(std::launch::async, [&] {
    unsigned status = 503;
    while (status == 503) status = Get("/api/0/page").status;
    return status;
  });
  // Each another question, as answers are kept.
  for (int i = 0; Get("/api/0/units?n=" + std::to_string(i)).status != 503; ++i) {
  }
  EXPECT_EQ(Get("/api/1/units").status, 200u);
  hold.set_value();
  EXPECT_EQ(slow.get(), 200u);
}

TEST_F(FarRecordings, WhatIsAboutNoRecordingIsAnsweredHere) {
  EXPECT_THAT(BodyOf(Get("/api/0/schema")), HasSubstr("\"tables\""));
  EXPECT_EQ(Get("/api/0/live").status, 404u);
  EXPECT_EQ(Get("/api/0/nothing").status, 404u);
  EXPECT_THAT(asked_, ElementsAre());
}

}  // namespace
}  // namespace gordian
