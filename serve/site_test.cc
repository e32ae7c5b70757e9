// SPDX-License-Identifier: Apache-2.0
#include "serve/site.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <string>
#include <thread>
#include <utility>

#include "serve/served_recordings.h"
#include "tests/support/temp_dir.h"
#include "tests/support/varying_trace.h"

namespace gordian {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;
using testing::TempDir;
using testing::VaryingTrace;

constexpr char kToken[] = "0123456789abcdef0123456789abcdef";

class SiteOverRecordings : public ::testing::Test {
 protected:
  SiteOverRecordings() {
    EXPECT_TRUE(VaryingTrace({}).WriteSession(dir_ / "a\"<b>").ok());
    recordings_.Add(std::make_unique<StoredRecording>(dir_ / "a\"<b>", ServedOptions{}));
    recordings_.Add(std::make_unique<StoredRecording>(dir_ / "nothing", ServedOptions{}));
  }

  void ReadAll() {
    recordings_.Start();
    while (recordings_.at(0).status().state == ServedState::kReading ||
           recordings_.at(1).status().state == ServedState::kReading)
      std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }

  HttpAnswer Ask(HttpRequestHead head) const {
    if (head.method.empty()) head.method = "GET";
    if (head.host.empty()) head.host = "127.0.0.1:9000";
    return site_.Answer(head, [] { return false; });
  }
  // As a page asks that has the cookie.
  HttpAnswer Get(const std::string& target) const {
    return Ask({.target = target, .cookie = std::string("gordian-9000=") + kToken});
  }
  static std::string BodyOf(const HttpAnswer& answer) {
    return answer.body == nullptr ? "" : *answer.body;
  }
  static std::string FieldOf(const HttpAnswer& answer, const std::string& name) {
    for (const auto& [field, value] : answer.fields)
      if (field == name) return value;
    return "";
  }

  TempDir dir_;
  ServeAccess access_{kToken, 9000};
  ServedRecordings recordings_;
  Site site_{access_, recordings_};
};

TEST_F(SiteOverRecordings, ThePrintedAddressLeadsInByACookie) {
  const HttpAnswer entered = Ask({.target = access_.EntryTarget()});
  EXPECT_EQ(entered.status, 303u);
  EXPECT_EQ(FieldOf(entered, "Location"), "/");
  EXPECT_EQ(FieldOf(entered, "Set-Cookie"), access_.Cookie());
  EXPECT_THAT(BodyOf(Get("/")), HasSubstr("<html"));
}

TEST_F(SiteOverRecordings, ALinkOfAnotherPageLeadsInByAPageOfOurOwn) {
  const HttpAnswer entered = Ask({.target = access_.EntryTarget(), .fetch_site = "cross-site"});
  EXPECT_EQ(entered.status, 200u);
  EXPECT_THAT(BodyOf(entered), HasSubstr("url=/"));
  EXPECT_EQ(FieldOf(entered, "Set-Cookie"), access_.Cookie());
}

TEST_F(SiteOverRecordings, WithoutTheTokenThereIsNothing) {
  ReadAll();
  for (const char* target :
       {"/", "/app.js", "/app.css", "/icon.svg", "/api/recordings", "/api/0/page", "/nothing",
        "/?token=", "/?token=0123456789abcdef0123456789abcdee", "/?token"}) {
    const HttpAnswer answer = Ask({.target = target});
    EXPECT_EQ(answer.status, 403u) << target;
    EXPECT_THAT(BodyOf(answer), HasSubstr("gordian serve printed")) << target;
    EXPECT_EQ(FieldOf(answer, "Set-Cookie"), "") << target;
  }
}

TEST_F(SiteOverRecordings, OtherHostsAndForeignPagesAreRefusedEvenWithTheToken) {
  const std::string bearer = std::string("Bearer ") + kToken;
  EXPECT_EQ(Ask({.target = "/", .host = "evil.example:9000", .authorization = bearer}).status,
            403u);
  EXPECT_EQ(Ask({.target = access_.EntryTarget(), .host = "evil.example"}).status, 403u);
  EXPECT_EQ(
      Ask({.target = "/api/recordings", .origin = "http://evil.example", .authorization = bearer})
          .status,
      403u);
  EXPECT_EQ(Ask({.target = "/api/recordings", .fetch_site = "cross-site", .authorization = bearer})
                .status,
            403u);
  EXPECT_EQ(Ask({.target = "/api/recordings", .authorization = bearer, .hosts = 2}).status, 403u);
  EXPECT_EQ(
      Ask({.target = "/api/recordings", .host = "localhost:1", .authorization = bearer}).status,
      200u);
}

TEST_F(SiteOverRecordings, OnlyReads) {
  for (const char* method :
       {"POST", "PUT", "DELETE", "OPTIONS", "CONNECT", "TRACE", "get", "BREW"}) {
    const HttpAnswer answer =
        Ask({.method = method, .target = "/", .authorization = std::string("Bearer ") + kToken});
    EXPECT_EQ(answer.status, 405u) << method;
    EXPECT_EQ(FieldOf(answer, "Allow"), "GET, HEAD");
  }
}

TEST_F(SiteOverRecordings, EveryAnswerIsProtected) {
  for (const HttpAnswer& answer :
       {Get("/"), Get("/app.js"), Get("/api/recordings"), Get("/nothing"), Ask({.target = "/"}),
        Ask({.target = access_.EntryTarget()})}) {
    EXPECT_THAT(FieldOf(answer, "Content-Security-Policy"),
                AllOf(HasSubstr("default-src 'none'"), HasSubstr("frame-ancestors 'none'"),
                      Not(HasSubstr("unsafe"))));
    EXPECT_EQ(FieldOf(answer, "X-Content-Type-Options"), "nosniff");
    EXPECT_EQ(FieldOf(answer, "Referrer-Policy"), "no-referrer");
    EXPECT_EQ(FieldOf(answer, "Cross-Origin-Resource-Policy"), "same-origin");
  }
  EXPECT_EQ(FieldOf(Get("/api/recordings"), "Cache-Control"), "no-store");
}

TEST_F(SiteOverRecordings, TellsThatARecordingIsBeingRead) {
  EXPECT_THAT(BodyOf(Get("/api/recordings")), HasSubstr("\"state\":\"reading\""));
  EXPECT_EQ(Get("/api/0/page").status, 503u);
  EXPECT_EQ(Get("/api/0/report").status, 503u);
}

TEST_F(SiteOverRecordings, TellsWhatIsRead) {
  ReadAll();
  const std::string recordings = BodyOf(Get("/api/recordings"));
  EXPECT_THAT(recordings, HasSubstr("\"state\":\"ready\""));
  EXPECT_THAT(recordings, HasSubstr("\"name\":\"a\\\"<b>\""));
  EXPECT_THAT(recordings, HasSubstr("nothing does not exist"));
  const HttpAnswer page = Get("/api/0/page");
  EXPECT_EQ(page.status, 200u);
  EXPECT_EQ(page.content_type, "application/json");
  EXPECT_THAT(BodyOf(page), StartsWith("{\"report\":"));
  EXPECT_EQ(Get("/api/1/page").status, 404u);
  EXPECT_THAT(BodyOf(Get("/api/1/page")), HasSubstr("{\"error\":"));
}

TEST_F(SiteOverRecordings, TellsOfAPartOfTheTime) {
  ReadAll();
  const HttpAnswer part = Get("/api/0/report?from=0&to=500000000");
  EXPECT_EQ(part.status, 200u) << BodyOf(part);
  EXPECT_THAT(BodyOf(part), HasSubstr("\"edges\":[{"));
  const HttpAnswer participation = Get("/api/0/participation?by=thread&window=100000000");
  EXPECT_EQ(participation.status, 200u) << BodyOf(participation);
  EXPECT_THAT(BodyOf(participation), HasSubstr("\"windows\":[{"));
  EXPECT_EQ(Get("/api/0/participation?by=thread&window=100000000").body, participation.body)
      << "kept";
}

TEST_F(SiteOverRecordings, SaysInALineWhatAQuestionLacks) {
  ReadAll();
  for (const char* target :
       {"/api/0/report?from=x", "/api/0/report?from=5&to=4", "/api/0/report?form=5",
        "/api/0/page?x=1", "/api/0/participation?by=%3Cb%3E", "/api/0/participation?window=1",
        "/api/0/report?from=%", "/api/0/page?pin=-1", "/api/0/report?from=9000000000000000000"}) {
    const HttpAnswer answer = Get(target);
    EXPECT_EQ(answer.status, 400u) << target;
    EXPECT_THAT(BodyOf(answer), Not(HasSubstr("<b>"))) << target;
  }
}

TEST_F(SiteOverRecordings, HasNoOtherPaths) {
  ReadAll();
  for (const char* target : {"/api", "/api/", "/api/0", "/api/0/", "/api/2/page", "/api/-1/page",
                             "/api/+0/page", "/api/0x0/page", "/api/99999999999999999999/page",
                             "/api/0/nothing", "/api/0/page/", "/../../etc/passwd", "/app.js/..",
                             "//app.js", "/%61pp.js", "/api/0/live", "/api/0/live_strip"})
    EXPECT_EQ(Get(target).status, 404u) << target;
}

TEST_F(SiteOverRecordings, AnAnswerThatNobodyWaitsForIsNone) {
  ReadAll();
  const HttpAnswer answer = site_.Answer({.method = "GET",
                                          .target = "/api/0/report",
                                          .host = "localhost",
                                          .authorization = std::string("Bearer ") + kToken},
                                         [] { return true; });
  EXPECT_EQ(answer.status, 504u);
}

TEST_F(SiteOverRecordings, EndsWhileItReads) {
  recordings_.Start();
  EXPECT_TRUE(recordings_.EndWithin(std::chrono::seconds(60)));
}

}  // namespace
}  // namespace gordian
