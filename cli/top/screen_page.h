// SPDX-License-Identifier: Apache-2.0
// A screen full of text before any terminal sees it: lines of pieces, each with a look. No line is
// wider than the screen, whatever is put into it.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "words/display_text.h"

namespace gordian {

// What a piece means. A terminal without colours shows the same: no meaning is told by a look
// alone.
enum class Look {
  kPlain,
  kStrong,
  kFaint,
  kWarning,  // of what the reader should know before believing the rest
  kMain,     // bars: running, or participating
  kSecond,   // bars: ready to run
};

struct ScreenSize {
  size_t columns = 80;
  size_t rows = 24;  // 0: as many as are needed
  Charset charset = Charset::kUnicode;
};

struct Piece {
  size_t column = 0;
  std::string text;  // display text
  Look look = Look::kPlain;
};

class ScreenLine {
 public:
  explicit ScreenLine(const ScreenSize& size) : columns_(size.columns), charset_(size.charset) {}

  // Each puts behind what is there as much as fits; text that is cut ends in "…".
  ScreenLine& Put(std::string_view text, Look look = Look::kPlain);
  // In exactly so many columns: on their left, or on their right.
  ScreenLine& PutLeft(std::string_view text, size_t columns, Look look = Look::kPlain);
  ScreenLine& PutRight(std::string_view text, size_t columns, Look look = Look::kPlain);
  ScreenLine& Skip(size_t columns);

  size_t left() const { return columns_ - at_; }
  Charset charset() const { return charset_; }
  const std::vector<Piece>& pieces() const { return pieces_; }
  std::string Text() const;  // without spaces at its end

  bool is_chosen = false;  // it has the cursor, and says so by a sign in its first column

 private:
  size_t columns_;
  Charset charset_;
  size_t at_ = 0;
  std::vector<Piece> pieces_;
};

struct ScreenPage {
  std::vector<ScreenLine> lines;
  size_t scrolled = 0;  // lines above that are not shown

  std::string Text() const;  // each line with its end
};

}  // namespace gordian
