// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "analyzer/graph/graph.h"

namespace re2 {
class RE2;
}

namespace gordian {

// Group rules, ready to match.
class GroupMatcher {
 public:
  // `shown` is the graph without rules: rules may use the labels that a report shows for its
  // vertices.
  static absl::StatusOr<GroupMatcher> Make(const std::vector<GroupRule>& rules,
                                           const MergedGraph& shown);
  GroupMatcher(GroupMatcher&&) noexcept;
  ~GroupMatcher();

  // The name of the group this thread belongs to; null if it is in no group. A rule also means all
  // threads of a process if its whole name matches.
  const std::string* GroupOf(EntityId thread, const std::string& thread_name,
                             const std::string& process_name) const;

 private:
  struct Group {
    std::string name;
    std::vector<uint32_t> vertices;         // of the graph without rules
    std::unique_ptr<re2::RE2> thread_name;  // null: only those vertices
  };
  GroupMatcher();
  std::vector<Group> groups_;
  std::vector<uint32_t> vertex_of_entity_;  // of the graph without rules
};

}  // namespace gordian
