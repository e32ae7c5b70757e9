// SPDX-License-Identifier: Apache-2.0
#include "report/find_vertex.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "report/vertex_names.h"
#include "words/clean_text.h"

namespace gordian {

absl::StatusOr<uint32_t> FindVertex(const pb::Report& report, std::string_view name) {
  const VertexNames names(report);
  std::vector<uint32_t> found = names.Called(name);
  // Of several the one in the report's scope.
  std::vector<uint32_t> in_scope = found;
  std::erase_if(in_scope, [&](uint32_t id) { return !names.Find(id)->in_scope(); });
  if (in_scope.size() == 1) found = std::move(in_scope);
  if (found.size() == 1) return found.front();
  if (found.empty()) return names.NoneCalled(name);
  constexpr size_t kShown = 5;
  std::vector<std::string> choices;
  for (size_t i = 0; i < std::min(kShown, found.size()); ++i)
    choices.push_back(names.Name(found[i]));
  return absl::InvalidArgumentError(
      absl::StrCat(found.size(), " are called ", CleanText(name),
                   "; name one of them: ", absl::StrJoin(choices, ", ")));
}

}  // namespace gordian
