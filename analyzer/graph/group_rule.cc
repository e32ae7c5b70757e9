#include "analyzer/graph/group_rule.h"

#include <re2/re2.h>

#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"

namespace gordian {
namespace {

absl::StatusOr<std::unique_ptr<RE2>> Compile(const std::string& regex) {
  auto pattern = std::make_unique<RE2>(regex, RE2::Quiet);
  if (!pattern->ok()) {
    return absl::InvalidArgumentError(absl::StrCat(
        "group: '", regex, "' is no regular expression: ", pattern->error(), "; see re2's syntax"));
  }
  return pattern;
}

}  // namespace

absl::StatusOr<GroupRule> ParseGroupRule(std::string_view text) {
  const size_t equals = text.rfind('=');
  if (equals == std::string_view::npos || equals == 0 || equals + 1 == text.size()) {
    return absl::InvalidArgumentError(
        absl::StrCat("group: '", std::string(text), "' is not of the form REGEX=NAME"));
  }
  GroupRule rule{std::string(text.substr(0, equals)), std::string(text.substr(equals + 1))};
  if (auto pattern = Compile(rule.regex); !pattern.ok()) return pattern.status();
  return rule;
}

GroupMatcher::GroupMatcher() = default;
GroupMatcher::GroupMatcher(GroupMatcher&&) noexcept = default;
GroupMatcher::~GroupMatcher() = default;

absl::StatusOr<GroupMatcher> GroupMatcher::Make(const std::vector<GroupRule>& rules) {
  GroupMatcher matcher;
  for (const GroupRule& rule : rules) {
    auto pattern = Compile(rule.regex);
    if (!pattern.ok()) return pattern.status();
    matcher.patterns_.push_back(*std::move(pattern));
    matcher.names_.push_back(rule.name);
  }
  return matcher;
}

const std::string* GroupMatcher::GroupOf(const std::string& thread_name) const {
  for (size_t i = 0; i < patterns_.size(); ++i) {
    if (RE2::PartialMatch(thread_name, *patterns_[i])) return &names_[i];
  }
  return nullptr;
}

}  // namespace gordian
