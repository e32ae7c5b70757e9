// SPDX-License-Identifier: Apache-2.0
#include "jobs/sources/regex_parts.h"

#include <algorithm>
#include <cctype>

namespace gordian {
namespace {

// The classes and anchors that RE2 writes with a letter. Other letters may mean a quoted text, a
// number or a property.
constexpr std::string_view kKnownEscapes = "dDsSwWbBAz";

class RegexSplitter {
 public:
  explicit RegexSplitter(std::string_view regex) : regex_(regex) {}

  // Ends: each turn takes at least one byte, or gives up.
  std::vector<RegexPart> Split() {
    while (at_ < regex_.size()) {
      const size_t begin = at_;
      std::string literal;
      if (!TakeAtom(literal)) return {};
      const size_t atom_end = at_;
      if (!TakeRepeat()) return {};
      const bool repeated = at_ != atom_end;
      const std::string source(regex_.substr(begin, at_ - begin));
      if (literal.empty() || repeated) {
        parts_.push_back({source, {}, GroupIn(source)});
      } else if (!parts_.empty() && !parts_.back().literal.empty()) {
        parts_.back().source += source;
        parts_.back().literal += literal;
      } else {
        parts_.push_back({source, literal, {}});
      }
    }
    return std::move(parts_);
  }

 private:
  char Next() const { return at_ < regex_.size() ? regex_[at_] : '\0'; }

  bool TakeAtom(std::string& literal) {
    switch (Next()) {
      case '|':
      case ')':
      case '*':
      case '+':
      case '?':
      case '{':
        return false;
      case '(':
        return TakeGroup();
      case '[':
        return TakeClass();
      case '.':
      case '^':
      case '$':
        ++at_;
        return true;
      case '\\':
        return TakeEscape(literal);
      default:
        literal += regex_[at_++];
        while (at_ < regex_.size() && (regex_[at_] & 0xc0) == 0x80) literal += regex_[at_++];
        return true;
    }
  }

  bool TakeEscape(std::string& literal) {
    if (++at_ >= regex_.size()) return false;
    const auto letter = static_cast<unsigned char>(regex_[at_++]);
    if (letter >= 0x80) return false;
    if (std::isalnum(letter) != 0)
      return kKnownEscapes.find(static_cast<char>(letter)) != std::string_view::npos;
    literal += static_cast<char>(letter);
    return true;
  }

  // A ] at the beginning is a letter, as is one behind a backslash or in [:alpha:].
  bool TakeClass() {
    ++at_;
    if (Next() == '^') ++at_;
    for (bool first = true; at_ < regex_.size(); first = false) {
      const char letter = regex_[at_++];
      if (letter == ']' && !first) return true;
      if (letter == '\\') ++at_;
      if (letter == '[' && Next() == ':') {
        const size_t end = regex_.find(":]", at_ + 1);
        if (end != std::string_view::npos) at_ = end + 2;
      }
    }
    return false;
  }

  // Of groups only plain and named ones: flags would change the meaning of what follows.
  bool TakeGroup() {
    const std::string_view rest = regex_.substr(at_);
    if (rest.starts_with("(?") && !rest.starts_with("(?:") && !rest.starts_with("(?P<"))
      return false;
    size_t depth = 0;
    while (at_ < regex_.size()) {
      const char letter = Next();
      if (letter == '[') {
        if (!TakeClass()) return false;
        continue;
      }
      // A quoted text may hold brackets.
      if (letter == '\\' && regex_.substr(at_).starts_with("\\Q")) return false;
      at_ += letter == '\\' ? 2 : 1;
      if (letter == '(') ++depth;
      if (letter == ')' && --depth == 0) return true;
    }
    return false;
  }

  // *, +, ? or {2,3}, and a ? that makes it reluctant. A brace that counts nothing is a letter.
  bool TakeRepeat() {
    if (Next() == '{') {
      const size_t end = regex_.find('}', at_);
      if (end == std::string_view::npos || end == at_ + 1) return false;
      const std::string_view count = regex_.substr(at_ + 1, end - at_ - 1);
      const auto counts = [](char letter) {
        return letter == ',' || std::isdigit(static_cast<unsigned char>(letter)) != 0;
      };
      if (count.front() == ',' || !std::all_of(count.begin(), count.end(), counts)) return false;
      at_ = end + 1;
    } else if (Next() == '*' || Next() == '+' || Next() == '?') {
      ++at_;
    } else {
      return true;
    }
    if (Next() == '?') ++at_;
    return Next() != '*' && Next() != '+' && Next() != '?' && Next() != '{';
  }

  static std::string GroupIn(std::string_view source) {
    const size_t name = source.find("(?P<");
    if (name == std::string_view::npos) return {};
    const size_t end = source.find('>', name);
    if (end == std::string_view::npos) return {};
    return std::string(source.substr(name + 4, end - name - 4));
  }

  std::string_view regex_;
  size_t at_ = 0;
  std::vector<RegexPart> parts_;
};

}  // namespace

std::vector<RegexPart> SplitRegex(std::string_view regex) { return RegexSplitter(regex).Split(); }

}  // namespace gordian
