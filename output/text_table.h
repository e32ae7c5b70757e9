// SPDX-License-Identifier: Apache-2.0
// A table of text, its columns as wide as their widest cell.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace gordian {

class TextTable {
 public:
  enum class Align { kLeft, kRight };
  struct Column {
    std::string title;
    Align align = Align::kLeft;
  };

  explicit TextTable(std::vector<Column> columns);

  // A row has as many cells as there are columns.
  void AddRow(std::vector<std::string> cells);
  bool empty() const { return rows_.empty(); }
  // The titles and the rows, two spaces between columns, none at a line's end.
  std::string ToString() const;

 private:
  std::vector<Column> columns_;
  std::vector<std::vector<std::string>> rows_;
};

// How many columns of a terminal the UTF-8 `text` takes, one for each code point.
size_t DisplayWidth(const std::string& text);

}  // namespace gordian
