// SPDX-License-Identifier: Apache-2.0
#include "query/query.h"

#include <sqlite3.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <limits>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "query/statement.h"
#include "query/tables.h"
#include "query/virtual_table.h"
#include "words/quantities.h"

namespace gordian {
namespace {

constexpr char kOnlyQuestions[] =
    "only questions are answered: a query begins with SELECT or WITH, and changes nothing";

using std::chrono::steady_clock;

constexpr int kStepsBetweenLooks = 1000;
// Of a text or blob, and of a question. What one function does with a text is not interrupted:
// searching a text of this size for half of it takes seconds at most.
constexpr int kMostTextBytes = 1 << 20;
constexpr std::array<const char*, 2> kSchemas = {"main", "b"};

// Only what reads. Everything else is refused while a statement is prepared.
int Authorize(void*, int action, const char*, const char* name, const char*, const char*) {
  switch (action) {
    case SQLITE_SELECT:
    case SQLITE_READ:
    case SQLITE_RECURSIVE:
      return SQLITE_OK;
    case SQLITE_FUNCTION:
      return sqlite3_stricmp(name, "load_extension") == 0 ? SQLITE_DENY : SQLITE_OK;
    default:
      return SQLITE_DENY;
  }
}

// Whose values a column tells.
QueryColumn ColumnOf(sqlite3_stmt* statement, int column) {
  QueryColumn told{.title = sqlite3_column_name(statement, column), .origin = {}};
  told.meaning = MeaningOfTitle(told.title);
  const char* const table = sqlite3_column_table_name(statement, column);
  const char* const origin = sqlite3_column_origin_name(statement, column);
  if (table == nullptr || origin == nullptr) return told;
  told.origin = absl::StrCat(table, ".", origin);
  told.meaning = MeaningOfColumn(table, origin);
  const char* const schema = sqlite3_column_database_name(statement, column);
  told.is_of_second = schema != nullptr && std::string_view(schema) == kSchemas[1];
  return told;
}

QueryCell CellOf(sqlite3_stmt* statement, int column) {
  switch (sqlite3_column_type(statement, column)) {
    case SQLITE_NULL:
      return std::monostate();
    case SQLITE_INTEGER:
      return int64_t{sqlite3_column_int64(statement, column)};
    case SQLITE_FLOAT:
      return sqlite3_column_double(statement, column);
    default: {
      const auto* bytes = static_cast<const char*>(sqlite3_column_blob(statement, column));
      const auto size = static_cast<size_t>(sqlite3_column_bytes(statement, column));
      return bytes == nullptr ? std::string() : std::string(bytes, size);
    }
  }
}

}  // namespace

struct QueryDatabase::Impl {
  ~Impl() { sqlite3_close(database); }

  absl::Status Open(std::span<const Analysis* const> recordings) {
    // Its own calls come from one thread.
    if (sqlite3_open_v2(
            ":memory:", &database,
            SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_MEMORY | SQLITE_OPEN_NOMUTEX,
            nullptr) != SQLITE_OK)
      return absl::InternalError("SQLite cannot be opened");
    Execute("PRAGMA temp_store = MEMORY");  // sorting writes no files
    bound.reserve(recordings.size() * SqlTables().size());
    queried.reserve(recordings.size());
    for (size_t i = 0; i < recordings.size(); ++i) {
      if (i > 0) Execute(absl::StrCat("ATTACH ':memory:' AS ", kSchemas[i]));
      queried.emplace_back(*recordings[i]);
      for (const SqlTable& table : SqlTables()) {
        bound.push_back({&table, &queried.back()});
        const std::string module = absl::StrCat("gordian_", kSchemas[i], "_", table.name);
        AddModule(database, module.c_str(), &bound.back());
        Execute(absl::StrCat("CREATE VIRTUAL TABLE ", kSchemas[i], ".\"", table.name, "\" USING ",
                             module));
      }
    }
    if (!setup.ok()) return setup;
    sqlite3_limit(database, SQLITE_LIMIT_LENGTH, kMostTextBytes);
    sqlite3_db_config(database, SQLITE_DBCONFIG_DEFENSIVE, 1, nullptr);
    sqlite3_set_authorizer(database, Authorize, nullptr);
    sqlite3_progress_handler(database, kStepsBetweenLooks, IsOver, this);
    sqlite3_hard_heap_limit64(static_cast<sqlite3_int64>(
        std::min<uint64_t>(limits.memory_bytes, std::numeric_limits<int64_t>::max())));
    return absl::OkStatus();
  }
  void Execute(const std::string& sql) {
    if (sqlite3_exec(database, sql.c_str(), nullptr, nullptr, nullptr) != SQLITE_OK && setup.ok())
      setup = absl::InternalError(sqlite3_errmsg(database));
  }
  bool IsStopped() const { return stop_asked && stop_asked(); }
  static int IsOver(void* self) {
    const auto& impl = *static_cast<const Impl*>(self);
    return steady_clock::now() > impl.deadline || impl.IsStopped() ? 1 : 0;
  }
  absl::Status Failure(int code) const {
    switch (code & 0xff) {
      case SQLITE_INTERRUPT:
        if (IsStopped()) return absl::CancelledError("the query was ended before it was done");
        return absl::DeadlineExceededError(absl::StrCat("the query took longer than ",
                                                        FormatDuration(limits.timeout_ns),
                                                        "; --timeout allows more"));
      case SQLITE_NOMEM:
        return absl::ResourceExhaustedError(absl::StrCat("the query needs more memory than ",
                                                         FormatSize(limits.memory_bytes),
                                                         "; --query-memory allows more"));
      case SQLITE_AUTH:
        return absl::PermissionDeniedError(kOnlyQuestions);
      default:
        break;
    }
    const std::string reason = sqlite3_errmsg(database);
    if (reason.ends_with("may not be modified")) return absl::PermissionDeniedError(kOnlyQuestions);
    return absl::InvalidArgumentError(
        absl::StrCat("the query cannot be answered: ", reason, "; --schema shows the tables"));
  }

  sqlite3* database = nullptr;
  absl::Status setup;  // its first failure
  QueryLimits limits;
  std::vector<QueriedRecording> queried;
  std::vector<BoundTable> bound;
  steady_clock::time_point deadline;
  std::function<bool()> stop_asked;  // of the query at hand
  std::vector<QueryColumn> columns;  // … and its columns
  int64_t error_offset = -1;         // … and what is wrong in it
};

QueryDatabase::QueryDatabase(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
QueryDatabase::QueryDatabase(QueryDatabase&&) noexcept = default;
QueryDatabase::~QueryDatabase() = default;

absl::StatusOr<QueryDatabase> QueryDatabase::Open(std::span<const Analysis* const> recordings,
                                                  const QueryLimits& limits) {
  if (recordings.empty() || recordings.size() > kSchemas.size())
    return absl::InvalidArgumentError("a query is about one recording or two");
  auto impl = std::make_unique<Impl>();
  impl->limits = limits;
  if (absl::Status opened = impl->Open(recordings); !opened.ok()) return opened;
  return QueryDatabase(std::move(impl));
}

absl::Status QueryDatabase::Run(std::string_view sql, const Titles& titles, const EachRow& each,
                                const std::function<bool()>& stop_asked) {
  Impl& impl = *impl_;
  impl.stop_asked = stop_asked;
  impl.columns.clear();
  impl.error_offset = -1;
  if (sql.size() > static_cast<size_t>(kMostTextBytes))
    return absl::InvalidArgumentError("the query is too long");
  impl.deadline = steady_clock::now() + std::chrono::nanoseconds(std::min<uint64_t>(
                                            impl.limits.timeout_ns, INT64_MAX / 4));
  sqlite3_stmt* prepared = nullptr;
  const char* rest = nullptr;
  int code =
      sqlite3_prepare_v2(impl.database, sql.data(), static_cast<int>(sql.size()), &prepared, &rest);
  if (code != SQLITE_OK) {
    impl.error_offset = sqlite3_error_offset(impl.database);
    return impl.Failure(code);
  }
  const Statement statement(prepared);
  if (prepared == nullptr) return absl::InvalidArgumentError("the query is empty");
  // VACUUM asks the authorizer only when it runs, and then leaves the tables unusable.
  if (sqlite3_stmt_readonly(prepared) == 0) return absl::PermissionDeniedError(kOnlyQuestions);
  sqlite3_stmt* second = nullptr;
  const auto left = static_cast<int>(sql.data() + sql.size() - rest);
  code = sqlite3_prepare_v2(impl.database, rest, left, &second, nullptr);
  const Statement other(second);
  if (code != SQLITE_OK || second != nullptr)
    return absl::InvalidArgumentError("more than one statement: ask one at a time");
  const int columns = sqlite3_column_count(prepared);
  std::vector<std::string> names;
  for (int i = 0; i < columns; ++i) {
    impl.columns.push_back(ColumnOf(prepared, i));
    names.push_back(impl.columns.back().title);
  }
  titles(names);
  std::vector<QueryCell> row(static_cast<size_t>(columns));
  while ((code = sqlite3_step(prepared)) == SQLITE_ROW) {
    for (int i = 0; i < columns; ++i) row[static_cast<size_t>(i)] = CellOf(prepared, i);
    if (!each(row)) return absl::OkStatus();
  }
  return code == SQLITE_DONE ? absl::OkStatus() : impl.Failure(code);
}

std::span<const QueryColumn> QueryDatabase::columns() const { return impl_->columns; }
int64_t QueryDatabase::error_offset() const { return impl_->error_offset; }

namespace {

const char* NameOfType(SqlType type) {
  if (type == SqlType::kInteger) return "integer";
  return type == SqlType::kReal ? "real" : "text";
}

std::string TextOfTable(const SqlTable& table) {
  std::string text = absl::StrCat(table.name, "\n  ", table.about, ".\n");
  size_t width = 0;
  for (const SqlColumn& column : table.columns) width = std::max(width, column.name.size());
  for (const SqlColumn& column : table.columns) {
    absl::StrAppend(&text, "    ", column.name, std::string(width + 2 - column.name.size(), ' '),
                    column.about, "\n");
  }
  absl::StrAppend(&text, "  Example: ", table.example, "\n");
  return text;
}

}  // namespace

std::vector<ListedTable> SchemaTables() {
  std::vector<ListedTable> tables;
  for (const SqlTable& table : SqlTables()) {
    ListedTable& listed = tables.emplace_back(ListedTable{.name = table.name,
                                                          .about = table.about,
                                                          .example = table.example,
                                                          .is_function = table.parameters > 0,
                                                          .columns = {}});
    for (const SqlColumn& column : table.columns) {
      const size_t told = table.columns.size() - table.parameters;
      listed.columns.push_back({.name = column.name,
                                .type = NameOfType(column.type),
                                .about = column.about,
                                .meaning = MeaningOfColumn(table.name, column.name),
                                .is_given = listed.columns.size() >= told});
    }
  }
  return tables;
}

std::string SchemaText() {
  std::string text = "All times are nanoseconds since the recording's start.\n";
  for (const SqlTable& table : SqlTables()) absl::StrAppend(&text, "\n", TextOfTable(table));
  return text;
}

std::string SchemaTextOf(std::string_view name) {
  for (const SqlTable& table : SqlTables()) {
    if (table.name == name) return TextOfTable(table);
  }
  return "";
}

std::string TablesText() {
  size_t width = 0;
  for (const SqlTable& table : SqlTables()) width = std::max(width, table.name.size());
  std::string text;
  for (const SqlTable& table : SqlTables())
    absl::StrAppend(&text, table.name, std::string(width + 2 - table.name.size(), ' '), table.about,
                    "\n");
  return text;
}

std::vector<std::string> SchemaWords() {
  std::vector<std::string> words;
  for (const SqlTable& table : SqlTables()) {
    words.push_back(table.name);
    for (const SqlColumn& column : table.columns) words.push_back(column.name);
  }
  std::sort(words.begin(), words.end());
  words.erase(std::unique(words.begin(), words.end()), words.end());
  return words;
}

bool IsWholeStatement(const std::string& sql) { return sqlite3_complete(sql.c_str()) == 1; }

std::vector<std::string> SchemaExamples() {
  std::vector<std::string> examples;
  for (const SqlTable& table : SqlTables()) examples.emplace_back(table.example);
  return examples;
}

}  // namespace gordian
