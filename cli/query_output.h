// SPDX-License-Identifier: Apache-2.0
// The rows that a query gives, as text, CSV or JSON. All text in them is cleaned: names in
// a recording may hold any bytes.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "output/text_table.h"
#include "query/query.h"

namespace gordian {

enum class QueryForm { kText, kCsv, kJson };

class QueryOutput {
 public:
  using WriteText = std::function<bool(std::string_view text)>;  // false: nobody reads any more
  QueryOutput(QueryForm form, WriteText write) : form_(form), write_(std::move(write)) {}

  void Begin(std::span<const std::string> titles);
  bool Add(std::span<const QueryCell> row);
  void End();

 private:
  bool AddToTable(std::span<const QueryCell> row);
  std::string JsonOf(std::span<const QueryCell> row) const;

  QueryForm form_;
  WriteText write_;
  std::vector<std::string> titles_;
  // Of text: columns are as wide as their widest cell, so all rows are kept until the end.
  std::vector<std::vector<std::string>> rows_;
  std::vector<bool> is_number_;
  bool has_rows_ = false;
};

}  // namespace gordian
