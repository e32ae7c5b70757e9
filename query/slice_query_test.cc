// SPDX-License-Identifier: Apache-2.0
// Slices, paths and shares in SQL are those of the library, whatever is given.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "analysis/recorded_slice.h"
#include "analysis/recording_participation.h"
#include "analysis/slice_names.h"
#include "analyzer/testing/random_scenario.h"
#include "query/test_recording.h"

namespace gordian {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

Scenario AnyScenario() {
  return ParseScenario(RandomScenario(*rc::gen::arbitrary<uint32_t>(), *rc::gen::inRange(10, 200)));
}

// What slice() is given, and the same for the library.
struct AskedSlice {
  std::string given;
  SliceRequest request;
};

AskedSlice AnySlice(const Timeline& timeline) {
  SliceRequest request;
  const uint64_t length_ns = timeline.end_ns() - timeline.start_ns();
  request.thread = *rc::gen::inRange<EntityId>(0, timeline.thread_count());
  request.at_ns = *rc::gen::inRange<uint64_t>(0, length_ns + 1);
  request.forward = *rc::gen::arbitrary<bool>();
  request.scope = static_cast<CausalScope>(*rc::gen::inRange(0, 4));
  std::string hops = "NULL";
  if (*rc::gen::inRange(0, 3) == 0) {
    request.max_hops = *rc::gen::inRange(0u, 5u);
    hops = absl::StrCat(request.max_hops);
  }
  std::string edges = "NULL";
  if (*rc::gen::inRange(0, 3) == 0) {
    request.edge_kinds = BitOf(CauseEdge::kWake) | BitOf(CauseEdge::kCreate);
    edges = "'create,wake'";
  }
  AskedSlice asked = {
      .given = absl::StrFormat("%d,%d,'%s','%s',%s,NULL,%s", request.thread, request.at_ns,
                               request.forward ? "forward" : "backward",
                               kCausalScopeNames[static_cast<size_t>(request.scope)], hops, edges)};
  request.at_ns += timeline.start_ns();
  if (*rc::gen::inRange(0, 3) == 0) {
    const uint64_t from_ns = *rc::gen::inRange<uint64_t>(0, length_ns + 1);
    const uint64_t to_ns = *rc::gen::inRange<uint64_t>(0, length_ns + 1);
    request.from_ns = timeline.start_ns() + from_ns;
    request.to_ns = timeline.start_ns() + to_ns;
    absl::StrAppend(&asked.given, ",", from_ns, ",", to_ns);
  }
  asked.request = request;
  return asked;
}

std::vector<std::string> RowsOfSlice(const Timeline& timeline, const Slice& slice) {
  std::vector<std::string> rows;
  for (const SliceStretch& stretch : slice.stretches) {
    const bool is_first = stretch.parent == kNoStretch;
    rows.push_back(absl::StrCat(
        stretch.number, "|", stretch.thread, "|", stretch.from_ns - timeline.start_ns(), "|",
        stretch.to_ns - timeline.start_ns(), "|", is_first ? "" : absl::StrCat(stretch.parent), "|",
        is_first ? "" : std::string(kCauseEdgeNames[static_cast<size_t>(stretch.edge)])));
  }
  return rows;
}

RC_GTEST_PROP(SliceQueries, GiveTheSlicesOfTheLibrary, ()) {
  const QueryRecording recording(AnyScenario());
  QueryDatabase database = DatabaseOf({&recording.analysis()});
  const Timeline& timeline = recording.analysis().timeline();
  RC_PRE(timeline.thread_count() > 0u);
  const ExecutionGraph graph(timeline);
  for (int i = 0; i < 4; ++i) {
    const AskedSlice asked = AnySlice(timeline);
    RC_LOG() << asked.given << "\n";
    RC_ASSERT(AskOf(database, absl::StrCat("SELECT * FROM slice(", asked.given, ")")) ==
              RowsOfSlice(timeline, SliceOf(graph, asked.request)));
  }
}

// The sums are those of the library, and those that SQL itself makes of the slice's rows.
RC_GTEST_PROP(SliceQueries, AddUpWhatTheRowsHold, ()) {
  const QueryRecording recording(AnyScenario());
  QueryDatabase database = DatabaseOf({&recording.analysis()});
  const Timeline& timeline = recording.analysis().timeline();
  RC_PRE(timeline.thread_count() > 0u);
  const ExecutionGraph graph(timeline);
  const RecordedPhases phases = ReadThreadPhases(recording.analysis().recording());
  const SliceNames names = SliceNamesOf(timeline, phases, recording.analysis().code());
  const AskedSlice asked = AnySlice(timeline);
  const size_t by = *rc::gen::inRange<size_t>(0, kSliceByNames.size());
  SliceSums sums(graph, static_cast<SliceBy>(by), names);
  SweepSlice(graph, asked.request, [&sums](const SliceStretch& stretch) { sums.Add(stretch); });
  std::vector<std::string> expected;
  uint64_t run_ns = 0;
  for (const pb::SliceRow& row : sums.Rows()) {
    run_ns += row.times().run_ns();
    expected.push_back(absl::StrJoin(
        std::vector<std::string>{
            row.name(), absl::StrCat(row.times().run_ns()), absl::StrCat(row.times().ready_ns()),
            absl::StrCat(row.times().wait_ns()), absl::StrCat(row.times().unknown_ns()),
            absl::StrCat(row.stretches()), absl::StrCat(row.threads())},
        "|"));
  }
  RC_ASSERT(AskOf(database, absl::StrCat("SELECT * FROM aggregate('",
                                         std::string(kSliceByNames[by]), "',", asked.given, ")")) ==
            expected);
  RC_ASSERT(AskOf(database,
                  absl::StrCat("SELECT coalesce(sum(min(g.end_ns, s.end_ns) - max(g.begin_ns, "
                               "s.begin_ns)), 0) FROM slice(",
                               asked.given,
                               ") s JOIN segment g ON g.thread = s.thread AND g.kind = 'run' AND "
                               "g.begin_ns < s.end_ns AND g.end_ns > s.begin_ns")) ==
            std::vector<std::string>{absl::StrCat(run_ns)});
}

RC_GTEST_PROP(SliceQueries, GiveTheCriticalPathOfTheVerb, ()) {
  const QueryRecording recording(AnyScenario());
  QueryDatabase database = DatabaseOf({&recording.analysis()});
  const auto path = CriticalPathOfRecording(recording.folder(), {}, {});
  RC_PRE(path.ok());
  std::vector<std::string> expected;
  for (const pb::CriticalStep& step : path->steps())
    expected.push_back(absl::StrCat(step.from_ns(), "|", step.to_ns(), "|", step.activity()));
  RC_ASSERT(AskOf(database, "SELECT begin_ns, end_ns, activity FROM critical_path") == expected);
}

RC_GTEST_PROP(SliceQueries, GiveTheSharesOfTheVerb, ()) {
  const QueryRecording recording(AnyScenario());
  QueryDatabase database = DatabaseOf({&recording.analysis()});
  const size_t by = *rc::gen::inRange<size_t>(0, kParticipationByNames.size());
  const uint64_t window_ns = *rc::gen::inRange(1, 60);
  const auto told = ParticipationOfRecording(
      recording.folder(),
      {.window_ns = window_ns, .to_ns = 100, .by = {static_cast<ParticipationBy>(by)}}, {});
  RC_PRE(told.ok());
  std::vector<std::string> expected;
  for (const pb::ParticipationWindow& window : told->answers.front().windows()) {
    for (const pb::ParticipationRow& row : window.rows())
      expected.push_back(absl::StrCat(window.from_ns(), "|", window.to_ns(), "|", row.name(), "|",
                                      absl::StrFormat("%.15g", row.cp())));
  }
  RC_ASSERT(AskOf(database, absl::StrCat("SELECT begin_ns, end_ns, name, cp FROM participation(0, "
                                         "100, ",
                                         window_ns, ", '", std::string(kParticipationByNames[by]),
                                         "')")) == expected);
}

// A waits from 2 to 8 ms for B, which says that it serializes from 6 to 8 ms.
class WaitForPhases : public ::testing::Test {
 protected:
  static QueryRecording Recorded() {
    using namespace testing;  // NOLINT: literals
    TraceBuilder t;
    t.Thread(1, "A").Thread(2, "B").Cpu(0).Run(1).Cpu(1).Run(2);
    t.At(2'000'000).Cpu(0).Block();
    t.At(6'000'000).Cpu(kNoCpu).PhaseBegin(2, "serialize", "");
    t.At(8'000'000).Cpu(kNoCpu).Probe(2, ProbeKind::kPhaseEnd, "serialize");
    t.At(8'000'000).Cpu(1).Wake(1);
    t.At(8'000'001).Cpu(0).Run(1);
    t.At(10'000'000).Cpu(0).Block().Cpu(1).Block();
    return QueryRecording(t);
  }
  std::vector<std::string> Ask(std::string_view sql) { return AskOf(database_, sql); }
  std::string Refusal(std::string_view sql) {
    return std::string(FailureOf(database_, sql).message());
  }

  QueryRecording recording_ = Recorded();
  QueryDatabase database_ = DatabaseOf({&recording_.analysis(), &recording_.analysis()});
};

TEST_F(WaitForPhases, AreTold) {
  EXPECT_THAT(Ask("SELECT t.name, p.begin_ns, p.end_ns, p.name, p.activity FROM phase p JOIN "
                  "thread t ON t.id = p.thread"),
              ElementsAre("B|6000000|8000000|serialize|Serialization"));
  EXPECT_THAT(Ask("SELECT phase, sum(end_ns - begin_ns) FROM critical_path GROUP BY phase"),
              ElementsAre("|8000000", "serialize|2000000"));
}

TEST_F(WaitForPhases, SpansGoFromAWakeToTheNextWait) {
  EXPECT_THAT(Ask("SELECT t.name, s.begin_ns, s.end_ns, s.run_ns, s.cause, f.name, s.from_ns FROM "
                  "span s JOIN thread t ON t.id = s.thread LEFT JOIN thread f ON f.id = "
                  "s.from_thread ORDER BY 1, 2"),
              ElementsAre("A|0|2000000|2000000|||", "A|8000000|10000000|1999999|wake|B|8000000",
                          "B|0|10000000|10000000|||"));
}

TEST_F(WaitForPhases, TellTheEventsThemselves) {
  EXPECT_THAT(Ask("SELECT e.ns, t.name, o.name FROM event e JOIN thread t ON t.id = e.thread JOIN "
                  "thread o ON o.id = e.other WHERE e.kind = 'wake'"),
              ElementsAre("8000000|A|B"));
  EXPECT_THAT(Ask("SELECT count(*) FROM event WHERE ns BETWEEN 6000000 AND 7999999"),
              ElementsAre("1"));
  EXPECT_THAT(Ask("SELECT text FROM event WHERE kind = 'probe' AND ns = 6000000"),
              ElementsAre(HasSubstr("serialize")));
}

TEST_F(WaitForPhases, JoinFunctionsWithWhatTheyAreGiven) {
  EXPECT_THAT(
      Ask("SELECT t.name, a.name, a.run_ns FROM thread t, aggregate('thread', t.id) a WHERE "
          "t.tid IN (1, 2) ORDER BY 1, 2"),
      ElementsAre("A|A/1|3999999", "A|B/2|8000000", "B|B/2|10000000"));
}

TEST_F(WaitForPhases, CompareSlicesOfTwoRecordings) {
  EXPECT_THAT(Ask("SELECT name, a.run_ns, b.run_ns FROM aggregate('thread', 0, 10000000, "
                  "'backward') a FULL "
                  "JOIN b.aggregate('thread', 0, 3000000, 'forward') b USING (name) ORDER BY name"),
              ElementsAre("A/1|3999999|1999999", "B/2|8000000|"));
}

TEST_F(WaitForPhases, RefuseInALineWhatHasNoMeaning) {
  EXPECT_THAT(Refusal("SELECT * FROM slice"), HasSubstr("slice: name a thread"));
  EXPECT_THAT(Refusal("SELECT * FROM slice('A', 1)"), HasSubstr("the thread is a whole number"));
  EXPECT_THAT(Refusal("SELECT * FROM slice(0, -1)"), HasSubstr("the moment is a whole number"));
  EXPECT_THAT(Refusal("SELECT * FROM slice(0, 1, 'up')"),
              HasSubstr("the direction is one of backward, forward"));
  EXPECT_THAT(Refusal("SELECT * FROM slice(0, 1, 'forward', 'all')"),
              HasSubstr("burst, request, phase, thread"));
  EXPECT_THAT(Refusal("SELECT * FROM slice(0, 1, 'forward', 'thread', NULL, NULL, 'wake,any')"),
              HasSubstr("edge_kinds are some of"));
  EXPECT_THAT(Refusal("SELECT * FROM aggregate('colour', 0)"), HasSubstr("aggregate: what"));
  EXPECT_THAT(Refusal("SELECT * FROM participation(0, 10, 0, 'colour')"), HasSubstr("activity"));
  EXPECT_THAT(Refusal("SELECT * FROM participation(10, 5)"), HasSubstr("ends before it begins"));
  EXPECT_THAT(Refusal("SELECT * FROM participation(0, 10000000, 1)"), HasSubstr("windows"));
  EXPECT_THAT(Refusal("SELECT * FROM critical_path('x')"), HasSubstr("critical_path: the thread"));
}

TEST_F(WaitForPhases, GiveNothingForWhatIsNoThreadOrNoTime) {
  const std::string empty_range =
      "SELECT * FROM slice(0, 5, 'backward', 'thread', NULL, NULL, NULL, 9, 7)";
  for (const std::string& sql : {std::string("SELECT * FROM slice(99999, 1)"),
                                 std::string("SELECT * FROM slice(9223372036854775807, 1)"),
                                 std::string("SELECT * FROM aggregate('thread', 99999, 1)"),
                                 empty_range, std::string("SELECT * FROM critical_path(99999)"),
                                 std::string("SELECT * FROM critical_path(0, 5, 5)")})
    EXPECT_THAT(Ask(sql), IsEmpty()) << sql;
}

}  // namespace
}  // namespace gordian
