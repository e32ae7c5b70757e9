// SPDX-License-Identifier: Apache-2.0
#include "output/html_report.h"

#include <gmock/gmock.h>
#include <google/protobuf/util/json_util.h>
#include <google/protobuf/util/message_differencer.h>
#include <gtest/gtest.h>

#include "absl/strings/str_cat.h"
#include "report/test_reports.h"

namespace gordian {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

pb::PageData PageOf(const std::string& name) {
  pb::PageData page;
  *page.mutable_report() = TestReport(name);
  page.set_strip_bins(10);
  return page;
}

// The text between <script type="application/json" …> and the next </script>.
std::string DataOf(const std::string& html) {
  const std::string open = "<script type=\"application/json\" id=\"data\">";
  const size_t begin = html.find(open) + open.size();
  return html.substr(begin, html.find("</script", begin) - begin);
}

TEST(HtmlReport, AsksNobodyForAnything) {
  const std::string html = HtmlReport(PageOf("figure1"));
  for (const char* reference :
       {"http:", "https:", "//cdn", "src=", "href=", "@import", "url(", "import(", "fetch("}) {
    EXPECT_THAT(html, Not(HasSubstr(reference)));
  }
  EXPECT_THAT(html, HasSubstr("default-src 'none'"));
  EXPECT_THAT(html, Not(HasSubstr("@STYLE@")));
}

TEST(HtmlReport, NamesCannotLeaveTheDataElement) {
  const std::string plain = HtmlReport(PageOf("figure1"));
  const std::string hostile = HtmlReport(PageOf("hostile"));
  EXPECT_EQ(CountOf(hostile, "<script"), CountOf(plain, "<script"));
  EXPECT_EQ(CountOf(hostile, "</script"), CountOf(plain, "</script"));
  EXPECT_EQ(CountOf(hostile, "<img"), 0u);
  EXPECT_EQ(CountOf(hostile, "<!--"), CountOf(plain, "<!--"));
}

TEST(HtmlReport, DataIsTheWholeReport) {
  pb::PageData page = PageOf("lossy");
  pb::EdgeHistory* history = page.add_histories();
  history->set_from(0);
  history->set_to(2);
  history->add_bins(3);
  history->add_waited(0.5f);
  history->add_buckets(20);
  history->add_bucket_counts(300'000);
  pb::PageData back;
  ASSERT_TRUE(google::protobuf::util::JsonStringToMessage(DataOf(HtmlReport(page)), &back).ok());
  EXPECT_TRUE(google::protobuf::util::MessageDifferencer::Equals(back, page));
}

TEST(HtmlReport, HoldsAnswersForViewsThatAsk) {
  const std::vector<EmbeddedAnswer> answers = {
      {"units", R"({"nodes":[{"name":"</script><b>"}]})"},
      {"tiles?from=0&to=9", std::string("\x01\x02\xff", 3), true}};
  const std::string html = HtmlReport(PageOf("figure1"), answers);
  EXPECT_THAT(html, HasSubstr(R"("units":{"nodes":[{"name":"\u003c/script>\u003cb>"}]})"));
  EXPECT_THAT(html, HasSubstr(R"("tiles?from=0&to=9":{"base64":"AQL/"})"));
  EXPECT_THAT(html, HasSubstr("\"left_out\":0"));
}

TEST(HtmlReport, LeavesOutWhatFindsNoRoomAndSaysSo) {
  const std::vector<EmbeddedAnswer> answers = {
      {"small", "[1]"}, {"large", std::string(6 << 20, ' ')}, {"last", "[2]"}};
  const std::string html = HtmlReport(PageOf("figure1"), answers);
  EXPECT_LT(html.size(), kMostHtmlBytes);
  EXPECT_THAT(html, HasSubstr("\"small\":[1],\n\"last\":[2]},\"left_out\":1}"));
}

TEST(HtmlReport, AReportThatFindsNoRoomIsCompressed) {
  pb::PageData page = PageOf("figure1");
  for (int i = 0; i < 60'000; ++i) {
    pb::ReportPhase& phase = *page.mutable_report()->add_phases();
    phase.set_path(absl::StrCat("/Job/Superstep[", i, "]/Compute/<b>a path that is not short"));
  }
  const std::vector<EmbeddedAnswer> answers = {{"small", "[1]"}};
  const std::string html = HtmlReport(page, answers);
  EXPECT_LT(html.size(), kMostHtmlBytes);
  EXPECT_THAT(DataOf(html).substr(0, 30), StartsWith(R"({"gzip":"H4sI)"));
  EXPECT_THAT(html, HasSubstr("\"small\":[1]},\"left_out\":0"));
}

TEST(HtmlReport, MarksInNamesAreNotFilledIn) {
  pb::PageData page = PageOf("figure1");
  page.mutable_report()->mutable_vertices(0)->set_name("@SCRIPT@");
  EXPECT_THAT(DataOf(HtmlReport(page)), HasSubstr("@SCRIPT@"));
}

}  // namespace
}  // namespace gordian
