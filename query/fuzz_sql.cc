// SPDX-License-Identifier: Apache-2.0
// Any bytes as a question in SQL: it is answered or refused in a line, within its limits, and
// changes nothing.
#include <sqlite3.h>

#include <cstdint>
#include <cstdlib>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "analysis/analysis.h"
#include "analysis/fuzz_recording.h"
#include "query/query.h"

namespace gordian {
namespace {

constexpr uint64_t kMemoryBytes = 8 << 20;
// The limits of one question, in rows and in looks at the clock: no clock decides what a run finds.
constexpr size_t kMostRows = 2000;
constexpr size_t kMostLooks = 50;

void Require(bool is_true) {
  if (!is_true) std::abort();
}

// From now on SQLite may open no file at all, for whatever reason.
void ForbidFiles() {
  static sqlite3_vfs none = *sqlite3_vfs_find(nullptr);
  none.zName = "none";
  none.xOpen = [](sqlite3_vfs*, const char*, sqlite3_file*, int, int*) -> int { std::abort(); };
  Require(sqlite3_vfs_register(&none, 1) == SQLITE_OK);
}

// A recording of a few threads, disks and packets, twice.
class AskedByBytes {
 public:
  AskedByBytes() {
    ForbidFiles();
    std::vector<uint8_t> bytes(900);
    for (size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<uint8_t>(i * i * 31 + i * 7);
    const std::unique_ptr<SessionReader> session = RecordingOfBytes(bytes);
    auto timeline = Timeline::Load(*session, {.threads = 1}, {});
    Require(timeline.ok());
    auto analysis = Analysis::Run(RecordingOf(*std::move(timeline)), {.threads = 1});
    Require(analysis.ok());
    analysis_ = std::make_unique<Analysis>(*std::move(analysis));
    const Analysis* recordings[] = {analysis_.get(), analysis_.get()};
    auto database = QueryDatabase::Open(recordings, {.memory_bytes = kMemoryBytes});
    Require(database.ok());
    database_ = std::make_unique<QueryDatabase>(*std::move(database));
    all_ = CountAll();
  }

  void Ask(std::string_view sql) {
    size_t rows = 0;
    size_t looks = 0;
    const absl::Status status = database_->Run(
        sql, [](std::span<const std::string>) {},
        [&](std::span<const QueryCell>) { return ++rows < kMostRows; },
        [&] { return ++looks > kMostLooks; });
    Require(status.ok() || (!status.message().empty() && !absl::IsInternal(status)));
    Require(static_cast<uint64_t>(sqlite3_memory_used()) <= kMemoryBytes);
    Require(CountAll() == all_);
  }

 private:
  // All tables, and the threads: questions are still answered.
  int64_t CountAll() {
    int64_t count = -1;
    const absl::Status status = database_->Run(
        "SELECT (SELECT count(*) FROM main.sqlite_schema) * 1000 + (SELECT count(*) FROM "
        "b.sqlite_schema) + (SELECT count(*) FROM b.thread) * 1000000",
        [](std::span<const std::string>) {},
        [&count](std::span<const QueryCell> row) {
          count = std::get<int64_t>(row[0]);
          return true;
        });
    Require(status.ok());
    return count;
  }

  std::unique_ptr<Analysis> analysis_;
  std::unique_ptr<QueryDatabase> database_;
  int64_t all_ = 0;
};

}  // namespace
}  // namespace gordian

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static gordian::AskedByBytes asked;
  asked.Ask({reinterpret_cast<const char*>(data), size});
  return 0;
}
