// SPDX-License-Identifier: Apache-2.0
// A page of labelled paragraphs, eighty columns wide:
//
//   why       B waits half of the time for vda, and vda stands
//             idle while B computes.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace gordian {

struct TextStyle {
  bool colour = false;  // escape sequences for a terminal
  size_t width = 80;
};

enum class Tone { kPlain, kStrong, kQuiet, kGood, kWarning, kBad };

class TextPage {
 public:
  explicit TextPage(const TextStyle& style) : style_(style) {}

  void Headline(std::string_view text, Tone tone);
  void Paragraph(std::string_view text);
  // An empty `label` goes on under the one before.
  void Labelled(std::string_view label, std::string_view text, Tone tone = Tone::kPlain);
  // One line as it is, shortened to the page, under the labels' text.
  void Row(std::string_view label, std::string_view text);
  // One line to be copied, as it is, at any width, under the labels' text.
  void Copyable(std::string_view text);
  void Blank();

  size_t text_width() const { return style_.width - kLabelWidth; }
  std::string Take() { return std::move(text_); }

 private:
  static constexpr size_t kLabelWidth = 12;

  void Append(std::string_view text, Tone tone);
  void Label(std::string_view label);

  TextStyle style_;
  std::string text_;
};

}  // namespace gordian
