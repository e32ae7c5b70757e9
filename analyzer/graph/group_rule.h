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
  static absl::StatusOr<GroupMatcher> Make(const std::vector<GroupRule>& rules);
  GroupMatcher(GroupMatcher&&) noexcept;
  ~GroupMatcher();

  // The name of the group this thread belongs to; null: none.
  const std::string* GroupOf(const std::string& thread_name) const;

 private:
  GroupMatcher();
  std::vector<std::unique_ptr<re2::RE2>> patterns_;
  std::vector<std::string> names_;
};

}  // namespace gordian
