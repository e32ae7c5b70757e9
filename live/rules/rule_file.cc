// SPDX-License-Identifier: Apache-2.0
#include "live/rules/rule_file.h"

#include <errno.h>

#include <cstdint>
#include <fstream>
#include <optional>
#include <set>
#include <span>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "live/rules/rule_condition.h"
#include "live/rules/rule_words.h"
#include "words/parse_quantities.h"

namespace gordian {
namespace {

constexpr size_t kMaxRuleNameBytes = 64;
constexpr uint64_t kUsualKeepNs = 60 * kNsPerSecond;
constexpr uint64_t kMaxRuleTimeNs = 7 * 24 * 3600 * kNsPerSecond;
constexpr std::string_view kNameCharacters =
    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-";

class RuleFileReader {
 public:
  explicit RuleFileReader(std::string_view file) : file_(file) {}

  std::vector<Rule> Read(std::string_view text) {
    while (!text.empty()) {
      ++line_;
      const size_t end = text.find('\n');
      ReadLine(text.substr(0, end));
      text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    }
    EndRule();
    if (rules_.empty() && errors_.empty()) Error(1, "there is no rule");
    return std::move(rules_);
  }

  std::vector<std::string> TakeErrors() { return std::move(errors_); }

 private:
  void Error(int line, std::string_view what) {
    errors_.push_back(absl::StrCat(file_, ":", line, ": ", std::string(what)));
  }
  void Error(std::string_view what) { Error(line_, what); }

  void ReadLine(std::string_view line) {
    const auto words = SplitRuleLine(line);
    if (!words.ok())
      return Error({words.status().message().data(), words.status().message().size()});
    if (words->empty()) return;
    const std::string key = (*words)[0].text;
    const std::span<const RuleWord> rest = std::span(*words).subspan(1);
    if (key == "rule") return BeginRule(rest);
    if (!rule_) return Error(absl::StrCat("'", key, "' stands before the first rule"));
    if (!seen_.insert(key).second) return Error(absl::StrCat("the rule says '", key, "' twice"));
    if (key == "when") return ReadWhen(rest);
    if (key == "for") return ReadTime(key, rest, 0, rule_->for_ns);
    if (key == "cooldown") return ReadTime(key, rest, 0, rule_->cooldown_ns);
    if (key == "limit") return ReadTime(key, rest, 1, rule_->limit_ns);
    if (key == "keep") return ReadKeep(rest);
    if (key == "run") return ReadRun(rest);
    Error(absl::StrCat("unknown '", key, "': a rule has when, for, cooldown, keep, run and limit"));
  }

  void BeginRule(std::span<const RuleWord> rest) {
    EndRule();
    rule_ = Rule{.line = line_};
    seen_.clear();
    if (rest.size() != 1) return Error("one name must follow 'rule'");
    const std::string& name = rest[0].text;
    if (name.empty() || name.size() > kMaxRuleNameBytes || name[0] == '.' ||
        name.find_first_not_of(kNameCharacters) != std::string::npos)
      return Error("a rule's name has up to 64 letters, digits, dots, dashes and underscores");
    if (!names_.insert(name).second)
      return Error(absl::StrCat("there is another rule '", name, "' above"));
    rule_->name = name;
  }

  void EndRule() {
    if (!rule_) return;
    if (!seen_.contains("when")) Error(rule_->line, "the rule has no 'when'");
    if (seen_.contains("limit") && !seen_.contains("run"))
      Error(rule_->line, "the rule has a 'limit' but no 'run'");
    if (rules_.size() == kMostRules) Error(rule_->line, "there are more than 200 rules");
    if (rules_.size() < kMostRules) rules_.push_back(*std::move(rule_));
    rule_.reset();
  }

  void ReadWhen(std::span<const RuleWord> rest) {
    auto conditions = ParseConditions(rest);
    if (!conditions.ok())
      return Error({conditions.status().message().data(), conditions.status().message().size()});
    rule_->conditions = *std::move(conditions);
  }

  void ReadTime(std::string_view key, std::span<const RuleWord> rest, uint64_t least_ns,
                uint64_t& time_ns) {
    if (rest.empty()) return Error(absl::StrCat("a time must follow '", std::string(key), "'"));
    std::string text = rest[0].text;
    for (const RuleWord& word : rest.subspan(1)) absl::StrAppend(&text, " ", word.text);
    const auto parsed = ParseDuration(text);
    if (!parsed.ok())
      return Error({parsed.status().message().data(), parsed.status().message().size()});
    if (*parsed < least_ns || *parsed > kMaxRuleTimeNs)
      return Error(absl::StrCat("'", std::string(key), "' is not within a week"));
    time_ns = *parsed;
  }

  void ReadKeep(std::span<const RuleWord> rest) {
    rule_->keep_ns = kUsualKeepNs;
    if (!rest.empty()) ReadTime("keep", rest, 1, rule_->keep_ns);
  }

  void ReadRun(std::span<const RuleWord> rest) {
    if (rest.empty() || rest[0].text.empty()) return Error("a program must follow 'run'");
    for (const RuleWord& word : rest) rule_->command.push_back(word.text);
  }

  std::string file_;
  int line_ = 0;
  std::optional<Rule> rule_;
  std::set<std::string> seen_;  // words of the present rule
  std::set<std::string> names_;
  std::vector<Rule> rules_;
  std::vector<std::string> errors_;
};

}  // namespace

absl::StatusOr<std::vector<Rule>> ParseRules(std::string_view text, std::string_view file,
                                             std::vector<std::string>* errors) {
  std::vector<std::string> found;
  std::vector<Rule> rules;
  if (text.size() > kMaxRuleFileBytes) {
    found.push_back(absl::StrCat(std::string(file), ":1: longer than 1 MiB: this is no rule file"));
  } else {
    RuleFileReader reader(file);
    rules = reader.Read(text);
    found = reader.TakeErrors();
  }
  if (errors != nullptr) *errors = found;
  if (!found.empty()) return absl::InvalidArgumentError(found[0]);
  return rules;
}

absl::StatusOr<std::vector<Rule>> ReadRuleFile(const std::string& path,
                                               std::vector<std::string>* errors) {
  std::ifstream file(path, std::ios::binary);
  if (!file) return absl::ErrnoToStatus(errno, absl::StrCat("cannot read ", path));
  std::string text(kMaxRuleFileBytes + 1, '\0');
  file.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<size_t>(file.gcount()));
  if (file.bad()) return absl::ErrnoToStatus(errno, absl::StrCat("cannot read ", path));
  return ParseRules(text, path, errors);
}

}  // namespace gordian
