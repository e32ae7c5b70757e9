// SPDX-License-Identifier: Apache-2.0
// Questions in SQL.
//
//   query?sql=…&rows=N[&compared=R2]   one statement; the tables of R2 are those of the schema b
//     {"columns": [{"title": "thread", "origin": "segment.thread", "means": "thread",
//                   "of_second": false}],
//      "rows": [[12, "run", null]], "cut": "", "cut_cells": 0}
//     means: what a value stands for (query/column_meaning.h), or "". Whole numbers beyond 2^53 are
//     {"whole": "9223372036854775807"}, as a browser would round them. cut: "rows" or "bytes" if
//     there are more rows than are told.
//   … or {"error": "one line", "offset": 7}: where in the statement, in bytes; -1: not known.
//   schema    {"tables": [{name, about, example, is_function, columns: [{name, type, about, means,
//             is_given}]}]}
//   queries   {"queries": [{name, about, sql}]}
#include <array>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "output/json_writer.h"
#include "query/library.h"
#include "query/query.h"
#include "serve/all_endpoints.h"
#include "words/clean_text.h"

namespace gordian {
namespace {

// A table in a page scrolls through so many at ease.
constexpr uint64_t kMostAskedRows = 100'000;
constexpr uint64_t kUsualRows = 10'000;
// An address that mail programs leave whole is far shorter.
constexpr size_t kMostAskedSqlBytes = 16 << 10;
// Of a text: no reader misses the rest in a table.
constexpr size_t kMostCellBytes = 4096;
// Quotes double in JSON, and bytes that are no text become three.
constexpr size_t kMostJsonPerByte = 3;
// Several may be asked at once, and the limit is that of the whole process.
constexpr uint64_t kAskedMemoryBytes = uint64_t{1} << 30;
// Below the server's own patience, so that the reason is told.
constexpr uint64_t kAskedTime_ns = 55'000'000'000;
constexpr int64_t kLargestExact = int64_t{1} << 53;

// Databases of one recording that nobody uses now. Each keeps what slices and phases needed.
class OpenDatabases {
 public:
  absl::StatusOr<std::unique_ptr<QueryDatabase>> Take(const Analysis& analysis) const {
    {
      const std::lock_guard lock(idle_->mutex);
      if (!idle_->databases.empty()) {
        auto database = std::move(idle_->databases.back());
        idle_->databases.pop_back();
        return database;
      }
    }
    return Open(std::array{&analysis});
  }
  void GiveBack(std::unique_ptr<QueryDatabase> database) const {
    const std::lock_guard lock(idle_->mutex);
    idle_->databases.push_back(std::move(database));
  }
  static absl::StatusOr<std::unique_ptr<QueryDatabase>> Open(
      std::span<const Analysis* const> recordings) {
    auto database = QueryDatabase::Open(
        recordings, {.timeout_ns = kAskedTime_ns, .memory_bytes = kAskedMemoryBytes});
    if (!database.ok()) return database.status();
    return std::make_unique<QueryDatabase>(*std::move(database));
  }

 private:
  struct Idle {
    std::mutex mutex;
    std::vector<std::unique_ptr<QueryDatabase>> databases;  // as many as were used at once
  };
  std::unique_ptr<Idle> idle_ = std::make_unique<Idle>();
};

class RowsWriter {
 public:
  explicit RowsWriter(uint64_t most_rows) : most_rows_(most_rows) {}

  void Begin(std::span<const QueryColumn> columns) {
    json_.BeginObject().Key("columns").BeginArray();
    for (const QueryColumn& column : columns) {
      json_.BeginObject()
          .String("title", CleanText(column.title))
          .String("origin", column.origin)
          .String("means", ColumnMeaningName(column.meaning))
          .Bool("of_second", column.is_of_second)
          .EndObject();
    }
    json_.EndArray().Key("rows").BeginArray();
  }

  // False: it is full.
  bool Add(std::span<const QueryCell> row) {
    if (rows_ == most_rows_) {
      cut_ = "rows";
      return false;
    }
    size_t bytes = 32 * row.size();
    for (const QueryCell& cell : row)
      if (const auto* text = std::get_if<std::string>(&cell))
        bytes += kMostJsonPerByte * std::min(kMostCellBytes, text->size());
    if (json_.text().size() + bytes + 1024 > kMostAnswerBytes) {
      cut_ = "bytes";
      return false;
    }
    json_.BeginArray();
    for (const QueryCell& cell : row) AddCell(cell);
    json_.EndArray();
    ++rows_;
    return true;
  }

  std::string End() {
    json_.EndArray().String("cut", cut_).Number("cut_cells", cut_cells_).EndObject();
    return std::string(json_.text());
  }

 private:
  void AddCell(const QueryCell& cell) {
    if (const auto* number = std::get_if<int64_t>(&cell)) {
      if (*number <= kLargestExact && *number >= -kLargestExact) {
        json_.Signed(*number);
      } else {
        json_.BeginObject().String("whole", absl::StrCat(*number)).EndObject();
      }
    } else if (const auto* text = std::get_if<std::string>(&cell)) {
      if (text->size() > kMostCellBytes) ++cut_cells_;
      json_.String(CleanText(std::string_view(*text).substr(0, kMostCellBytes)));
    } else {  // null is what a number is that is not finite
      const auto* real = std::get_if<double>(&cell);
      json_.Real(real != nullptr ? *real : std::numeric_limits<double>::quiet_NaN());
    }
  }

  const uint64_t most_rows_;
  JsonWriter json_;
  uint64_t rows_ = 0;
  uint64_t cut_cells_ = 0;
  std::string cut_;
};

// What the command line advises behind a semicolon is no advice here.
std::string WithoutOptions(const absl::Status& status) {
  const std::string text(status.message());
  return text.substr(0, text.find("; --"));
}

ViewAnswer ErrorOf(const absl::Status& status, int64_t offset) {
  JsonWriter json;
  json.BeginObject().String("error", WithoutOptions(status)).Signed("offset", offset).EndObject();
  return {.body = std::string(json.text())};
}

// Whether somebody who asks can do something about it.
bool IsOfTheQuestion(const absl::Status& status) {
  return absl::IsInvalidArgument(status) || absl::IsPermissionDenied(status) ||
         absl::IsDeadlineExceeded(status) || absl::IsResourceExhausted(status);
}

absl::StatusOr<ViewAnswer> RunQuestion(QueryDatabase& database, const std::string& sql,
                                       uint64_t most_rows,
                                       const std::function<bool()>& stop_asked) {
  RowsWriter writer(most_rows);
  const absl::Status asked = database.Run(
      sql, [&](std::span<const std::string>) { writer.Begin(database.columns()); },
      [&](std::span<const QueryCell> row) { return writer.Add(row); }, stop_asked);
  if (IsOfTheQuestion(asked)) return ErrorOf(asked, database.error_offset());
  if (!asked.ok()) return asked;
  return ViewAnswer{.body = writer.End()};
}

}  // namespace

absl::StatusOr<ViewAnswer> AnswerQuery(const ViewRequest& request) {
  const std::array<std::string_view, 3> names = {"sql", "rows", "compared"};
  if (const auto status = CheckNames(request.parameters, names); !status.ok()) return status;
  const auto sql = GetText(request.parameters, "sql", "", kMostAskedSqlBytes);
  if (!sql.ok()) return sql.status();
  const auto rows = GetUnsigned(request.parameters, "rows", kUsualRows, kMostAskedRows);
  if (!rows.ok()) return rows.status();
  if (HasParameter(request.parameters, "compared")) {
    const auto number = GetUnsigned(request.parameters, "compared", 0);
    if (!number.ok()) return number.status();
    // Held while it is asked; the pair is not kept, as two recordings would keep each other.
    const auto second = request.recordings.AnalysisOf(*number);
    if (!second.ok()) return second.status();
    auto database = OpenDatabases::Open(std::array{&request.analysis(), &(*second)->analysis()});
    if (!database.ok()) return database.status();
    return RunQuestion(**database, *sql, *rows, request.stop_asked);
  }
  const auto open = request.served->kept().Get<OpenDatabases>("", [] { return OpenDatabases(); });
  if (!open.ok()) return open.status();
  auto database = (*open)->Take(request.analysis());
  if (!database.ok()) return database.status();
  auto answer = RunQuestion(**database, *sql, *rows, request.stop_asked);
  (*open)->GiveBack(*std::move(database));
  return answer;
}

absl::StatusOr<ViewAnswer> AnswerSchema(const ViewRequest& request) {
  if (const auto status = CheckNames(request.parameters, {}); !status.ok()) return status;
  JsonWriter json;
  json.BeginObject().Key("tables").BeginArray();
  for (const ListedTable& table : SchemaTables()) {
    json.BeginObject()
        .String("name", table.name)
        .String("about", table.about)
        .String("example", table.example)
        .Bool("is_function", table.is_function)
        .Key("columns")
        .BeginArray();
    for (const ListedColumn& column : table.columns) {
      json.BeginObject()
          .String("name", column.name)
          .String("type", column.type)
          .String("about", column.about)
          .String("means", ColumnMeaningName(column.meaning))
          .Bool("is_given", column.is_given)
          .EndObject();
    }
    json.EndArray().EndObject();
  }
  json.EndArray().EndObject();
  return ViewAnswer{.body = std::string(json.text())};
}

absl::StatusOr<ViewAnswer> AnswerQueries(const ViewRequest& request) {
  if (const auto status = CheckNames(request.parameters, {}); !status.ok()) return status;
  constexpr std::string_view kLicence = "-- SPDX-License-Identifier: Apache-2.0\n";
  JsonWriter json;
  json.BeginObject().Key("queries").BeginArray();
  for (const SavedQuery& query : SavedQueries()) {
    std::string_view sql = query.sql;
    if (sql.starts_with(kLicence)) sql.remove_prefix(kLicence.size());
    // The line that tells what it is good for stands beside it.
    if (sql.starts_with("-- ")) sql.remove_prefix(std::min(sql.size(), sql.find('\n') + 1));
    json.BeginObject()
        .String("name", query.name)
        .String("about", query.about)
        .String("sql", sql)
        .EndObject();
  }
  json.EndArray().EndObject();
  return ViewAnswer{.body = std::string(json.text())};
}

}  // namespace gordian
