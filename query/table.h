// SPDX-License-Identifier: Apache-2.0
// What SQL sees of a recording: tables that read the analyzer's own columns, row by row.
//
// A table may be asked for a part of its rows (RowLimits). It may then give more than that part,
// never less: SQLite checks each row again. Only the order that a table promises is not checked
// again. So a table promises an order only where its rows come in it by themselves.
#pragma once

#include <sqlite3.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "query/queried_recording.h"

namespace gordian {

enum class SqlType : uint8_t { kInteger, kReal, kText };

struct SqlColumn {
  std::string name;
  SqlType type = SqlType::kInteger;
  std::string about;  // a line for people
};

// A value for readers other than SQLite. Its text lives until the next value is told.
struct ToldValue {
  enum class Kind : uint8_t { kNull, kInteger, kReal, kText, kTooLarge };
  Kind kind = Kind::kNull;
  int64_t integer = 0;
  double real = 0;
  std::string_view text;
  std::string copy;  // of a text that would not live so long
};

// Where a row's value goes: to SQLite, or to another reader. Whole numbers above 2^63 - 1 do not
// fit into SQL's: they end the query with an error.
class SqlValue {
 public:
  explicit SqlValue(sqlite3_context* context) : context_(context) {}
  explicit SqlValue(ToldValue* told) : told_(told) {}
  void Null() {
    if (told_ == nullptr) return sqlite3_result_null(context_);
    told_->kind = ToldValue::Kind::kNull;
  }
  void Integer(uint64_t value);
  void Signed(int64_t value) {
    if (told_ == nullptr) return sqlite3_result_int64(context_, value);
    told_->kind = ToldValue::Kind::kInteger;
    told_->integer = value;
  }
  void Real(double value) {
    if (told_ == nullptr) return sqlite3_result_double(context_, value);
    told_->kind = ToldValue::Kind::kReal;
    told_->real = value;
  }
  void Text(std::string_view text);        // copied
  void StaticText(std::string_view text);  // lives as long as the recording

 private:
  sqlite3_context* context_ = nullptr;
  ToldValue* told_ = nullptr;  // null: SQLite
};

// Both ends belong to it. Times are nanoseconds since the recording's start.
struct Bounds {
  uint64_t from = 0;
  uint64_t to = std::numeric_limits<uint64_t>::max();
  bool Hold(uint64_t value) const { return from <= value && value <= to; }
};

struct RowLimits {
  std::optional<std::vector<uint64_t>> keys;           // of the key column; in order, each once
  std::optional<std::vector<std::string>> kinds;       // of the kind column
  Bounds begin;                                        // of the begin column
  Bounds end;                                          // of the end column
  std::vector<std::optional<std::string>> parameters;  // as text; nothing: not given
  std::vector<int> sort_by;  // rows rise by these columns; only where the table can sort by them

  bool HoldsKind(std::string_view kind) const;
};

// Rows, one after the other. Begins before the first.
class SqlRows {
 public:
  virtual ~SqlRows() = default;
  virtual bool Next() = 0;
  virtual void Tell(size_t column, SqlValue& value) const = 0;
  // The row's number: the same whatever part is asked for, and no other row's. SQLite knows by it
  // which rows two parts share (OR).
  virtual int64_t Number() const = 0;
};

using OpenRows = absl::StatusOr<std::unique_ptr<SqlRows>> (*)(QueriedRecording& recording,
                                                              const RowLimits& limits);

inline constexpr int kNoColumn = -1;

struct SqlTable {
  std::string name;
  std::string about;
  std::string example;  // a query that any recording answers
  std::vector<SqlColumn> columns;
  // Columns by which rows are found rather than looked through.
  int key = kNoColumn;
  int kind = kNoColumn;
  int begin = kNoColumn;
  int end = kNoColumn;
  std::vector<int> order;  // the rows rise by these columns; none of them is ever null
  // Whether it can sort rows by these columns (RowLimits::sort_by), quicker than SQLite does.
  bool (*can_sort_by)(QueriedRecording& recording, std::span<const int> columns) = nullptr;
  size_t parameters = 0;  // so many last columns are what a function is given
  OpenRows open = nullptr;
};

// Rows that lie in an array, or are found by a number: `tell(index, column, value)`. `number_of`
// tells a row's number by its index.
template <typename Teller, typename NumberOf>
class NumberedRows : public SqlRows {
 public:
  NumberedRows(size_t first, size_t end, Teller tell, NumberOf number_of)
      : next_(first), end_(end), tell_(std::move(tell)), number_of_(std::move(number_of)) {}
  bool Next() override {
    if (next_ >= end_) return false;
    at_ = next_++;
    return true;
  }
  void Tell(size_t column, SqlValue& value) const override { tell_(at_, column, value); }
  int64_t Number() const override { return static_cast<int64_t>(number_of_(at_)); }

 private:
  size_t next_;
  size_t end_;
  size_t at_ = 0;
  Teller tell_;
  NumberOf number_of_;
};

template <typename Teller, typename NumberOf>
std::unique_ptr<SqlRows> RowsByNumber(size_t first, size_t end, Teller tell, NumberOf number_of) {
  return std::make_unique<NumberedRows<Teller, NumberOf>>(first, end, std::move(tell),
                                                          std::move(number_of));
}
template <typename Teller>
std::unique_ptr<SqlRows> RowsByNumber(size_t first, size_t end, Teller tell) {
  return RowsByNumber(first, end, std::move(tell), [](size_t row) { return row; });
}
template <typename Teller>
std::unique_ptr<SqlRows> RowsByNumber(size_t count, Teller tell) {
  return RowsByNumber(0, count, std::move(tell));
}

// Ids of threads, or of all entities, as they were asked for, of the first `count`.
std::vector<EntityId> AskedThreads(const RowLimits& limits, size_t count);

// A time of the timeline since its start.
inline uint64_t SinceStart(const Timeline& timeline, uint64_t time_ns) {
  return time_ns - std::min(time_ns, timeline.start_ns());
}
// … and back; never beyond the largest number.
inline uint64_t TimelineTime(const Timeline& timeline, uint64_t since_start_ns) {
  const uint64_t room = std::numeric_limits<uint64_t>::max() - timeline.start_ns();
  return timeline.start_ns() + std::min(since_start_ns, room);
}

// Ids as a value: nobody is null.
inline void TellEntity(EntityId entity, SqlValue& value) {
  entity == kNobody ? value.Null() : value.Integer(entity);
}

}  // namespace gordian
