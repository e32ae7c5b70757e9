// SPDX-License-Identifier: Apache-2.0
#include "live/metrics/test_exposition.h"

#include <optional>
#include <set>
#include <utility>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "words/clean_text.h"

namespace gordian {
namespace {

bool IsName(std::string_view name, bool may_have_colon) {
  if (name.empty() || (name[0] >= '0' && name[0] <= '9')) return false;
  for (const char c : name) {
    const bool is_letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
    if (!is_letter && !(c >= '0' && c <= '9') && !(c == ':' && may_have_colon)) return false;
  }
  return true;
}

// Takes one line after the other, and remembers the family that they are about.
class ExpositionReader {
 public:
  explicit ExpositionReader(MetricsFormat format) : format_(format) {}

  Exposition Read(const std::string& text) {
    if (text.empty() || text.back() != '\n') Fault("the last line has no end");
    std::vector<std::string> lines = absl::StrSplit(text, '\n');
    lines.pop_back();
    if (format_ == MetricsFormat::kOpenMetrics) {
      if (lines.empty() || lines.back() != "# EOF") Fault("no # EOF at the end");
      if (!lines.empty()) lines.pop_back();
    }
    for (const std::string& line : lines) {
      line_ = line;
      if (line.starts_with("# ")) {
        ReadComment();
      } else {
        ReadSample();
      }
    }
    return std::move(result_);
  }

 private:
  void Fault(std::string_view what) {
    if (result_.fault.empty()) result_.fault = absl::StrCat(std::string(what), ": ", line_);
  }

  void ReadComment() {
    const std::vector<std::string> words = absl::StrSplit(line_, absl::MaxSplits(' ', 3));
    if (words.size() != 4) return Fault("a comment without its four parts");
    const std::string& what = words[1];
    const std::string& name = words[2];
    const std::string& rest = words[3];
    if (!IsName(name, true)) return Fault("no name of a metric");
    if (what == "HELP") {
      if (!known_.insert(name).second) Fault("a family told twice");
      family_ = name;
      type_.clear();
    } else if (name != family_) {
      Fault("a line about another family");
    } else if (what == "TYPE") {
      if (!type_.empty() || (rest != "counter" && rest != "gauge")) Fault("a wrong type");
      type_ = result_.types[name] = rest;
    } else if (what == "UNIT" && format_ == MetricsFormat::kOpenMetrics) {
      if (!name.ends_with("_" + rest)) Fault("the unit is not the end of the name");
      result_.units[name] = rest;
    } else {
      Fault("a comment that means nothing");
    }
  }

  // The labels behind the opening brace; what follows the closing one is left in `rest`.
  std::optional<std::map<std::string, std::string>> ReadLabels(std::string_view& rest) {
    std::map<std::string, std::string> labels;
    while (true) {
      const size_t equals = rest.find("=\"");
      if (equals == std::string_view::npos) return std::nullopt;
      const std::string name(rest.substr(0, equals));
      if (!IsName(name, false)) return std::nullopt;
      rest.remove_prefix(equals + 2);
      std::string value;
      while (!rest.empty() && rest[0] != '"') {
        if (rest[0] == '\\') {
          rest.remove_prefix(1);
          if (rest.empty() || (rest[0] != 'n' && rest[0] != '\\' && rest[0] != '"'))
            return std::nullopt;
          value += rest[0] == 'n' ? '\n' : rest[0];
        } else {
          value += rest[0];
        }
        rest.remove_prefix(1);
      }
      if (rest.size() < 2) return std::nullopt;
      if (!labels.emplace(name, value).second) return std::nullopt;
      const char next = rest[1];
      rest.remove_prefix(2);
      if (next == '}') return labels;
      if (next != ',') return std::nullopt;
    }
  }

  void ReadSample() {
    std::string_view rest = line_;
    const size_t end = rest.find_first_of("{ ");
    if (end == std::string_view::npos) return Fault("no sample");
    const std::string name(rest.substr(0, end));
    const bool adds_total = format_ == MetricsFormat::kOpenMetrics && type_ == "counter";
    if (type_.empty() || name != family_ + (adds_total ? "_total" : ""))
      return Fault("a sample that is not of the family before it");
    if (type_ == "counter" && !name.ends_with("_total")) Fault("a counter without _total");
    const bool has_labels = rest[end] == '{';
    rest.remove_prefix(end + 1);
    std::map<std::string, std::string> labels;
    if (has_labels) {
      const auto read = ReadLabels(rest);
      if (!read || rest.empty() || rest[0] != ' ') return Fault("wrong labels");
      rest.remove_prefix(1);
      labels = *read;
    }
    double value = 0;
    if (!absl::SimpleAtod(absl::string_view(rest.data(), rest.size()), &value))
      return Fault("no number");
    if (type_ == "counter" && !(value >= 0)) Fault("a counter below 0");
    std::string key = name;
    for (const auto& [label, text] : labels) {
      if (CleanText(text) != text) Fault("a label that is no clean text");
      absl::StrAppend(&key, key == name ? "{" : ",", label, "=\"", text, "\"");
    }
    if (!labels.empty()) key += '}';
    if (!result_.samples.emplace(key, value).second) Fault("a sample told twice");
  }

  MetricsFormat format_;
  Exposition result_;
  std::string line_;
  std::string family_;
  std::string type_;
  std::set<std::string> known_;
};

}  // namespace

std::vector<std::string> Exposition::Of(std::string_view name) const {
  std::vector<std::string> found;
  for (const auto& [key, value] : samples)
    if (key == name || key.starts_with(std::string(name) + "{")) found.push_back(key);
  return found;
}

Exposition ReadExposition(const std::string& text, MetricsFormat format) {
  return ExpositionReader(format).Read(text);
}

}  // namespace gordian
