// SPDX-License-Identifier: Apache-2.0
// Whatever SQLite plans with a table, it answers as it would with a plain copy of its rows.
#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>
#include <sqlite3.h>

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "query/tables.h"
#include "query/test_recording.h"
#include "query/virtual_table.h"

namespace gordian {
namespace {

// A plain database with the rows of all tables.
class PlainCopy {
 public:
  explicit PlainCopy(QueryDatabase& database) {
    sqlite3_open(":memory:", &plain_);
    for (const SqlTable& table : SqlTables()) {
      if (table.parameters == 0) Copy(table, database);
    }
  }
  PlainCopy(const PlainCopy&) = delete;
  PlainCopy& operator=(const PlainCopy&) = delete;
  ~PlainCopy() { sqlite3_close(plain_); }

  std::vector<std::string> Ask(const std::string& sql) {
    std::vector<std::string> lines;
    char* error = nullptr;
    sqlite3_exec(plain_, sql.c_str(), AddLine, &lines, &error);
    EXPECT_EQ(error, nullptr) << sql << ": " << error;
    sqlite3_free(error);
    return lines;
  }

 private:
  static int AddLine(void* lines, int count, char** cells, char**) {
    std::vector<std::string> row;
    // "1.0" is "1" where the database's own numbers are printed.
    for (int i = 0; i < count; ++i) {
      std::string cell = cells[i] == nullptr ? "" : cells[i];
      if (cell.ends_with(".0") && cell.find_first_not_of("0123456789.") == std::string::npos)
        cell.resize(cell.size() - 2);
      row.push_back(std::move(cell));
    }
    static_cast<std::vector<std::string>*>(lines)->push_back(absl::StrJoin(row, "|"));
    return 0;
  }
  void Copy(const SqlTable& table, QueryDatabase& database) {
    Ask(absl::StrCat("CREATE TABLE \"", table.name, "\"(", ColumnList(table), ")"));
    const std::vector<std::string> marks(table.columns.size(), "?");
    sqlite3_stmt* insert = nullptr;
    sqlite3_prepare_v2(
        plain_,
        absl::StrCat("INSERT INTO \"", table.name, "\" VALUES (", absl::StrJoin(marks, ","), ")")
            .c_str(),
        -1, &insert, nullptr);
    for (const auto& row : CellsOf(database, absl::StrCat("SELECT * FROM \"", table.name, "\""))) {
      for (size_t i = 0; i < row.size(); ++i) Bind(insert, static_cast<int>(i) + 1, row[i]);
      EXPECT_EQ(sqlite3_step(insert), SQLITE_DONE);
      sqlite3_reset(insert);
    }
    sqlite3_finalize(insert);
  }
  static void Bind(sqlite3_stmt* insert, int place, const QueryCell& cell) {
    if (const auto* number = std::get_if<int64_t>(&cell)) {
      sqlite3_bind_int64(insert, place, *number);
    } else if (const auto* real = std::get_if<double>(&cell)) {
      sqlite3_bind_double(insert, place, *real);
    } else if (const auto* text = std::get_if<std::string>(&cell)) {
      sqlite3_bind_text(insert, place, text->c_str(), -1, SQLITE_TRANSIENT);
    } else {
      sqlite3_bind_null(insert, place);
    }
  }

  sqlite3* plain_ = nullptr;
};

struct AskedRecording {
  template <typename Source>
  explicit AskedRecording(Source&& source) : recording(source) {}
  QueryRecording recording;
  QueryDatabase database = DatabaseOf({&recording.analysis()});
  PlainCopy copy{database};
};

constexpr char kPhases[] = "phases";  // no scenario: TraceWithPhases
constexpr const char* kScenarios[] = {
    "figure1.txt",    "short_lived.txt", "spins.txt",   "pauses.txt",
    "interfaces.txt", "two_lives.txt",   "sources.txt", "wake_before_switch_out.txt",
    kPhases};

// Two threads that tell phases, one within another, and one that goes on to the end.
testing::TraceBuilder TraceWithPhases() {
  testing::TraceBuilder t;
  t.Thread(1, "A").Thread(2, "B").Cpu(0).Run(1).Cpu(1).Run(2);
  t.At(5).Cpu(kNoCpu).PhaseBegin(1, "load", "").At(9).PhaseBegin(1, "buffer", "");
  t.At(12).PhaseBegin(2, "load", "");
  t.At(15).Cpu(0).Block();
  t.At(20).Cpu(1).Wake(1).At(21).Cpu(0).Run(1);
  t.At(24).Cpu(kNoCpu).Probe(1, ProbeKind::kPhaseEnd, "buffer");
  t.At(30).Probe(1, ProbeKind::kPhaseEnd, "load").PhaseBegin(1, "barrier", "");
  t.At(40).Cpu(0).Block().Cpu(1).Block();
  return t;
}

AskedRecording& RecordingNamed(const std::string& scenario) {
  static std::map<std::string, std::unique_ptr<AskedRecording>> kept;
  auto& recording = kept[scenario];
  if (recording == nullptr && scenario == kPhases)
    recording = std::make_unique<AskedRecording>(TraceWithPhases());
  if (recording == nullptr) recording = std::make_unique<AskedRecording>(scenario);
  return *recording;
}

const SqlTable* AnyTable() {
  std::vector<const SqlTable*> tables;
  for (const SqlTable& table : SqlTables()) {
    if (table.parameters == 0) tables.push_back(&table);
  }
  return *rc::gen::elementOf(tables);
}

// A column, more often one by which the table finds or orders rows.
size_t AnyColumn(const SqlTable& table) {
  std::vector<size_t> columns;
  for (size_t i = 0; i < table.columns.size(); ++i) columns.push_back(i);
  for (int twice = 0; twice < 3; ++twice) {
    for (const int special : {table.key, table.kind, table.begin, table.end}) {
      if (special != kNoColumn) columns.push_back(static_cast<size_t>(special));
    }
    for (const int ordered : table.order) columns.push_back(static_cast<size_t>(ordered));
  }
  if (table.can_sort_by != nullptr) {
    for (int i = 0; i < 8; ++i)
      columns.push_back(*rc::gen::inRange<size_t>(3, table.columns.size()));
  }
  return *rc::gen::elementOf(columns);
}

std::string AnyLiteral() {
  switch (*rc::gen::inRange(0, 8)) {
    case 0:
      return *rc::gen::element<std::string>("'wait'", "'run'", "'wake'", "'disk'", "'WAIT'",
                                            "'issue'", "'sent'", "'switch'", "'load'", "'create'");
    case 1:
      return *rc::gen::element<std::string>("NULL", "-1", "9223372036854775807", "1e300", "-1e300",
                                            "''", "x'00'", "9223372036854775808");
    case 2:
      return absl::StrCat(*rc::gen::inRange(0, 60), ".5");
    case 3:
      return absl::StrCat("'", *rc::gen::inRange(0, 30), "'");
    default:
      return absl::StrCat(*rc::gen::inRange(0, 60));
  }
}

std::string AnyConstraint(const SqlTable& table, const std::string& prefix) {
  const std::string column = absl::StrCat(prefix, table.columns[AnyColumn(table)].name);
  switch (*rc::gen::inRange(0, 6)) {
    case 0: {
      std::vector<std::string> literals;
      for (int i = *rc::gen::inRange(1, 5); i > 0; --i) literals.push_back(AnyLiteral());
      return absl::StrCat(column, " IN (", absl::StrJoin(literals, ","), ")");
    }
    case 1:
      return absl::StrCat(column, " BETWEEN ", AnyLiteral(), " AND ", AnyLiteral());
    case 2:
      return absl::StrCat(column, " = ", AnyLiteral(), " COLLATE NOCASE");
    default:
      return absl::StrCat(
          column,
          *rc::gen::element<std::string>(" = ", " < ", " <= ", " > ", " >= ", " IS ", " <> "),
          AnyLiteral());
  }
}

std::string AnyCondition(const SqlTable& table, const std::string& prefix = "") {
  std::vector<std::string> parts;
  for (int i = *rc::gen::inRange(0, 4); i > 0; --i) parts.push_back(AnyConstraint(table, prefix));
  if (parts.empty()) return "";
  return absl::StrCat(
      " WHERE ",
      absl::StrJoin(parts, *rc::gen::weightedElement<std::string>({{4, " AND "}, {1, " OR "}})));
}

// A few columns, often the first of the table's order.
std::vector<std::string> AnyColumns(const SqlTable& table) {
  std::vector<std::string> columns;
  if (!table.order.empty() && *rc::gen::inRange(0, 3) > 0) {
    const auto count = *rc::gen::inRange<size_t>(1, table.order.size() + 1);
    for (size_t i = 0; i < count; ++i)
      columns.emplace_back(table.columns[static_cast<size_t>(table.order[i])].name);
    if (*rc::gen::inRange(0, 3) == 0) std::reverse(columns.begin(), columns.end());
  } else {
    for (int i = *rc::gen::inRange(1, 4); i > 0; --i) {
      const std::string column(table.columns[AnyColumn(table)].name);
      if (std::find(columns.begin(), columns.end(), column) == columns.end())
        columns.push_back(column);
    }
  }
  return columns;
}

std::vector<std::string> Sorted(std::vector<std::string> lines) {
  std::sort(lines.begin(), lines.end());
  return lines;
}

void ExpectAlike(const std::string& sql, bool in_order) {
  AskedRecording& asked = RecordingNamed(
      *rc::gen::elementOf(std::vector<std::string>(std::begin(kScenarios), std::end(kScenarios))));
  const auto answer = AskOf(asked.database, sql);
  const auto expected = asked.copy.Ask(sql);
  RC_LOG() << sql << "\n";
  if (in_order) {
    RC_ASSERT(answer == expected);
  } else {
    RC_ASSERT(Sorted(answer) == Sorted(expected));
  }
}

RC_GTEST_PROP(QueryPlans, RowsAreThoseOfAPlainCopy, ()) {
  const SqlTable& table = *AnyTable();
  ExpectAlike(absl::StrCat("SELECT * FROM ", table.name, AnyCondition(table)), false);
}

RC_GTEST_PROP(QueryPlans, OrderedColumnsComeInOrder, ()) {
  const SqlTable& table = *AnyTable();
  const auto columns = AnyColumns(table);
  const std::string direction = *rc::gen::element<std::string>("", "", " DESC");
  std::string limit;
  if (*rc::gen::inRange(0, 2) == 0)
    limit = absl::StrCat(" LIMIT ", *rc::gen::inRange(0, 5), " OFFSET ", *rc::gen::inRange(0, 3));
  ExpectAlike(absl::StrCat("SELECT ", absl::StrJoin(columns, ","), " FROM ", table.name,
                           AnyCondition(table), " ORDER BY ", absl::StrJoin(columns, ","),
                           direction, limit),
              columns.size() == 1 || direction.empty());
}

RC_GTEST_PROP(QueryPlans, GroupsAreWhole, ()) {
  const SqlTable& table = *AnyTable();
  const std::string columns = absl::StrJoin(AnyColumns(table), ",");
  ExpectAlike(absl::StrCat("SELECT ", columns, ", count(*) FROM ", table.name, AnyCondition(table),
                           " GROUP BY ", columns),
              false);
}

// An ORDER BY of the same columns as GROUP BY, in any order and direction.
RC_GTEST_PROP(QueryPlans, GroupsComeInOrder, ()) {
  const SqlTable& table = *AnyTable();
  auto columns = AnyColumns(table);
  const std::string groups = absl::StrJoin(columns, ",");
  if (*rc::gen::inRange(0, 3) == 0) std::reverse(columns.begin(), columns.end());
  std::string order;
  for (const std::string& column : columns)
    absl::StrAppend(&order, order.empty() ? "" : ",", column,
                    *rc::gen::element<std::string>("", "", "", " DESC"));
  ExpectAlike(absl::StrCat("SELECT ", groups, ", count(*) FROM ", table.name, AnyCondition(table),
                           " GROUP BY ", groups, " ORDER BY ", order),
              true);
}

RC_GTEST_PROP(QueryPlans, DistinctRowsAreDistinct, ()) {
  const SqlTable& table = *AnyTable();
  const auto columns = AnyColumns(table);
  const std::string list = absl::StrJoin(columns, ",");
  const bool ordered = *rc::gen::inRange(0, 2) == 0;
  ExpectAlike(absl::StrCat("SELECT DISTINCT ", list, " FROM ", table.name, AnyCondition(table),
                           ordered ? absl::StrCat(" ORDER BY ", list) : ""),
              ordered);
}

RC_GTEST_PROP(QueryPlans, JoinsMatchAllPairs, ()) {
  const std::string join = *rc::gen::element<std::string>("JOIN", "LEFT JOIN");
  const std::string on = *rc::gen::element<std::string>(
      "s.thread = t.id", "s.thread = t.creator", "s.thread = t.id AND s.begin_ns >= t.begin_ns + 5",
      "s.waker = t.id AND s.kind IN ('wait', 'spin')", "s.thread IN (t.id, t.id + 1)",
      "s.thread IN (SELECT id FROM thread WHERE wait_ns > t.wait_ns)");
  const SqlTable segments = SegmentTable();
  ExpectAlike(absl::StrCat("SELECT t.id, s.thread, s.begin_ns, s.kind FROM thread t ", join,
                           " segment s ON ", on, AnyCondition(segments, "s."),
                           *rc::gen::element<std::string>("", " ORDER BY s.thread, s.begin_ns")),
              false);
}

}  // namespace
}  // namespace gordian
