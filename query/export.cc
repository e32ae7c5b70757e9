// SPDX-License-Identifier: Apache-2.0
#include "query/export.h"

#include <sqlite3.h>
#include <unistd.h>

#include <algorithm>
#include <memory>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "query/statement.h"
#include "query/tables.h"
#include "query/virtual_table.h"
#include "words/clean_text.h"

namespace gordian {
namespace {

constexpr uint64_t kRowsBetweenLooks = 10'000;
// What SQLite keeps of the file before it writes: enough that no page is written twice.
constexpr const char* kSettings =
    "PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA cache_size = -16384; "
    "PRAGMA locking_mode = EXCLUSIVE; BEGIN";

const SqlTable* TableNamed(std::string_view name) {
  for (const SqlTable& table : SqlTables()) {
    if (table.name == name) return &table;
  }
  return nullptr;
}

// A file of SQLite while it is made. Without Finish it is removed again.
class SqliteFile {
 public:
  explicit SqliteFile(std::string path) : path_(std::move(path)) {}
  SqliteFile(const SqliteFile&) = delete;
  SqliteFile& operator=(const SqliteFile&) = delete;
  ~SqliteFile() {
    sqlite3_close(file_);
    if (!is_whole_) ::unlink(path_.c_str());
  }

  absl::Status Open() {
    if (sqlite3_open_v2(path_.c_str(), &file_,
                        SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX,
                        nullptr) != SQLITE_OK)
      return Failure();
    return Execute(kSettings);
  }
  absl::Status Execute(const std::string& sql) {
    return sqlite3_exec(file_, sql.c_str(), nullptr, nullptr, nullptr) == SQLITE_OK
               ? absl::OkStatus()
               : Failure();
  }
  absl::Status Finish() {
    absl::Status committed = Execute("COMMIT");
    if (!committed.ok()) return committed;
    const int closed = sqlite3_close(file_);
    file_ = nullptr;
    if (closed != SQLITE_OK) return absl::InternalError(absl::StrCat("cannot close ", path_));
    is_whole_ = true;
    return absl::OkStatus();
  }
  absl::Status Failure() const {
    return absl::UnavailableError(
        absl::StrCat("cannot write ", path_, ": ", sqlite3_errmsg(file_)));
  }
  sqlite3* get() { return file_; }

 private:
  std::string path_;
  sqlite3* file_ = nullptr;
  bool is_whole_ = false;
};

void BindCell(sqlite3_stmt* insert, int place, const QueryCell& cell) {
  if (const auto* number = std::get_if<int64_t>(&cell)) {
    sqlite3_bind_int64(insert, place, *number);
  } else if (const auto* real = std::get_if<double>(&cell)) {
    sqlite3_bind_double(insert, place, *real);
  } else if (const auto* text = std::get_if<std::string>(&cell)) {
    const std::string clean = CleanText(*text);
    sqlite3_bind_text64(insert, place, clean.data(), clean.size(), SQLITE_TRANSIENT, SQLITE_UTF8);
  } else {
    sqlite3_bind_null(insert, place);
  }
}

absl::Status ExportTable(QueryDatabase& database, const SqlTable& table, SqliteFile& file,
                         const ExportProgress& progress) {
  absl::Status made =
      file.Execute(absl::StrCat("CREATE TABLE \"", table.name, "\" (", ColumnList(table), ")"));
  if (!made.ok()) return made;
  const std::vector<std::string> marks(table.columns.size(), "?");
  const std::string sql =
      absl::StrCat("INSERT INTO \"", table.name, "\" VALUES (", absl::StrJoin(marks, ","), ")");
  sqlite3_stmt* prepared = nullptr;
  if (sqlite3_prepare_v2(file.get(), sql.c_str(), -1, &prepared, nullptr) != SQLITE_OK)
    return file.Failure();
  const Statement insert(prepared);
  absl::Status written;
  absl::Status read = ExportRows(
      database, table.name, [](std::span<const std::string>) {},
      [&](std::span<const QueryCell> row) {
        for (size_t i = 0; i < row.size(); ++i)
          BindCell(insert.get(), static_cast<int>(i) + 1, row[i]);
        if (sqlite3_step(insert.get()) != SQLITE_DONE) written = file.Failure();
        sqlite3_reset(insert.get());
        return written.ok();
      },
      progress);
  return read.ok() ? written : read;
}

}  // namespace

std::vector<std::string> ExportedTables() {
  std::vector<std::string> names;
  for (const SqlTable& table : SqlTables()) {
    if (table.parameters == 0) names.push_back(table.name);
  }
  return names;
}

absl::StatusOr<std::vector<std::string>> TablesToExport(std::span<const std::string> asked) {
  const std::vector<std::string> all = ExportedTables();
  if (asked.empty()) return all;
  std::vector<std::string> tables;
  for (const std::string& name : asked) {
    if (std::find(all.begin(), all.end(), name) == all.end())
      return absl::InvalidArgumentError(absl::StrCat("there is no table ", CleanText(name),
                                                     " to export; there are ",
                                                     absl::StrJoin(all, ", ")));
    if (std::find(tables.begin(), tables.end(), name) == tables.end()) tables.push_back(name);
  }
  return tables;
}

absl::Status ExportRows(QueryDatabase& database, const std::string& table,
                        const QueryDatabase::Titles& titles, const QueryDatabase::EachRow& each,
                        const ExportProgress& progress) {
  uint64_t rows = 0;
  return database.Run(
      absl::StrCat("SELECT * FROM \"", table, "\""), titles,
      [&](std::span<const QueryCell> row) {
        if (++rows % kRowsBetweenLooks == 0 && progress.show) progress.show(table, rows);
        return each(row);
      },
      progress.stop_asked);
}

absl::Status ExportToSqlite(QueryDatabase& database, std::span<const std::string> tables,
                            const std::string& path, const ExportProgress& progress) {
  if (::access(path.c_str(), F_OK) == 0)
    return absl::AlreadyExistsError(absl::StrCat(path, " is there already"));
  SqliteFile file(path);
  if (absl::Status opened = file.Open(); !opened.ok()) return opened;
  for (const std::string& name : tables) {
    const SqlTable* table = TableNamed(name);
    if (table == nullptr) return absl::InvalidArgumentError(absl::StrCat("no table ", name));
    if (absl::Status exported = ExportTable(database, *table, file, progress); !exported.ok())
      return exported;
  }
  return file.Finish();
}

}  // namespace gordian
