// SPDX-License-Identifier: Apache-2.0
#include "cli/query_output.h"

#include <cmath>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "output/json_writer.h"
#include "words/clean_text.h"

namespace gordian {
namespace {

std::string CellText(const QueryCell& cell) {
  if (const auto* number = std::get_if<int64_t>(&cell)) return absl::StrCat(*number);
  if (const auto* real = std::get_if<double>(&cell)) return absl::StrCat(*real);
  if (const auto* text = std::get_if<std::string>(&cell)) return CleanText(*text);
  return "";
}

// With all digits that a real surely has.
std::string ExactText(const QueryCell& cell) {
  const auto* real = std::get_if<double>(&cell);
  return real != nullptr ? absl::StrFormat("%.15g", *real) : CellText(cell);
}

// RFC 4180.
std::string CsvField(const std::string& text) {
  if (text.find_first_of(",\"") == std::string::npos) return text;
  return absl::StrCat("\"", absl::StrReplaceAll(text, {{"\"", "\"\""}}), "\"");
}

template <typename Cells, typename TextOf>
std::string CsvLine(const Cells& cells, TextOf text_of) {
  return absl::StrCat(absl::StrJoin(cells, ",",
                                    [&text_of](std::string* out, const auto& cell) {
                                      absl::StrAppend(out, CsvField(text_of(cell)));
                                    }),
                      "\n");
}

}  // namespace

void QueryOutput::Begin(std::span<const std::string> titles) {
  for (const std::string& title : titles) titles_.push_back(CleanText(title));
  is_number_.assign(titles_.size(), true);
  if (form_ == QueryForm::kCsv)
    write_(CsvLine(titles_, [](const std::string& title) { return title; }));
  if (form_ == QueryForm::kJson) write_("[");
}

bool QueryOutput::Add(std::span<const QueryCell> row) {
  const bool is_first = !std::exchange(has_rows_, true);
  switch (form_) {
    case QueryForm::kCsv:
      return write_(CsvLine(row, ExactText));
    case QueryForm::kJson:
      return write_(absl::StrCat(is_first ? "\n" : ",\n", JsonOf(row)));
    case QueryForm::kText:
      break;
  }
  return AddToTable(row);
}

bool QueryOutput::AddToTable(std::span<const QueryCell> row) {
  std::vector<std::string> cells;
  for (size_t i = 0; i < row.size(); ++i) {
    if (std::holds_alternative<std::string>(row[i])) is_number_[i] = false;
    cells.push_back(CellText(row[i]));
  }
  rows_.push_back(std::move(cells));
  return true;
}

std::string QueryOutput::JsonOf(std::span<const QueryCell> row) const {
  JsonWriter json;
  json.BeginObject();
  for (size_t i = 0; i < row.size(); ++i) {
    if (const auto* number = std::get_if<int64_t>(&row[i])) {
      json.Signed(titles_[i], *number);
    } else if (const auto* text = std::get_if<std::string>(&row[i])) {
      json.String(titles_[i], CleanText(*text));
    } else {  // null is what a number is that is not finite
      const auto* real = std::get_if<double>(&row[i]);
      json.Real(titles_[i], real != nullptr ? *real : std::nan(""));
    }
  }
  json.EndObject();
  return std::string(json.text());
}

void QueryOutput::End() {
  if (form_ == QueryForm::kJson) write_(has_rows_ ? "\n]\n" : "]\n");
  if (form_ != QueryForm::kText) return;
  std::vector<TextTable::Column> columns;
  for (size_t i = 0; i < titles_.size(); ++i) {
    columns.push_back(
        {titles_[i], is_number_[i] ? TextTable::Align::kRight : TextTable::Align::kLeft});
  }
  TextTable table(std::move(columns));
  for (auto& row : rows_) table.AddRow(std::move(row));
  write_(table.ToString());
}

}  // namespace gordian
