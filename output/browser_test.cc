// SPDX-License-Identifier: Apache-2.0
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

  // The result of `script`, run in the page when it stands; errors of the page come first. The page
  // opens at `#address`. A script that waits for the browser (await) has some seconds.
  std::string Use(const pb::PageData& page, const std::string& script,
                  const std::string& address = "") {
    std::string html = HtmlReport(page);
    const std::string watch =
        "<script>addEventListener('error', (e) => document.documentElement.dataset.broken = "
        "e.message);"
        "addEventListener('unhandledrejection', (e) => document.documentElement.dataset.broken = "
        "e.reason.message);"
        "window.alert = () => document.documentElement.dataset.broken = 'alert';</script>";
    html.insert(html.find("<script type="), watch);
    html +=
        "<script>const all = (what) => [...document.querySelectorAll(what)];"
        "const click = (what) => document.querySelector(what).dispatchEvent(new "
        "MouseEvent('click', {bubbles: true}));"
        "const text = (what) => document.querySelector(what).textContent;"
        "const press = (what, key) => document.querySelector(what).dispatchEvent(new "
        "KeyboardEvent('keydown', {key, bubbles: true}));"
        "const soon = () => new Promise((done) => setTimeout(done, 400));"
        // On the Gantt chart, whose lanes are 22 pixels high and begin behind the names.
        "const point = (kind, part, lane) => { const bars = document.querySelector('#bars'), box = "
        "bars.getBoundingClientRect(); bars.dispatchEvent(new MouseEvent(kind, {bubbles: true, "
        "clientX: box.left + 190 + part * (box.width - 190), clientY: box.top + 22 * lane + 11})); "
        "};"
        "const colour = (part, lane) => { const bars = document.querySelector('#bars'), box = "
        "bars.getBoundingClientRect(), scale = bars.width / box.width; return "
        "[...bars.getContext('2d').getImageData((190 + part * (box.width - 190)) * scale, (22 * "
        "lane "
        "+ 5) * scale, 1, 1).data].slice(0, 3).join(); };" +
        (script.find("await") == script.npos
             ? "document.documentElement.dataset.seen = (() => {" + script + "})();"
             : "(async () => {" + script +
                   "})().then((seen) => document.documentElement.dataset.seen = seen, (error) => "
                   "document.documentElement.dataset.broken = error.message);") +
        "</script>";
    const std::string path = folder_ + "/page.html";
    std::ofstream(path) << html;
    const std::string document =
        Run("chromium --headless --no-sandbox --disable-gpu --user-data-dir='" + folder_ +
            "/profile' --window-size=1400,1000 --virtual-time-budget=10000 --dump-dom 'file://" +
            path + "#" + address + "' 2>/dev/null");
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
      click('#ganttList summary');
      await soon();
      const rows = all('#ganttList tbody tr').map((row) => [...row.children].map((cell) => cell.textContent).join(' '));
      return [rows.join(), all('#uses .use').length, all('#uses .capacity').length, all('#uses .demand').length, all('#uses .variable').length,
              all('.boxes').length, all('.gain').length, document.querySelector('#picture') === null, text('#crumbs'), text('#span')].join('|');)"),
            "/Job/Superstep[1]  2.2 s 4.4 s yes,/Job/Superstep[0]  0 s 2.2 s "
            "yes,/Job/Superstep[2]  6.6 s 1.6 s yes|2|3|3|3|2|2|true|Job|3 phases, 8.2 s");
}

// Superstep 1 goes from 27 to 80 % of the job. In it worker 0 is done after the first half.
TEST_F(Browser, DrawsPhasesWhereTheyAreAndMarksTheCriticalPath) {
  EXPECT_EQ(Use(JobPage(), R"(
      const whole = [colour(0.1, 0), colour(0.5, 0)].join(' ');
      point('click', 0.5, 0);
      return [whole, colour(0.25, 0), colour(0.75, 0), colour(0.75, 1)].join('|');)"),
            "253,234,221 253,234,221|229,239,252|0,0,0|253,234,221");
}

TEST_F(Browser, ClickOnAPhaseNarrowsEverythingToIt) {
  EXPECT_EQ(
      Use(JobPage(), R"(
      const held = () => all('.heldRow').map((row) => row.dataset.type).join();
      const before = held();
      point('click', 0.5, 0);
      const step = [text('#crumbs'), location.hash, text('#span'), all('#uses .use').length, held()].join('|');
      point('click', 0.9, 1);
      const worker = [text('#crumbs'), location.hash, all('#uses .use').length, text('#uses .name'), held()].join('|');
      point('click', 0.5, 0);
      const facts = text('#phase');
      click('#crumbs button');
      return [before, step, worker, facts, text('#crumbs'), location.hash].join('|');)"),
      "3,4,4|Job›Superstep[1]|#from=2200000000&amp;to=6600000000&amp;sel=phase:8&amp;phase=8|2 "
      "phases, 4.4 "
      "s|2|3,4|Job›Superstep[1]›Worker[1]|#from=2200000000&amp;to=6600000000&amp;sel=phase:12&amp;"
      "phase=12|"
      "1|node1 cpu|3,4|lasted3.3 s, its kind on average 1.7 srannode1, process 90, thread 101used "
      "node1 cpu0.8 cores on average, measuredsaturatednode1 cpu, 70 % of its time|Job|");
}

TEST_F(Browser, ClickOnAKindShowsOnlyItsPhases) {
  EXPECT_EQ(Use(JobPage(), R"(
      click('.legend button[data-type="3"]');
      const seen = [text('#crumbs'), location.hash, text('#span'), all('.heldRow').map((row) => row.dataset.type).join(),
                    all('#uses polygon.shade[data-type]').map((area) => area.dataset.type).join()].join('|');
      click('#crumbs button');
      click('.heldRow[data-type="4"]');
      return [seen, text('#crumbs'), location.hash].join('|');)"),
            "Job›all Superstep›all Worker›all Compute|#ph.type=3|6 phases, 8.2 s|3|3,3|"
            "Job›all Superstep›all Worker›all Exchange|#ph.type=4");
}

TEST_F(Browser, TheAddressTellsAColleagueWhatToSee) {
  EXPECT_EQ(Use(JobPage(), R"(
      return [text('#crumbs'), text('#span'), document.querySelector('#nodes').value, all('#uses .use').length].join('|');)",
                "phase=8&from=2500000000&to=5000000000&ph.type=3&ph.nodes=%3Dnode1"),
            "Job›Superstep[1]›all Worker›all Compute|2.50 s to 5.00 s, of 4.4 s|=node1|1");
  EXPECT_EQ(Use(JobPage(), "return document.querySelector('#evenKind').value", "ph.even=4"), "4");
}

TEST_F(Browser, AChoiceGoesIntoTheAddress) {
  EXPECT_EQ(Use(JobPage(), R"(
      const choose = (what, value) => { const list = document.querySelector(what); list.value = value; list.dispatchEvent(new Event('change')); };
      choose('#evenKind', 3);
      choose('#nodes', 'sum');
      return [location.hash, all('#uses .use').length, text('#uses .name')].join('|');)"),
            "#ph.even=3&amp;ph.nodes=sum|1|cpu");
}

TEST_F(Browser, AnAddressOfAnotherReportShowsTheWholeJob) {
  EXPECT_EQ(Use(JobPage(), "return [text('#crumbs'), text('#span'), all('img').length].join('|');",
                "phase=99&ph.type=-1&from=5&to=2&ph.nodes=%3Cimg%20src%3Dx%3E"),
            "Job|3 phases, 8.2 s|0");
}

// As the browser's way back does it.
TEST_F(Browser, AnotherAddressShowsWhatItSays) {
  EXPECT_EQ(Use(JobPage(), R"(
      point('click', 0.5, 0);
      const there = text('#crumbs');
      location.hash = '';
      await soon();
      return [there, text('#crumbs'), text('#span')].join('|');)"),
            "Job›Superstep[1]|Job|3 phases, 8.2 s");
}

TEST_F(Browser, KeysAndWheelZoom) {
  EXPECT_EQ(Use(JobPage(), R"(
      press('#bars', '+');
      const nearer = text('#span');
      await soon();
      const there = location.hash;
      document.querySelector('#bars').dispatchEvent(new WheelEvent('wheel', {deltaY: -1, ctrlKey: true, clientX: 800, clientY: 200, bubbles: true}));
      const nearest = text('#span') !== nearer;
      press('#bars', '0');
      await soon();
      return [nearer, there, nearest, text('#span'), location.hash].join('|');)"),
            "1.64 s to 6.56 s, of 8.2 s|#from=1640000000&amp;to=6560000000|true|3 phases, 8.2 s|");
}

TEST_F(Browser, KeysGoFromPhaseToPhase) {
  EXPECT_EQ(Use(JobPage(), R"(
      press('#bars', 'ArrowDown');
      press('#bars', 'ArrowRight');
      const told = text('#told');
      press('#bars', 'Enter');
      const inside = text('#crumbs');
      press('#bars', 'Escape');
      return [told, inside, text('#crumbs')].join('|');)"),
            "/Job/Superstep[1]: 4.4 s, from 2.2 s on, on the critical path|Job›Superstep[1]|Job");
}

TEST_F(Browser, TheStripSaysWhatHeldWhichPhasesForHowLong) {
  EXPECT_EQ(Use(JobPage(), R"(
      const row = all('.use')[0].querySelector('.heldRow[data-type="3"]'), box = row.ownerSVGElement.getBoundingClientRect();
      const at = (part) => row.dispatchEvent(new PointerEvent('pointermove', {bubbles: true, clientX: box.left + 190 + part * (box.width - 190), clientY: box.top + 5}));
      at(0.45);
      const told = text('#told');
      at(0.9);
      const gone = document.querySelector('#told').hidden;
      row.dispatchEvent(new KeyboardEvent('keydown', {key: 'ArrowRight', bubbles: true}));
      return [told, gone, text('#told') === told, all('.use')[0].querySelectorAll('.held.full, .held.blocked').length,
              all('.use')[1].querySelectorAll('.held.own').length].join('|');)"),
            "/Job/Superstep/Worker/Compute, 2.50 s to 5.00 s: node1 cpu was full: held 1 phase for "
            "2.3 s (Superstep[1]/Worker[1]/Compute).|true|true|2|1");
}

TEST_F(Browser, TablesTellWhatTheChartsShow) {
  EXPECT_EQ(
      Use(JobPage(), R"(
      all('.use')[1].querySelector('summary').click();
      await soon();
      return all('.use')[1].querySelectorAll('table').length + '|' + [...all('.use')[1].querySelectorAll('tbody tr')].map((row) =>
        [...row.children].map((cell) => cell.textContent).join(' ')).join('|');)"),
      "2|all, with what no phase used 0.5 cores 100 % 0.7 cores 2|/Job/Superstep/Worker/Compute "
      "0.4 cores 79 % 0.7 cores 0|/Job/Superstep/Worker/Exchange 0.05 cores 10 % 0 cores "
      "2|/Job/Superstep/Worker/Exchange node0 cpu used all it can by itself 1.5 s 2 s 500 ms 1");
}

// A job of `steps` steps with `workers` tasks each, on as many nodes; the last task of all takes
// five times as long as the others.
pb::PageData TaskPage(uint32_t steps, uint32_t workers) {
  pb::PageData page;
  pb::Report& report = *page.mutable_report();
  const auto add_type = [&](const std::string& path, const std::string& repeat, uint64_t count) {
    pb::ReportPhaseType& type = *report.add_phase_types();
    type.set_id(static_cast<uint32_t>(report.phase_types_size() - 1));
    if (type.id() > 0) type.set_parent(type.id() - 1);
    type.set_path(path);
    type.set_name(path.substr(path.rfind('/') + 1));
    type.set_repeat(repeat);
    type.set_count(count);
  };
  add_type("/Job", "once", 1);
  add_type("/Job/Step", "sequential", steps);
  add_type("/Job/Step/Task", "concurrent", uint64_t{steps} * workers);
  const auto add = [&](uint32_t type, uint32_t parent, const std::string& path, double start_s) {
    pb::ReportPhase& phase = *report.add_phases();
    phase.set_id(static_cast<uint32_t>(report.phases_size() - 1));
    phase.set_type(type);
    if (type > 0) phase.set_parent(parent);
    phase.set_path(path);
    phase.set_start_s(start_s);
    phase.set_end_s(start_s + (type == 0 ? steps : 1));
    return phase.id();
  };
  add(0, 0, "/Job", 0);
  for (uint32_t i = 0; i < steps; ++i) {
    const std::string step = "/Job/Step[" + std::to_string(i) + "]";
    const uint32_t parent = add(1, 0, step, i);
    for (uint32_t k = 0; k < workers; ++k) {
      const uint32_t id = add(2, parent, step + "/Task[" + std::to_string(k) + "]", i);
      pb::ReportPhase& task = *report.mutable_phases(static_cast<int>(id));
      task.set_node("node" + std::to_string(k));
      task.set_end_s(i + 0.1 + 0.01 * ((i + k) % 7));
    }
  }
  report.mutable_phases(report.phases_size() - 1)->set_end_s(steps - 0.2);
  return page;
}

TEST_F(Browser, BoxesStandForStepsAndWorkersAndOutliersLeadToTheirPhase) {
  EXPECT_EQ(
      Use(TaskPage(8, 12), R"(
      const figures = all('.boxes').map((figure) => figure.querySelectorAll('.box').length).join();
      const outliers = all('.outlier').map((one) => one.dataset.phase).join();
      document.querySelector('.outlier').dispatchEvent(new PointerEvent('pointermove', {bubbles: true}));
      const told = text('#told');
      click('.outlier');
      return [figures, outliers, told, text('#crumbs')].join('|');)"),
      "8,12|104,104|/Job/Step[7]/Task[11]: 800 ms, from 7 s on, on node11|Job›Step[7]›Task[11]");
}

TEST_F(Browser, OfFortyThousandTasksItDrawsThoseInSight) {
  EXPECT_EQ(Use(TaskPage(200, 200), R"(
      await soon();
      document.location.hash = 'ph.type=2';
      await soon();
      const lanes = document.querySelector('#lanes');
      return [text('#span'), lanes.scrollHeight, lanes.clientHeight, all('*').length < 4000, document.querySelector('#running').hidden].join('|');)"),
            "40,000 phases, 3 min 20 s|1400|440|true|false");
}

TEST_F(Browser, PhasesWithHostileNamesStayNames) {
  pb::PageData page = JobPage();
  pb::Report& report = *page.mutable_report();
  const char* const hostile = "/<img src=x onerror=alert(1)>[</script>]";
  for (pb::ReportPhase& phase : *report.mutable_phases()) {
    phase.set_path(hostile);
    phase.set_node(hostile);
  }
  for (pb::ReportPhaseType& type : *report.mutable_phase_types()) {
    type.set_path(hostile);
    type.set_name(hostile);
  }
  for (pb::ReportResource& resource : *report.mutable_resources()) {
    resource.set_name(hostile);
    resource.set_unit(hostile);
    if (resource.id() > 0) resource.set_node(hostile);
  }
  for (pb::ReportIssue& issue : *report.mutable_issues())
    issue.set_title("<img src=x onerror=alert(1)>");
  EXPECT_EQ(Use(page, R"(
      all('summary').forEach((one) => one.click());
      await soon();
      all('.heldRow, .outlier, .box').forEach((one) => one.dispatchEvent(new PointerEvent('pointermove', {bubbles: true, clientX: 600})));
      const tables = all('table').length;
      point('click', 0.5, 0);
      await soon();
      return [all('img').length, tables, all('#crumbs button').length].join('|');)"),
            "0|4|2");
}

TEST_F(Browser, ReportsWithoutPhasesShowNone) {
  EXPECT_EQ(
      Use(TestPage(TestReport("figure1")),
          "click('#tab-phases'); await soon();"
          "return all('#job').length + '|' + text('#view-phases')"),
      "0|This recording has no phases. A program tells them by its log or by probes: `gordian "
      "phases --help` says how.");
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
