// SPDX-License-Identifier: Apache-2.0
// Critical participation as rows, by the code that answers the verb.
#include <utility>

#include "analysis/recording_participation.h"
#include "query/given.h"
#include "query/tables.h"

namespace gordian {
namespace {

struct ParticipationRowOf {
  int window = 0;
  int row = 0;
};

struct ParticipationAnswer {
  pb::Participation told;
  std::vector<ParticipationRowOf> rows;
};

absl::StatusOr<std::unique_ptr<SqlRows>> OpenParticipation(QueriedRecording& queried,
                                                           const RowLimits& limits) {
  GivenValues given("participation", limits);
  const ParticipationRequest request = {
      .window_ns = given.Number(2, "window_ns", 0),
      .from_ns = given.Number(0, "from_ns", 0),
      .to_ns = given.Number(1, "to_ns", std::numeric_limits<uint64_t>::max()),
      .by = {static_cast<ParticipationBy>(
          given.Word(3, "what its rows are by", kParticipationByNames, 0))}};
  if (!given.status().ok()) return given.status();
  auto answer = ParticipationIn(queried.analysis(), queried.phases(), request);
  if (!answer.ok()) {
    given.Refuse(std::string(answer.status().message()));
    return given.status();
  }
  auto kept = std::make_shared<ParticipationAnswer>();
  kept->told = std::move(answer->answers.front());
  for (int window = 0; window < kept->told.windows_size(); ++window) {
    for (int row = 0; row < kept->told.windows(window).rows_size(); ++row)
      kept->rows.push_back({window, row});
  }
  const size_t count = kept->rows.size();
  const auto tell = [kept = std::move(kept)](size_t row, size_t column, SqlValue& value) {
    const auto& window = kept->told.windows(kept->rows[row].window);
    const pb::ParticipationRow& told = window.rows(kept->rows[row].row);
    switch (column) {
      case 0:
        return value.Integer(window.from_ns());
      case 1:
        return value.Integer(window.to_ns());
      case 2:
        return value.Text(told.name());
      case 3:
        return value.Real(told.cp());
      case 4:
        return value.Real(told.crossings());
      case 5:
        return told.workers() == 0 ? value.Null() : value.Integer(told.workers());
      case 6:
        return told.workers() == 0 ? value.Null() : value.Real(told.cp_per_worker());
      case 7:
        return value.Real(window.paths());
      default:
        return value.Null();
    }
  };
  return RowsByNumber(0, count, tell,
                      [first = given.FirstNumber()](size_t row) { return first + row; });
}

}  // namespace

SqlTable ParticipationFunction() {
  return {
      .name = "participation",
      .about =
          "Who is how much of the critical paths, window by window: "
          "participation(from_ns, to_ns, window_ns, by)",
      .example =
          "SELECT name, cp FROM participation(0, 1000000000, 0, 'thread') ORDER BY cp "
          "DESC LIMIT 10",
      .columns = {{"begin_ns", SqlType::kInteger, "when the window begins"},
                  {"end_ns", SqlType::kInteger, "when it ends"},
                  {"name", SqlType::kText, "of the activity, thread, …"},
                  {"cp", SqlType::kReal, "the share of the window that the average path is here"},
                  {"crossings", SqlType::kReal, "how often the average path comes here"},
                  {"workers", SqlType::kInteger, "by operator: how many threads do it"},
                  {"cp_per_worker", SqlType::kReal, "by operator: of the average one of them"},
                  {"paths", SqlType::kReal, "through the window"},
                  {"from_ns", SqlType::kInteger, "given: the first window begins then"},
                  {"to_ns", SqlType::kInteger, "given: the last one ends then"},
                  {"window_ns", SqlType::kInteger,
                   "given: the length of each; 0, or nothing: one for all"},
                  {"by", SqlType::kText,
                   "given: activity (if nothing is given), thread, vertex, operator, function, "
                   "link, phase"}},
      .order = {0},
      .parameters = 4,
      .open = OpenParticipation};
}

}  // namespace gordian
