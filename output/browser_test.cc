// The HTML page in a real browser without a screen. Each test adds a script to the page that uses
// it as a person would and leaves its observations in <html data-seen="…">; the browser then prints
// the document.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>

#include <array>
#include <cstdio>
#include <filesystem>
#include <fstream>

#include "output/html_report.h"
#include "report/test_reports.h"

namespace gordian {
namespace {

using ::testing::StartsWith;

class Browser : public ::testing::Test {
 protected:
  void SetUp() override {
    if (std::system("command -v chromium >/dev/null 2>&1") != 0)
      GTEST_SKIP() << "chromium is not installed (scripts/setup installs it)";
    std::string pattern = ::testing::TempDir() + "/gordian-browser-XXXXXX";
    ASSERT_NE(mkdtemp(pattern.data()), nullptr);
    folder_ = pattern;
  }
  void TearDown() override {
    if (!folder_.empty()) std::filesystem::remove_all(folder_);
  }

  // The result of `script`, run in the page when it stands; errors of the page come first.
  std::string Use(const pb::PageData& page, const std::string& script) {
    std::string html = HtmlReport(page);
    const std::string watch =
        "<script>addEventListener('error', (e) => document.documentElement.dataset.broken = "
        "e.message);"
        "window.alert = () => document.documentElement.dataset.broken = 'alert';</script>";
    html.insert(html.find("<script type="), watch);
    html +=
        "<script>const all = (what) => [...document.querySelectorAll(what)];"
        "const click = (what) => document.querySelector(what).dispatchEvent(new "
        "MouseEvent('click', {bubbles: true}));"
        "const text = (what) => document.querySelector(what).textContent;"
        "document.documentElement.dataset.seen = (() => {" +
        script + "})();</script>";
    const std::string path = folder_ + "/page.html";
    std::ofstream(path) << html;
    const std::string document =
        Run("chromium --headless --no-sandbox --disable-gpu --user-data-dir='" + folder_ +
            "/profile' --window-size=1400,1000 --dump-dom 'file://" + path + "' 2>/dev/null");
    return Attribute(document, "data-broken") + Attribute(document, "data-seen");
  }

 private:
  static std::string Run(const std::string& command) {
    std::string output;
    FILE* pipe = popen(command.c_str(), "r");
    EXPECT_NE(pipe, nullptr);
    std::array<char, 65536> buffer{};
    for (size_t got = 0; (got = fread(buffer.data(), 1, buffer.size(), pipe)) > 0;)
      output.append(buffer.data(), got);
    EXPECT_EQ(pclose(pipe), 0);
    return output;
  }
  // Of the document's first tag.
  static std::string Attribute(const std::string& document, const std::string& name) {
    const std::string tag = document.substr(0, document.find("<head"));
    const size_t at = tag.find(name + "=\"");
    if (at == std::string::npos)
      return name == "data-seen" ? "the page's script did not run: " + document.substr(0, 300) : "";
    const size_t begin = at + name.size() + 2;
    return tag.substr(begin, tag.find('"', begin) - begin);
  }

  std::string folder_;
};

TEST_F(Browser, ShowsTheKnotAndWhoWaitsForIt) {
  EXPECT_EQ(Use(TestPage(TestReport("figure1")),
                "return [all('.node').length, all('.node.knot').length, all('.edge').length, "
                "all('.edge.knot').length, text('#verdict')].join('|')"),
            "3|2|3|2|B and the disk vda hold each other up: when one works, the other waits.");
}

TEST_F(Browser, ClickOnAnEdgeShowsItsWaitsOverTime) {
  EXPECT_EQ(Use(TestPage(TestReport("figure1")),
                "click('.edge[data-edge=\"1>2\"]');"
                "return [text('#panel h2'), all('#panel .chart').length, "
                "all('.edge.picked').length, text('#panel dl')].join('|')"),
            "B waits for vda|2|1|own waits5 shanded on by others5 snumber of waits1,000mean5 "
            "mslongest9.1 ms");
}

// B's waits: Commit three times of four, else Truncate, both called by Serve.
void AddStacks(pb::Report& report) {
  for (const char* label : {"ext4_sync_file", "FileLog::Commit (log.cc:88)", "FileLog::Truncate",
                            "Serve <img src=x onerror=alert(1)>"})
    report.add_code()->set_label(label);
  report.mutable_code(0)->set_kernel(true);
  pb::ReportEdge& edge = *report.mutable_edges(1);
  ASSERT_EQ(edge.from(), 1u);
  ASSERT_EQ(edge.to(), 2u);
  const auto add = [](double share, std::vector<uint32_t> frames, auto& stacks) {
    pb::CodeStack& stack = *stacks.Add();
    stack.set_share(share);
    stack.mutable_frames()->Add(frames.begin(), frames.end());
  };
  add(0.75, {0, 1, 3}, *edge.mutable_waiter_stacks());
  add(0.25, {0, 2, 3}, *edge.mutable_waiter_stacks());
  edge.set_waiter_samples(40);
  pb::WaitReason& reason = *edge.add_reasons();
  reason.set_reason("disk");
  reason.set_share(1);
  pb::WaitObject& object = *reason.add_objects();
  object.set_text("fsync of /var/<b>wal</b>");
  object.set_share(0.97);
  object.set_remark("2 threads");
  add(1, {3}, *report.mutable_vertices(1)->mutable_running_stacks());
  report.mutable_vertices(1)->set_running_samples(7);
}

TEST_F(Browser, ClickOnAnEdgeShowsWhereInItsCodeItWaits) {
  pb::Report report = TestReport("figure1");
  AddStacks(report);
  EXPECT_EQ(Use(TestPage(report), R"(
      click('.edge[data-edge="1>2"]');
      const wide = () => all('.flames .frame').map((frame) => frame.querySelector('title').textContent.split(':').pop().trim()
        + Math.round(Number(frame.querySelector('rect').getAttribute('width')))).join(',');
      const before = wide();
      all('.flames .frame')[2].dispatchEvent(new MouseEvent('click', {bubbles: true}));
      return [text('.reasons'), text('.objects'), all('.objects b').length, all('.flames').length, before, all('.flames .frame.kernel').length, wide()].join('|');)"),
            "disk 100 %|97 %  fsync of /var/&lt;b&gt;wal&lt;/b&gt; 2 threads|0|1|100 %360,100 "
            "%360,25 %90,25 %90,75 %270,75 %270|1|"
            "100 %360,100 %360,25 %360,25 %360");
}

TEST_F(Browser, ClickOnAThreadShowsWhereItRuns) {
  pb::Report report = TestReport("figure1");
  AddStacks(report);
  EXPECT_EQ(Use(TestPage(report), R"(
      click('.node[data-vertex="1"]');
      return [all('.flames').length, all('.flames .frame').length, all('img').length,
              all('#panel .quiet').pop().textContent].join('|');)"),
            "1|2|0|7 samples");
}

TEST_F(Browser, ListsWhatIsWorthAnnotatingAndLeadsToItsThread) {
  pb::Report report = TestReport("figure1");
  const auto add = [&report](const std::string& text, bool matters) {
    pb::Suggestion& suggestion = *report.add_suggestions();
    suggestion.set_vertex(1);
    suggestion.set_text(text);
    suggestion.set_advice("Declare it.");
    suggestion.add_probes("gordian_spin_begin(&lock)");
    suggestion.add_probes("gordian_spin_end(&lock)");
    suggestion.set_matters(matters);
  };
  add("B spins <img src=x onerror=alert(1)> at Take (queue.cc:7).", true);
  add("Hardly worth a word.", false);
  EXPECT_EQ(Use(TestPage(report), R"(
      const told = all('.suggestions li').map((item) => item.textContent).join();
      click('.suggestions button');
      return [told, all('img').length, text('#panel h2')].join('|');)"),
            "B spins &lt;img src=x onerror=alert(1)&gt; at Take (queue.cc:7). Declare it. "
            "gordian_spin_begin(&amp;lock); gordian_spin_end(&amp;lock) B|0|B");
}

TEST_F(Browser, TablesSortAndFilter) {
  EXPECT_EQ(Use(TestPage(TestReport("lossy")), R"(
      const first = () => all('#list tbody tr')[0].children[0].textContent + '>' + all('#list tbody tr')[0].children[1].textContent;
      const heaviest = first();
      click('#list th:nth-child(7) button');
      const longest = first();
      const filter = document.querySelector('#list input');
      filter.value = 'pgbench';
      filter.dispatchEvent(new Event('input'));
      return [heaviest, longest, all('#list tbody tr').length].join('|').replaceAll('>', ' to ');)"),
            "pgbench to postgres|kworker/55 to kworker/56|2");
}

TEST_F(Browser, MembersOutsideTheTargetAreMarked) {
  pb::Report report = TestReport("lossy");
  EXPECT_EQ(Use(TestPage(report),
                "return all('.node.outside').map((node) => node.dataset.vertex).join()"),
            "3");
}

TEST_F(Browser, HostileNamesStayNames) {
  const std::string seen =
      Use(TestPage(TestReport("hostile")),
          "return all('img').length + '|' + all('.node').length + '|' + document.title");
  EXPECT_THAT(seen, StartsWith("0|3|"));  // an error or an alert of the page would stand before
}

TEST_F(Browser, ReportsWithoutFindingsOrVerticesOpen) {
  EXPECT_EQ(Use(TestPage(TestReport("nothing")), "return text('#verdict')"),
            "Nothing was found that limits the program.");
  EXPECT_EQ(Use(TestPage(TestReport("empty")), "return text('#verdict')"),
            "Nothing was found that limits the program.");
}

TEST_F(Browser, TellsWhatTheFindingsFixWouldGain) {
  pb::Report report = TestReport("figure1");
  const std::string seen = "return text('#panel .predictions')";
  EXPECT_EQ(Use(TestPage(report), seen),
            "1.7 to 2.0× throughput if B went on while the disk vda works (likely) "
            "gordian whatif trace --async 'B-&gt;disk vda'");
  pb::Finding& finding = *report.mutable_findings(0);
  finding.mutable_predictions(0)->set_replayed_s(1);
  EXPECT_THAT(Use(TestPage(report), seen),
              StartsWith("1.7 to 2.0× throughput if B went on while the "
                         "disk vda works (likely; replayed: 1 s from the recording's "
                         "middle)"));
  finding.clear_predictions();
  finding.set_no_prediction_because("<img src=x>");
  EXPECT_THAT(Use(TestPage(report), "return text('#panel')"),
              ::testing::HasSubstr("No prediction: &lt;img src=x&gt;."));
}

TEST_F(Browser, SaysWhatIsMissing) {
  pb::Report report = TestReport("figure1");
  const std::string last_fact = "return text('#facts').split(' · ').pop()";
  EXPECT_EQ(Use(TestPage(report), last_fact), "nothing lost");
  report.mutable_recording()->set_missing_blocks(9);
  EXPECT_EQ(Use(TestPage(report), last_fact), "9 blocks missing");
  report.mutable_recording()->set_lost(1234);
  EXPECT_EQ(Use(TestPage(report), last_fact), "1,234 records lost, 9 blocks missing");
}

TEST_F(Browser, ShowsTheJobsPhasesWithTheirResources) {
  EXPECT_EQ(Use(JobPage(), R"(
      const bars = all('#gantt .phase');
      return [bars.length, bars.map((bar) => bar.dataset.phase).join(), all('#gantt .phase.critical').length,
              all('#gantt .part').length, all('#uses .use').length, all('#uses .capacity').length,
              all('.boxplot').length, all('.gain').length, document.querySelector('main').hidden,
              text('#crumbs')].join('|');)"),
            "3|1,8,15|3|6|2|2|1|2|true|Job");
}

TEST_F(Browser, ClickOnAPhaseShowsWhatLiesWithinIt) {
  EXPECT_EQ(Use(JobPage(), R"(
      click('#gantt .phase[data-phase="8"]');
      const workers = all('#gantt .phase').map((bar) => bar.dataset.phase).join();
      click('#gantt .phase[data-phase="12"]');
      click('#gantt .phase[data-phase="13"]');
      const facts = text('#phase');
      click('#crumbs button');
      return [workers, facts, all('#gantt .phase').length].join('|');)"),
            "9,12|lasted3.3 s, its kind on average 1.7 srannode1, process 90, thread 101used node1 "
            "cpu0.8 "
            "cores on average, measuredsaturatednode1 cpu, 70 % of its time|3");
}

TEST_F(Browser, PhasesWithHostileNamesStayNames) {
  pb::PageData page = JobPage();
  for (pb::ReportPhase& phase : *page.mutable_report()->mutable_phases())
    phase.set_path("/<img src=x onerror=alert(1)>[</script>]");
  for (pb::ReportIssue& issue : *page.mutable_report()->mutable_issues())
    issue.set_title("<img src=x onerror=alert(1)>");
  EXPECT_EQ(Use(page, "return all('img').length + '|' + all('#gantt .phase').length"), "0|3");
}

TEST_F(Browser, ReportsWithoutPhasesShowNone) {
  EXPECT_EQ(Use(TestPage(TestReport("figure1")),
                "return document.getElementById('job').hidden + '|' + all('#gantt *').length"),
            "true|0");
}

TEST_F(Browser, OfTwoThousandThreadsItShowsTheKnotAndTheRestOnDemand) {
  EXPECT_EQ(Use(TestPage(LargeReport(2000)), R"(
      const before = all('.node').length;
      click('#more');
      const after = all('.node').length;
      return [before, after, all('.node.knot').length, all('#list tbody tr').length, text('#shown')].join('|');)"),
            "20|34|6|100|34 of 2,001 threads, groups and devices");
}

}  // namespace
}  // namespace gordian
