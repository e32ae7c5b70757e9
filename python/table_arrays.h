// SPDX-License-Identifier: Apache-2.0
// A table of SQL (query/table.h) as columns of numbers, as NumPy takes them.
//
// Names and values are those of the table. Whole numbers are signed, and null is -1: no table has
// numbers below zero. A text is the number of a word of its column; null is -1. A real that is null
// is no number (NaN).
//
// Arrays lie in memory, or in an entry of the store (store/store.h), mapped read-only.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "analysis/analysis.h"
#include "query/table.h"
#include "store/store.h"

namespace gordian {

// Raised with each change of what kept arrays hold or mean.
inline constexpr uint32_t kKeptArraysFormat = 1;

enum class ArrayType : uint8_t { kInt8, kInt32, kInt64, kReal };
size_t BytesOfValue(ArrayType type);

struct TableArray {
  std::string name;
  ArrayType type = ArrayType::kInt64;
  bool is_text = false;
  std::span<const std::byte> values;  // one of its type for each row
  // Of a text: all words in a row, and where each ends.
  std::string_view words;
  std::span<const uint64_t> word_ends;
};

// Copies are the same memory; it lives as long as any of them.
class TableArrays {
 public:
  TableArrays(uint64_t rows, std::vector<TableArray> columns, std::shared_ptr<const void> owner)
      : rows_(rows),
        columns_(std::make_shared<const std::vector<TableArray>>(std::move(columns))),
        owner_(std::move(owner)) {}
  uint64_t rows() const { return rows_; }
  std::span<const TableArray> columns() const { return *columns_; }

 private:
  uint64_t rows_;
  std::shared_ptr<const std::vector<TableArray>> columns_;
  std::shared_ptr<const void> owner_;  // of what columns show
};

// Asked now and then: whether to stop. Then the result is Cancelled.
using StopAsked = std::function<bool()>;

// In memory. OutOfRange, with a line for the user, if a number does not fit into its array.
absl::StatusOr<TableArrays> MakeArrays(const SqlTable& table, const Analysis& recording,
                                       const StopAsked& stop);
// Into an entry of the store, piece by piece: they need not fit into memory. Commit tells of what
// could not be written.
absl::Status KeepArrays(const SqlTable& table, const Analysis& recording, const StopAsked& stop,
                        StoreWriter& writer);
// DataLoss if the entry does not check.
absl::StatusOr<TableArrays> KeptArraysOf(const SqlTable& table, StoredEntry entry);

}  // namespace gordian
