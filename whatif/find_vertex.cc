// Which vertex of a report a name means.
#include <algorithm>
#include <utility>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "report/vertex_names.h"
#include "whatif/named_changes.h"
#include "words/clean_text.h"

namespace gordian {
namespace {

constexpr const char* kKinds[] = {"disk ", "nic ", "thread ", "group "};

}  // namespace

absl::StatusOr<uint32_t> FindVertex(const pb::Report& report, std::string_view name) {
  const VertexNames names(report);
  std::string_view kind, plain = name;
  for (const std::string_view prefix : kKinds) {
    if (!plain.starts_with(prefix)) continue;
    kind = prefix.substr(0, prefix.size() - 1);
    plain.remove_prefix(prefix.size());
    break;
  }
  int32_t tid = 0;
  const bool is_tid = absl::SimpleAtoi(std::string(name), &tid);
  std::vector<uint32_t> shown, alike;
  for (const pb::ReportVertex& vertex : report.vertices()) {
    const std::string& its_name = names.Name(vertex.id());
    const bool of_kind = kind.empty() || vertex.kind() == kind;
    if (its_name == name || (of_kind && its_name == plain)) {
      shown.push_back(vertex.id());
    } else if ((of_kind && vertex.name() == plain) || (is_tid && vertex.tid() == tid)) {
      alike.push_back(vertex.id());
    }
  }
  std::vector<uint32_t> found = shown.empty() ? alike : shown;
  // Of several the one that the report is about.
  std::vector<uint32_t> in_scope = found;
  std::erase_if(in_scope, [&](uint32_t id) { return !names.Find(id)->in_scope(); });
  if (in_scope.size() == 1) found = std::move(in_scope);
  if (found.size() == 1) return found.front();
  if (found.empty())
    return absl::NotFoundError(absl::StrCat("no thread, group or device is called ",
                                            CleanText(name),
                                            "; gordian graph --edges shows the names"));
  constexpr size_t kShown = 5;
  std::vector<std::string> choices;
  for (size_t i = 0; i < std::min(kShown, found.size()); ++i)
    choices.push_back(names.Name(found[i]));
  return absl::InvalidArgumentError(
      absl::StrCat(found.size(), " are called ", CleanText(name),
                   "; name one of them: ", absl::StrJoin(choices, ", ")));
}

}  // namespace gordian
