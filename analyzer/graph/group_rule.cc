// SPDX-License-Identifier: Apache-2.0
#include "analyzer/graph/group_rule.h"

#include <re2/re2.h>

#include <algorithm>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"

namespace gordian {
namespace {

// As a regular expression it means itself, so that names with more around it match, too.
bool IsPlain(const std::string& text) {
  return text.find_first_of("\\^$.|?*+()[]{}") == std::string::npos;
}

// As a label, or as titles tell several groups together: "postgres (7 threads)".
std::vector<uint32_t> ThreadsCalled(const std::string& name, const MergedGraph& graph,
                                    const VertexLabels& labels) {
  std::vector<uint32_t> called;
  for (const size_t vertex : labels.Find(name)) {
    if (graph.vertices[vertex].has_threads()) called.push_back(static_cast<uint32_t>(vertex));
  }
  return called;
}

}  // namespace

absl::StatusOr<GroupRule> ParseGroupRule(std::string_view text) {
  const size_t equals = text.rfind('=');
  if (equals == std::string_view::npos || equals == 0 || equals + 1 == text.size()) {
    return absl::InvalidArgumentError(
        absl::StrCat("group: '", std::string(text), "' is not of the form REGEX=NAME"));
  }
  return GroupRule{std::string(text.substr(0, equals)), std::string(text.substr(equals + 1))};
}

GroupMatcher::GroupMatcher() = default;
GroupMatcher::GroupMatcher(GroupMatcher&&) noexcept = default;
GroupMatcher::~GroupMatcher() = default;

absl::StatusOr<GroupMatcher> GroupMatcher::Make(const std::vector<GroupRule>& rules,
                                                const MergedGraph& shown) {
  GroupMatcher matcher;
  matcher.vertex_of_entity_ = shown.vertex_of_entity;
  const VertexLabels labels = LabelsOf(shown);
  for (const GroupRule& rule : rules) {
    Group& group = matcher.groups_.emplace_back();
    group.name = rule.name;
    group.vertices = ThreadsCalled(rule.who, shown, labels);
    if (!group.vertices.empty() && !IsPlain(rule.who)) continue;
    group.thread_name = std::make_unique<RE2>(rule.who, RE2::Quiet);
    if (!group.thread_name->ok()) {
      return absl::NotFoundError(absl::StrCat(
          "group: '", rule.who, "' is no label of threads, and no regular expression: ",
          group.thread_name->error(), "; see re2's syntax"));
    }
  }
  return matcher;
}

const std::string* GroupMatcher::GroupOf(EntityId thread, const std::string& thread_name,
                                         const std::string& process_name) const {
  for (const Group& group : groups_) {
    if (std::find(group.vertices.begin(), group.vertices.end(), vertex_of_entity_[thread]) !=
        group.vertices.end())
      return &group.name;
    if (group.thread_name == nullptr) continue;
    if (RE2::PartialMatch(thread_name, *group.thread_name) ||
        (!process_name.empty() && RE2::FullMatch(process_name, *group.thread_name)))
      return &group.name;
  }
  return nullptr;
}

}  // namespace gordian
