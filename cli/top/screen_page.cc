// SPDX-License-Identifier: Apache-2.0
#include "cli/top/screen_page.h"

#include <algorithm>
#include <utility>

namespace gordian {

ScreenLine& ScreenLine::Put(std::string_view text, Look look) {
  std::string fitted = FitColumns(text, left(), charset_);
  if (fitted.empty()) return *this;
  const size_t width = DisplayWidth(fitted);
  pieces_.push_back({.column = at_, .text = std::move(fitted), .look = look});
  at_ += width;
  return *this;
}

ScreenLine& ScreenLine::PutLeft(std::string_view text, size_t columns, Look look) {
  const size_t end = std::min(at_ + columns, columns_);
  Put(FitColumns(text, end - at_, charset_), look);
  at_ = end;
  return *this;
}

ScreenLine& ScreenLine::PutRight(std::string_view text, size_t columns, Look look) {
  const size_t end = std::min(at_ + columns, columns_);
  const std::string fitted = FitColumns(text, end - at_, charset_);
  at_ = end - DisplayWidth(fitted);
  Put(fitted, look);
  at_ = end;
  return *this;
}

ScreenLine& ScreenLine::Skip(size_t columns) {
  at_ = std::min(at_ + columns, columns_);
  return *this;
}

std::string ScreenLine::Text() const {
  std::string text;
  size_t at = 0;
  for (const Piece& piece : pieces_) {
    text.append(piece.column - at, ' ');
    text += piece.text;
    at = piece.column + DisplayWidth(piece.text);
  }
  text.erase(text.find_last_not_of(' ') + 1);
  return text;
}

std::string ScreenPage::Text() const {
  std::string text;
  for (const ScreenLine& line : lines) text += line.Text() + "\n";
  return text;
}

}  // namespace gordian
