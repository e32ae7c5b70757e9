// SPDX-License-Identifier: Apache-2.0
// What moments came from and led to: slices, their sums, and critical paths. All are functions of
// what they are given; a slice and its sums take the same arguments, so that sums need no rows in
// between, and no handle whose life SQLite's plans would decide.
#include <algorithm>
#include <span>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "analysis/slice_names.h"
#include "base/parallel.h"
#include "causes/slice_rows.h"
#include "query/given.h"
#include "query/tables.h"

namespace gordian {
namespace {

// What slice() and aggregate() are given, in this order.
std::vector<SqlColumn> SliceParameters() {
  return {{"given_thread", SqlType::kInteger, "given: thread.id"},
          {"given_ns", SqlType::kInteger,
           "given: the moment; without it the thread's end, or forward its beginning"},
          {"direction", SqlType::kText, "given: backward (what it came from) or forward"},
          {"scope", SqlType::kText,
           "given: over which waits work goes on: burst, request (if nothing is given), phase, "
           "thread"},
          {"max_hops", SqlType::kInteger, "given: no further than so many edges"},
          {"max_network_hops", SqlType::kInteger, "given: no further than so many messages"},
          {"edge_kinds", SqlType::kText, "given: only along these, as in 'wake,message'"},
          {"from_ns", SqlType::kInteger, "given: no path leads to before"},
          {"to_ns", SqlType::kInteger, "given: … or behind"}};
}

constexpr std::string_view kDirections[] = {"backward", "forward"};

uint8_t EdgeKindsGiven(GivenValues& given, size_t place) {
  uint8_t kinds = 0;
  if (!given.IsGiven(place)) return kAllCauseEdges;
  for (const std::string& word :
       std::vector<std::string>(absl::StrSplit(given.Text(place), ',', absl::SkipEmpty()))) {
    const auto found = std::find(kCauseEdgeNames.begin(), kCauseEdgeNames.end(), word);
    if (found == kCauseEdgeNames.end()) {
      given.Refuse("edge_kinds are some of wake, message, disk, create, lock, with commas");
      break;
    }
    kinds |= BitOf(static_cast<CauseEdge>(found - kCauseEdgeNames.begin()));
  }
  return kinds;
}

uint32_t HopsGiven(GivenValues& given, size_t place, std::string_view name) {
  return static_cast<uint32_t>(
      std::min<uint64_t>(given.Number(place, name, kNoHopLimit), kNoHopLimit));
}

// The first of its parameters is the thread.
SliceRequest SliceGiven(const Timeline& timeline, GivenValues& given, size_t first) {
  if (!given.IsGiven(first))
    given.Refuse("name a thread, a moment and a direction: (7, 1000000, 'backward')");
  SliceRequest request;
  const uint64_t thread = given.Number(first, "the thread", kNobody);
  const bool is_thread = thread < timeline.thread_count();
  request.thread = is_thread ? static_cast<EntityId>(thread) : kNobody;
  request.forward = given.Word(first + 2, "the direction", kDirections, 0) == 1;
  request.scope = static_cast<CausalScope>(given.Word(first + 3, "the scope", kCausalScopeNames,
                                                      static_cast<size_t>(CausalScope::kRequest)));
  request.max_hops = HopsGiven(given, first + 4, "max_hops");
  request.max_network_hops = HopsGiven(given, first + 5, "max_network_hops");
  request.edge_kinds = EdgeKindsGiven(given, first + 6);
  request.from_ns = TimelineTime(timeline, given.Number(first + 7, "from_ns", 0));
  request.to_ns = TimelineTime(
      timeline, given.Number(first + 8, "to_ns", timeline.end_ns() - timeline.start_ns()));
  request.at_ns =
      std::min(TimelineTime(timeline, given.Number(first + 1, "the moment", 0)), timeline.end_ns());
  if (is_thread && !given.IsGiven(first + 1)) {
    const Entity& entity = timeline.entities()[request.thread];
    request.at_ns = request.forward ? std::max(request.from_ns, entity.begin_ns)
                                    : std::min(request.to_ns, entity.end_ns);
  }
  return request;
}

absl::StatusOr<std::unique_ptr<SqlRows>> OpenSlice(QueriedRecording& queried,
                                                   const RowLimits& limits) {
  const Timeline& timeline = queried.timeline();
  GivenValues given("slice", limits);
  const SliceRequest request = SliceGiven(timeline, given, 0);
  if (!given.status().ok()) return given.status();
  auto stretches = std::make_shared<const std::vector<SliceStretch>>(
      SliceOf(queried.graph(), request, ThreadCount(queried.analysis().threads())).stretches);
  const size_t count = stretches->size();
  const auto tell = [&timeline, stretches = std::move(stretches)](size_t row, size_t column,
                                                                  SqlValue& value) {
    const SliceStretch& stretch = (*stretches)[row];
    const bool is_first = stretch.parent == kNoStretch;
    switch (column) {
      case 0:
        return value.Integer(stretch.number);
      case 1:
        return value.Integer(stretch.thread);
      case 2:
        return value.Integer(SinceStart(timeline, stretch.from_ns));
      case 3:
        return value.Integer(SinceStart(timeline, stretch.to_ns));
      case 4:
        return is_first ? value.Null() : value.Integer(stretch.parent);
      case 5:
        return is_first ? value.Null()
                        : value.StaticText(kCauseEdgeNames[static_cast<size_t>(stretch.edge)]);
      default:
        return value.Null();
    }
  };
  return RowsByNumber(0, count, tell,
                      [first = given.FirstNumber()](size_t row) { return first + row; });
}

absl::StatusOr<std::unique_ptr<SqlRows>> OpenAggregate(QueriedRecording& queried,
                                                       const RowLimits& limits) {
  const Analysis& recording = queried.analysis();
  GivenValues given("aggregate", limits);
  const auto by = static_cast<SliceBy>(
      given.Word(0, "what it adds up by", kSliceByNames, static_cast<size_t>(SliceBy::kName)));
  const SliceRequest request = SliceGiven(queried.timeline(), given, 1);
  if (!given.status().ok()) return given.status();
  const SliceNames names = SliceNamesOf(queried.timeline(), queried.phases(), recording.code());
  SliceSums sums(queried.graph(), by, names);
  SweepSlice(
      queried.graph(), request, [&sums](const SliceStretch& stretch) { sums.Add(stretch); },
      ThreadCount(recording.threads()));
  auto rows = std::make_shared<const std::vector<pb::SliceRow>>(sums.Rows());
  const size_t count = rows->size();
  const auto tell = [rows = std::move(rows)](size_t row, size_t column, SqlValue& value) {
    const pb::SliceRow& told = (*rows)[row];
    switch (column) {
      case 0:
        return value.Text(told.name());
      case 1:
        return value.Integer(told.times().run_ns());
      case 2:
        return value.Integer(told.times().ready_ns());
      case 3:
        return value.Integer(told.times().wait_ns());
      case 4:
        return value.Integer(told.times().unknown_ns());
      case 5:
        return value.Integer(told.stretches());
      case 6:
        return value.Integer(told.threads());
      default:
        return value.Null();
    }
  };
  return RowsByNumber(0, count, tell,
                      [first = given.FirstNumber()](size_t row) { return first + row; });
}

absl::StatusOr<std::unique_ptr<SqlRows>> OpenCriticalPath(QueriedRecording& queried,
                                                          const RowLimits& limits) {
  const Timeline& timeline = queried.timeline();
  GivenValues given("critical_path", limits);
  const uint64_t length_ns = timeline.end_ns() - timeline.start_ns();
  const uint64_t thread = given.Number(0, "the thread", kNobody);
  const uint64_t to_ns = given.Number(1, "to_ns", length_ns);
  const uint64_t from_ns = given.Number(2, "from_ns", 0);
  if (!given.status().ok()) return given.status();
  std::vector<uint8_t> is_end;
  if (!given.IsGiven(0)) {
    is_end = EndsOfCriticalPaths(timeline);
  } else {
    is_end.resize(timeline.thread_count());
    if (thread < is_end.size()) is_end[thread] = 1;
  }
  const TimeRange range = RangeOf(timeline.start_ns(), timeline.end_ns(), from_ns, to_ns);
  auto path = std::make_shared<std::vector<CriticalStretch>>();
  if (range.length_ns() > 0)
    *path =
        CriticalPathWithin(timeline, queried.phases(), is_end, range, queried.analysis().threads())
            .path;
  const auto& phase_names = queried.phases().names;
  const size_t count = path->size();
  const auto tell = [&timeline, &phase_names, path = std::move(path)](size_t row, size_t column,
                                                                      SqlValue& value) {
    const CriticalStretch& stretch = (*path)[row];
    switch (column) {
      case 0:
        return value.Integer(SinceStart(timeline, stretch.from_ns));
      case 1:
        return value.Integer(SinceStart(timeline, stretch.to_ns));
      case 2:
        return value.Integer(stretch.thread);
      case 3:
        return TellEntity(stretch.sender, value);
      case 4:
        return value.StaticText(NameOf(stretch.activity));
      case 5:
        return stretch.phase == kNoPhase ? value.Null()
                                         : value.StaticText(phase_names[stretch.phase]);
      default:
        return value.Null();
    }
  };
  return RowsByNumber(0, count, tell,
                      [first = given.FirstNumber()](size_t row) { return first + row; });
}

}  // namespace

SqlTable SliceFunction() {
  SqlTable table = {
      .name = "slice",
      .about =
          "What a moment of a thread came from, or led to: slice(thread, ns, 'backward|forward', "
          "scope, max_hops, max_network_hops, edge_kinds, from_ns, to_ns)",
      .example =
          "SELECT t.name, s.begin_ns, s.end_ns, s.edge FROM slice(0, 1000000000, "
          "'backward') s JOIN thread t ON t.id = s.thread",
      .columns = {{"number", SqlType::kInteger, "0 is the stretch that holds the moment"},
                  {"thread", SqlType::kInteger, "thread.id"},
                  {"begin_ns", SqlType::kInteger, "when the thread came into the slice"},
                  {"end_ns", SqlType::kInteger, "when it left"},
                  {"parent", SqlType::kInteger,
                   "the number of the stretch whose edge first led here"},
                  {"edge", SqlType::kText, "that edge: wake, message, disk, create, lock"}},
      .order = {0},
      .open = OpenSlice};
  const std::vector<SqlColumn> given = SliceParameters();
  table.columns.insert(table.columns.end(), given.begin(), given.end());
  table.parameters = given.size();
  return table;
}

SqlTable AggregateFunction() {
  SqlTable table = {
      .name = "aggregate",
      .about =
          "The time in a slice, added up while it is found: aggregate(by, …), then what "
          "slice takes",
      .example =
          "SELECT name, run_ns, wait_ns FROM aggregate('process', 0, 1000000000, "
          "'backward') ORDER BY run_ns DESC",
      .columns = {{"name", SqlType::kText, "of the threads, functions, …"},
                  {"run_ns", SqlType::kInteger, "time on a CPU"},
                  {"runnable_ns", SqlType::kInteger, "time waiting for a CPU"},
                  {"wait_ns", SqlType::kInteger, "other waits in between, and spins"},
                  {"unknown_ns", SqlType::kInteger, "time of which the recording does not tell"},
                  {"stretches", SqlType::kInteger, "how often they came into the slice"},
                  {"threads", SqlType::kInteger, "how many different ones"},
                  {"by", SqlType::kText,
                   "given: thread, name (numbers in names do not count; if nothing is given), "
                   "process, node, function, phase"}},
      .open = OpenAggregate};
  const std::vector<SqlColumn> given = SliceParameters();
  table.columns.insert(table.columns.end(), given.begin(), given.end());
  table.parameters = given.size() + 1;
  return table;
}

SqlTable CriticalPathFunction() {
  return {.name = "critical_path",
          .about =
              "The one path back from the end of a thread, or of the recording's target: "
              "critical_path(thread, to_ns, from_ns)",
          .example = "SELECT activity, sum(end_ns - begin_ns) FROM critical_path GROUP BY activity",
          .columns = {{"begin_ns", SqlType::kInteger, "when the step began: the last one's end"},
                      {"end_ns", SqlType::kInteger, "when it ended"},
                      {"thread", SqlType::kInteger, "thread.id; of a message: its receiver"},
                      {"sender", SqlType::kInteger, "thread.id of a message's sender"},
                      {"activity", SqlType::kText,
                       "Processing, Scheduling, IO: disk, DataMessage, …, as in participation"},
                      {"phase", SqlType::kText, "the innermost phase, if the program told one"},
                      {"given_thread", SqlType::kInteger,
                       "given: thread.id; without it the thread of the target that was on its "
                       "way last"},
                      {"to_ns", SqlType::kInteger, "given: the path ends then at the latest"},
                      {"from_ns", SqlType::kInteger, "given: … and begins then"}},
          .order = {0},
          .parameters = 3,
          .open = OpenCriticalPath};
}

}  // namespace gordian
