// SPDX-License-Identifier: Apache-2.0
// SQL over recordings. Tables read the analyzer's own columns; nothing is copied.
//
//   auto database = QueryDatabase::Open({&*analysis}, {});
//   database->Run("SELECT kind, count(*) FROM segment GROUP BY kind", titles, each_row);
//
// The tables of the second recording are those of the schema b: b.segment. All times are
// nanoseconds since the recording's start, as for --from and --to.
//
// Only questions are answered: a statement that would write, attach, load or set anything is
// refused. A query ends with an error when it takes too long or too much memory. The limit on
// memory is that of SQLite in the whole process.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "analysis/analysis.h"
#include "query/column_meaning.h"

namespace gordian {

struct QueryLimits {
  uint64_t timeout_ns = 60'000'000'000;  // of one query
  uint64_t memory_bytes = uint64_t{1} << 30;
};

// Null, whole numbers, others, text (any bytes).
using QueryCell = std::variant<std::monostate, int64_t, double, std::string>;

struct QueryColumn {
  std::string title;
  std::string origin;  // segment.thread, whose values these are; empty: they are computed
  ColumnMeaning meaning = ColumnMeaning::kValue;
  bool is_of_second = false;  // of the second recording
};

class QueryDatabase {
 public:
  // One recording or two, which must outlive it.
  static absl::StatusOr<QueryDatabase> Open(std::span<const Analysis* const> recordings,
                                            const QueryLimits& limits);
  QueryDatabase(QueryDatabase&&) noexcept;
  ~QueryDatabase();

  using EachRow = std::function<bool(std::span<const QueryCell> row)>;  // false: enough
  using Titles = std::function<void(std::span<const std::string> titles)>;
  // Exactly one statement. Calls `titles` once before the first row. Errors are a line for people:
  // InvalidArgument for SQL that cannot be understood, PermissionDenied, DeadlineExceeded,
  // ResourceExhausted; Cancelled once `stop_asked` is true, which is asked now and then.
  absl::Status Run(std::string_view sql, const Titles& titles, const EachRow& each,
                   const std::function<bool()>& stop_asked = {});
  // Of the statement that was asked last, once it told its titles.
  std::span<const QueryColumn> columns() const;
  // Where in it SQL could not be understood, in bytes; −1: not known, or nothing was wrong.
  int64_t error_offset() const;

 private:
  struct Impl;
  explicit QueryDatabase(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

// What a table holds, for people and pages.
struct ListedColumn {
  std::string name;
  std::string type;   // integer, real, text
  std::string about;  // a line
  ColumnMeaning meaning = ColumnMeaning::kValue;
  bool is_given = false;  // of a function: what it is given, not what it tells
};
struct ListedTable {
  std::string name;
  std::string about;
  std::string example;
  bool is_function = false;  // it is given something: name(…)
  std::vector<ListedColumn> columns;
};
std::vector<ListedTable> SchemaTables();
// Each table: what it is, its columns with a line each, and an example.
std::string SchemaText();
// … of one; empty if there is none.
std::string SchemaTextOf(std::string_view table);
// A line for each table.
std::string TablesText();
std::vector<std::string> SchemaExamples();
// The names of all tables, functions and columns, each once, sorted.
std::vector<std::string> SchemaWords();

// Whether the text ends with a semicolon that is no part of a comment or a text.
bool IsWholeStatement(const std::string& sql);

}  // namespace gordian
