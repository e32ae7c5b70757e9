// SPDX-License-Identifier: Apache-2.0
#include "output/text_page.h"

#include "words/text_lines.h"

namespace gordian {
namespace {

std::string_view EscapeOf(Tone tone) {
  switch (tone) {
    case Tone::kPlain:
      return "";
    case Tone::kStrong:
      return "\x1b[1m";
    case Tone::kQuiet:
      return "\x1b[2m";
    case Tone::kGood:
      return "\x1b[32m";
    case Tone::kWarning:
      return "\x1b[33m";
    case Tone::kBad:
      return "\x1b[31m";
  }
  return "";
}

}  // namespace

void TextPage::Append(std::string_view text, Tone tone) {
  const bool escaped = style_.colour && tone != Tone::kPlain;
  if (escaped) text_ += EscapeOf(tone);
  text_ += text;
  if (escaped) text_ += "\x1b[0m";
}

void TextPage::Headline(std::string_view text, Tone tone) {
  for (const std::string& line : WrapText(text, style_.width)) {
    Append(line, tone);
    text_ += '\n';
  }
}

void TextPage::Paragraph(std::string_view text) {
  for (const std::string& line : WrapText(text, style_.width)) {
    text_ += line;
    text_ += '\n';
  }
}

void TextPage::Label(std::string_view label) {
  text_ += "  ";
  Append(PadRight(label, kLabelWidth - 2), Tone::kQuiet);
  if (TextWidth(label) >= kLabelWidth - 2) text_ += "  ";  // a long one does not run into its text
}

void TextPage::Labelled(std::string_view label, std::string_view text, Tone tone) {
  for (const std::string& line : WrapText(text, text_width())) {
    Label(label);
    Append(line, tone);
    text_ += '\n';
    label = "";
  }
}

void TextPage::Row(std::string_view label, std::string_view text) {
  Label(label);
  const std::string line = Shorten(text, text_width());
  text_ += line.substr(0, line.find_last_not_of(' ') + 1);
  text_ += '\n';
}

void TextPage::Copyable(std::string_view text) {
  Label("");
  text_ += text;
  text_ += '\n';
}

void TextPage::Blank() { text_ += '\n'; }

}  // namespace gordian
