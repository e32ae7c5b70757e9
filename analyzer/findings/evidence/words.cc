// SPDX-License-Identifier: Apache-2.0
#include "analyzer/findings/evidence/words.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "words/quantities.h"

namespace gordian {
namespace {

constexpr size_t kMostNames = 4;

}  // namespace

std::string Enumerate(const std::vector<std::string>& names) {
  std::string text;
  const size_t shown = names.size() > kMostNames + 1 ? kMostNames : names.size();
  for (size_t i = 0; i < shown; ++i) {
    if (i > 0) text += i + 1 == names.size() ? " and " : ", ";
    text += names[i];
  }
  if (shown < names.size()) absl::StrAppend(&text, " and ", names.size() - shown, " others");
  return text;
}

const VertexLabels& VertexWords::labels() const {
  if (!labels_) labels_ = LabelsOf(graph_);
  return *labels_;
}

std::string VertexWords::does(uint32_t vertex, std::string_view one,
                              std::string_view several) const {
  const bool is_group = graph_.vertices[vertex].kind == VertexKind::kGroup;
  return absl::StrCat(of(vertex), " ", std::string(is_group ? several : one));
}

std::string VertexWords::of_all(const std::vector<uint32_t>& vertices) const {
  std::vector<std::string> names;
  names.reserve(vertices.size());
  for (const uint32_t vertex : vertices) names.push_back(of(vertex));
  return Enumerate(names);
}

std::string VertexWords::of_all_by_name(const std::vector<uint32_t>& vertices) const {
  struct Kind {
    std::string name;  // empty if it is no thread
    std::string word;
    uint32_t threads = 0;
    bool several = false;
  };
  std::vector<Kind> kinds;
  for (const uint32_t vertex : vertices) {
    const Vertex& own = graph_.vertices[vertex];
    const std::string name = own.has_threads() ? labels().plain(vertex) : "";
    const auto alike = std::find_if(kinds.begin(), kinds.end(), [&](const Kind& kind) {
      return !name.empty() && kind.name == name;
    });
    if (alike == kinds.end()) {
      kinds.push_back({name, of(vertex), own.threads});
    } else {
      alike->threads += own.threads;
      alike->several = true;
    }
  }
  std::vector<std::string> names;
  names.reserve(kinds.size());
  for (const Kind& kind : kinds) {
    names.push_back(kind.several
                        ? absl::StrCat(kind.name, " (", FormatCount(kind.threads, "thread"), ")")
                        : kind.word);
  }
  return Enumerate(names);
}

}  // namespace gordian
