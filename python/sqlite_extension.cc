// SPDX-License-Identifier: Apache-2.0
// The extension that any program with SQLite can load. It adds two functions:
//
//   gordian_open(RECORDING, SCHEMA)  makes the tables of a recording in the schema (temp, unless
//                                    said; a new name is a schema of its own, in memory)
//   gordian_memory_limit(BYTES)      that of SQLite in the whole process; returns the one before
//
// RECORDING is a folder, or the number of a recording that this process has open
// (python/c_interface.h). Nothing is ever written to the program's database file.
#include <cstdint>
#include <exception>
#include <memory>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "python/host_sqlite.h"
#include "python/open_recording.h"
#include "query/tables.h"
#include "query/virtual_table.h"

SQLITE_EXTENSION_INIT1

namespace gordian {
namespace {

// sqlite3_vtab_in is of 3.38. The table of functions of an older SQLite ends before it.
constexpr int kOldestSqlite = 3'038'000;

// A table that keeps its recording. What queries made of that is shared by the tables of one
// gordian_open: SQLite lets one thread at a time into a connection.
struct OwningTable : BoundTable {
  std::shared_ptr<OpenRecording> owner;
  std::shared_ptr<QueriedRecording> queried;
};

void DestroyTable(void* bound) {
  delete static_cast<OwningTable*>(static_cast<BoundTable*>(bound));
}

absl::Status Execute(sqlite3* database, const char* format, const std::string& first,
                     const std::string& second = "", const std::string& third = "") {
  char* const sql = sqlite3_mprintf(format, first.c_str(), second.c_str(), third.c_str());
  if (sql == nullptr) return absl::ResourceExhaustedError("SQLite has no memory");
  const int code = sqlite3_exec(database, sql, nullptr, nullptr, nullptr);
  sqlite3_free(sql);
  return code == SQLITE_OK ? absl::OkStatus() : absl::InternalError(sqlite3_errmsg(database));
}

bool HasSchema(sqlite3* database, const std::string& schema) {
  if (sqlite3_stricmp(schema.c_str(), "temp") == 0) return true;
  return sqlite3_db_filename(database, schema.c_str()) != nullptr;
}

// Tables in a file would stay there, and no program without the extension could read its schema.
absl::Status PrepareSchema(sqlite3* database, const std::string& schema) {
  if (!HasSchema(database, schema)) return Execute(database, "ATTACH ':memory:' AS \"%w\"", schema);
  const char* const file = sqlite3_db_filename(database, schema.c_str());
  if (file != nullptr && *file != '\0')
    return absl::FailedPreconditionError(
        absl::StrCat("the schema ", schema,
                     " is a file; gordian_open makes tables only in memory: "
                     "leave the schema out, or give a new name"));
  return absl::OkStatus();
}

absl::Status MakeTables(sqlite3* database, const std::shared_ptr<OpenRecording>& recording,
                        const std::string& schema) {
  const auto analysis = recording->Analyzed({});
  if (!analysis.ok()) return analysis.status();
  if (absl::Status made = PrepareSchema(database, schema); !made.ok()) return made;
  const auto queried = std::make_shared<QueriedRecording>(**analysis);
  for (const SqlTable& table : SqlTables()) {
    const std::string module = absl::StrCat("gordian_", schema, "_", table.name);
    auto bound = std::make_unique<OwningTable>();
    bound->table = &table;
    bound->recording = queried.get();
    bound->owner = recording;
    bound->queried = queried;
    // SQLite owns it from here on, also if this fails.
    if (AddModule(database, module.c_str(), bound.release(), DestroyTable) != SQLITE_OK)
      return absl::InternalError(sqlite3_errmsg(database));
    absl::Status made = Execute(database, "CREATE VIRTUAL TABLE \"%w\".\"%w\" USING \"%w\"", schema,
                                table.name, module);
    if (!made.ok()) return made;
  }
  return absl::OkStatus();
}

absl::StatusOr<std::shared_ptr<OpenRecording>> RecordingOf(sqlite3_value* value) {
  if (sqlite3_value_type(value) == SQLITE_INTEGER) {
    auto recording = OpenRecordings().Find(sqlite3_value_int64(value));
    if (recording == nullptr)
      return absl::NotFoundError("no recording of this number is open in this process");
    return recording;
  }
  const auto* text = reinterpret_cast<const char*>(sqlite3_value_text(value));
  if (text == nullptr) return absl::InvalidArgumentError("gordian_open needs a recording's folder");
  return OpenRecording::Open(text, {}, {});
}

absl::Status OpenTables(sqlite3* database, int count, sqlite3_value** values) {
  const auto* schema =
      count > 1 ? reinterpret_cast<const char*>(sqlite3_value_text(values[1])) : "temp";
  if (schema == nullptr) return absl::InvalidArgumentError("gordian_open needs a schema's name");
  const std::string name = schema;
  auto recording = RecordingOf(values[0]);
  if (!recording.ok()) return recording.status();
  return MakeTables(database, *recording, name);
}

void Open(sqlite3_context* context, int count, sqlite3_value** values) try {
  const absl::Status opened = OpenTables(sqlite3_context_db_handle(context), count, values);
  if (!opened.ok()) {
    sqlite3_result_error(context, std::string(opened.message()).c_str(), -1);
    return;
  }
  sqlite3_result_int64(context, static_cast<sqlite3_int64>(SqlTables().size()));
} catch (const std::exception& error) {
  sqlite3_result_error(context, error.what(), -1);
}

void LimitMemory(sqlite3_context* context, int, sqlite3_value** values) {
  sqlite3_result_int64(context, sqlite3_hard_heap_limit64(sqlite3_value_int64(values[0])));
}

int AddFunctions(sqlite3* database) {
  // The SQL of the program calls them; a view or trigger of a foreign file cannot.
  constexpr int kFlags = SQLITE_UTF8 | SQLITE_DIRECTONLY;
  for (const int arguments : {1, 2}) {
    const int code = sqlite3_create_function_v2(database, "gordian_open", arguments, kFlags,
                                                nullptr, Open, nullptr, nullptr, nullptr);
    if (code != SQLITE_OK) return code;
  }
  return sqlite3_create_function_v2(database, "gordian_memory_limit", 1, kFlags, nullptr,
                                    LimitMemory, nullptr, nullptr, nullptr);
}

}  // namespace
}  // namespace gordian

// SQLite looks for this name first, whatever the file is called.
extern "C" int sqlite3_extension_init(sqlite3* database, char** error,
                                      const sqlite3_api_routines* routines) {
  SQLITE_EXTENSION_INIT2(routines);
  if (sqlite3_libversion_number() < gordian::kOldestSqlite) {
    *error = sqlite3_mprintf("gordian needs SQLite 3.38 or later; this program has %s",
                             sqlite3_libversion());
    return SQLITE_ERROR;
  }
  return gordian::AddFunctions(database);
}
