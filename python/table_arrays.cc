// SPDX-License-Identifier: Apache-2.0
#include "python/table_arrays.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <limits>
#include <optional>
#include <string_view>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"
#include "analyzer/timeline/column.h"

namespace gordian {
namespace {

// Rows that are gathered before they are handed on: enough that a stop is asked for rarely, and few
// enough that they stay in the processor's cache.
constexpr size_t kRowsOfPiece = 16'384;

constexpr char kWords[] = ".words";
constexpr char kWordEnds[] = ".word_ends";

// Segments and edges are many. Narrow columns take half the memory of wide ones. All other columns
// are as wide as SQL's.
struct NarrowColumn {
  std::string_view table;
  std::string_view column;
  ArrayType type;
};
constexpr std::array<NarrowColumn, 11> kNarrowColumns = {{
    {"segment", "thread", ArrayType::kInt32},
    {"segment", "kind", ArrayType::kInt8},
    {"segment", "cpu", ArrayType::kInt32},
    {"segment", "state", ArrayType::kInt32},
    {"segment", "waker", ArrayType::kInt32},
    {"segment", "cause", ArrayType::kInt8},
    {"segment", "open", ArrayType::kInt8},
    {"edge", "from_thread", ArrayType::kInt32},
    {"edge", "to_thread", ArrayType::kInt32},
    {"edge", "kind", ArrayType::kInt8},
    {"edge", "network_hop", ArrayType::kInt8},
}};

ArrayType TypeOf(const SqlTable& table, const SqlColumn& column) {
  for (const NarrowColumn& narrow : kNarrowColumns) {
    if (narrow.table == table.name && narrow.column == column.name) return narrow.type;
  }
  switch (column.type) {
    case SqlType::kReal:
      return ArrayType::kReal;
    case SqlType::kText:
      return ArrayType::kInt32;
    case SqlType::kInteger:
      break;
  }
  return ArrayType::kInt64;
}

// What a function is given is no column of its own.
std::span<const SqlColumn> ShownColumns(const SqlTable& table) {
  return std::span(table.columns).first(table.columns.size() - table.parameters);
}

// Gathers a column's values, some rows at a time.
class GatheredColumn {
 public:
  GatheredColumn(const SqlTable& table, const SqlColumn& column)
      : name_(column.name),
        type_(TypeOf(table, column)),
        value_bytes_(BytesOfValue(type_)),
        piece_(value_bytes_ * kRowsOfPiece) {}

  // False if it does not fit.
  bool Add(const ToldValue& value) {
    if (type_ == ArrayType::kReal) return AddReal(value);
    switch (value.kind) {
      case ToldValue::Kind::kNull:
        return AddInteger(-1);
      case ToldValue::Kind::kInteger:
        return AddInteger(value.integer);
      case ToldValue::Kind::kText:
        return AddInteger(NumberOf(value.text));
      case ToldValue::Kind::kReal:
      case ToldValue::Kind::kTooLarge:
        break;
    }
    return false;
  }
  std::span<const std::byte> TakePiece() {
    return std::span(piece_).first(std::exchange(used_bytes_, 0));
  }
  const std::string& name() const { return name_; }
  ArrayType type() const { return type_; }
  std::string& words() { return words_; }
  std::vector<uint64_t>& word_ends() { return word_ends_; }

 private:
  template <typename Value>
  void Put(Value value) {
    std::memcpy(piece_.data() + used_bytes_, &value, sizeof(value));
    used_bytes_ += sizeof(value);
  }
  template <typename Value>
  bool PutIfItFits(int64_t value) {
    if (value < std::numeric_limits<Value>::min() || value > std::numeric_limits<Value>::max())
      return false;
    Put(static_cast<Value>(value));
    return true;
  }
  bool AddInteger(int64_t value) {
    switch (type_) {
      case ArrayType::kInt8:
        return PutIfItFits<int8_t>(value);
      case ArrayType::kInt32:
        return PutIfItFits<int32_t>(value);
      default:
        return PutIfItFits<int64_t>(value);
    }
  }
  bool AddReal(const ToldValue& value) {
    if (value.kind == ToldValue::Kind::kTooLarge || value.kind == ToldValue::Kind::kText)
      return false;
    Put(value.kind == ToldValue::Kind::kReal      ? value.real
        : value.kind == ToldValue::Kind::kInteger ? static_cast<double>(value.integer)
                                                  : std::nan(""));
    return true;
  }
  int64_t NumberOf(std::string_view word) {
    if (last_number_ >= 0 && word == last_word_) return last_number_;
    const auto [found, is_new] =
        numbers_.try_emplace(std::string(word), static_cast<int64_t>(word_ends_.size()));
    if (is_new) {
      words_ += word;
      word_ends_.push_back(words_.size());
    }
    last_word_ = word;
    return last_number_ = found->second;
  }

  std::string name_;
  ArrayType type_;
  size_t value_bytes_;
  std::vector<std::byte> piece_;
  size_t used_bytes_ = 0;
  std::string words_;
  std::vector<uint64_t> word_ends_;
  absl::flat_hash_map<std::string, int64_t> numbers_;  // of words
  std::string last_word_;                              // neighbours are often alike
  int64_t last_number_ = -1;
};

using TakePieces = std::function<absl::Status(std::span<GatheredColumn> columns)>;

std::vector<GatheredColumn> ColumnsOf(const SqlTable& table) {
  std::vector<GatheredColumn> columns;
  columns.reserve(table.columns.size());
  for (const SqlColumn& column : ShownColumns(table)) columns.emplace_back(table, column);
  return columns;
}

// Calls `take` when pieces are full, and at the end. Returns the number of rows.
absl::StatusOr<uint64_t> WalkRows(const SqlTable& table, const Analysis& recording,
                                  std::span<GatheredColumn> columns, const TakePieces& take) {
  RowLimits all;
  all.parameters.resize(table.parameters);
  QueriedRecording queried(recording);
  auto rows = table.open(queried, all);
  if (!rows.ok()) return rows.status();
  uint64_t count = 0;
  ToldValue value;
  while ((*rows)->Next()) {
    for (size_t i = 0; i < columns.size(); ++i) {
      SqlValue told(&value);
      (*rows)->Tell(i, told);
      if (!columns[i].Add(value))
        return absl::OutOfRangeError(absl::StrCat(
            "a number of ", table.name, ".", columns[i].name(), " does not fit into its array"));
    }
    if (++count % kRowsOfPiece != 0) continue;
    if (absl::Status taken = take(columns); !taken.ok()) return taken;
  }
  if (absl::Status taken = take(columns); !taken.ok()) return taken;
  return count;
}

absl::Status Stopped(const StopAsked& stop) {
  return stop && stop() ? absl::CancelledError("stopped") : absl::OkStatus();
}

}  // namespace

size_t BytesOfValue(ArrayType type) {
  switch (type) {
    case ArrayType::kInt8:
      return sizeof(int8_t);
    case ArrayType::kInt32:
      return sizeof(int32_t);
    case ArrayType::kInt64:
      return sizeof(int64_t);
    case ArrayType::kReal:
      break;
  }
  return sizeof(double);
}

absl::StatusOr<TableArrays> MakeArrays(const SqlTable& table, const Analysis& recording,
                                       const StopAsked& stop) {
  struct OwnArrays {
    std::vector<GatheredColumn> columns;
    std::vector<Column<std::byte>> values;
  };
  const auto own = std::make_shared<OwnArrays>();
  own->columns = ColumnsOf(table);
  own->values.resize(own->columns.size());
  const auto rows = WalkRows(table, recording, own->columns, [&](auto columns) {
    for (size_t i = 0; i < columns.size(); ++i) own->values[i].Append(columns[i].TakePiece());
    return Stopped(stop);
  });
  if (!rows.ok()) return rows.status();
  std::vector<TableArray> arrays;
  for (size_t i = 0; i < own->columns.size(); ++i) {
    GatheredColumn& column = own->columns[i];
    arrays.push_back({.name = column.name(),
                      .type = column.type(),
                      .is_text = table.columns[i].type == SqlType::kText,
                      .values = std::span<const std::byte>(own->values[i]),
                      .words = column.words(),
                      .word_ends = column.word_ends()});
  }
  return TableArrays(*rows, std::move(arrays), own);
}

absl::Status KeepArrays(const SqlTable& table, const Analysis& recording, const StopAsked& stop,
                        StoreWriter& writer) {
  std::vector<GatheredColumn> columns = ColumnsOf(table);
  std::vector<GrowingSection> sections;
  sections.reserve(columns.size());
  for (const GatheredColumn& column : columns) sections.push_back(writer.Grow(column.name()));
  const auto rows = WalkRows(table, recording, columns, [&](auto gathered) {
    for (size_t i = 0; i < gathered.size(); ++i) sections[i].Append(gathered[i].TakePiece());
    absl::Status stopped = Stopped(stop);
    return stopped.ok() ? writer.status() : stopped;
  });
  if (!rows.ok()) return rows.status();
  for (size_t i = 0; i < columns.size(); ++i) {
    if (table.columns[i].type != SqlType::kText) continue;
    writer.AddBytes(absl::StrCat(columns[i].name(), kWords),
                    std::as_bytes(std::span(columns[i].words())));
    writer.AddColumn<uint64_t>(absl::StrCat(columns[i].name(), kWordEnds), columns[i].word_ends());
  }
  return writer.Commit();
}

namespace {

absl::Status ReadWords(StoredEntry& entry, TableArray& array) {
  const auto words = entry.Section(absl::StrCat(array.name, kWords));
  const auto ends = entry.Column<uint64_t>(absl::StrCat(array.name, kWordEnds));
  if (!words.ok()) return words.status();
  if (!ends.ok()) return ends.status();
  array.words = std::string_view(reinterpret_cast<const char*>(words->data()), words->size());
  array.word_ends = *ends;
  const bool is_whole = std::is_sorted(ends->begin(), ends->end()) &&
                        (ends->empty() ? words->empty() : ends->back() == words->size());
  return is_whole ? absl::OkStatus() : absl::DataLossError("kept words contradict themselves");
}

}  // namespace

absl::StatusOr<TableArrays> KeptArraysOf(const SqlTable& table, StoredEntry entry) {
  const auto kept = std::make_shared<StoredEntry>(std::move(entry));
  std::optional<uint64_t> rows;
  std::vector<TableArray> arrays;
  for (const SqlColumn& column : ShownColumns(table)) {
    TableArray array{.name = column.name,
                     .type = TypeOf(table, column),
                     .is_text = column.type == SqlType::kText};
    const auto values = kept->Section(column.name);
    if (!values.ok()) return values.status();
    array.values = *values;
    const uint64_t count = values->size() / BytesOfValue(array.type);
    if (values->size() % BytesOfValue(array.type) != 0 || rows.value_or(count) != count)
      return absl::DataLossError("kept columns contradict themselves");
    rows = count;
    if (array.is_text) {
      if (absl::Status read = ReadWords(*kept, array); !read.ok()) return read;
    }
    arrays.push_back(std::move(array));
  }
  return TableArrays(rows.value_or(0), std::move(arrays), kept);
}

}  // namespace gordian
