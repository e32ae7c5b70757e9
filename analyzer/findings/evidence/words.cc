#include "analyzer/findings/evidence/words.h"

#include <algorithm>
#include <map>
#include <utility>

#include "absl/strings/str_cat.h"
#include "words/clean_text.h"

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

std::string NameOnNode(const Vertex& vertex) {
  if (vertex.node.empty()) return vertex.name;
  std::string name = absl::StrCat(vertex.node, "/");
  if (vertex.has_threads() && !vertex.process.empty()) absl::StrAppend(&name, vertex.process, "/");
  return name + vertex.name;
}

VertexWords::VertexWords(const MergedGraph& graph) {
  std::map<std::string, int> uses;
  for (const Vertex& vertex : graph.vertices) ++uses[NameOnNode(vertex)];
  // Of groups their number of threads mostly tells which is meant.
  std::map<std::pair<std::string, uint32_t>, int> groups;
  for (const Vertex& vertex : graph.vertices) {
    if (vertex.kind == VertexKind::kGroup) ++groups[{NameOnNode(vertex), vertex.threads}];
  }
  for (const Vertex& vertex : graph.vertices) {
    const std::string name = NameOnNode(vertex);
    std::string word = CleanText(name);
    switch (vertex.kind) {
      case VertexKind::kDisk:
        word.insert(0, "the disk ");
        break;
      case VertexKind::kNic:
        word.insert(0, "the network interface ");
        break;
      case VertexKind::kIrq:
        word = absl::StrCat("interrupts (", word, ")");
        break;
      case VertexKind::kRemote:
        word.insert(0, "the remote peer ");
        break;
      case VertexKind::kTimer:
        word = vertex.node.empty() ? "timers" : absl::StrCat("timers on ", CleanText(vertex.node));
        break;
      case VertexKind::kUnknown:
        word = vertex.node.empty() ? "an unknown waker"
                                   : absl::StrCat("an unknown waker on ", CleanText(vertex.node));
        break;
      case VertexKind::kLink:
        word.insert(0, "the ");
        break;
      case VertexKind::kGroup:
        if (groups[{name, vertex.threads}] > 1) absl::StrAppend(&word, " #", words_.size());
        absl::StrAppend(&word, " (", vertex.threads, " threads)");
        break;
      case VertexKind::kThread:
        if (word.empty() || uses[name] > 1) absl::StrAppend(&word, " (thread ", vertex.tid, ")");
        break;
    }
    words_.push_back(std::move(word));
    is_group_.push_back(vertex.kind == VertexKind::kGroup);
    threads_.push_back(vertex.has_threads() ? Threads{CleanText(name), vertex.threads} : Threads{});
  }
}

std::string VertexWords::does(uint32_t vertex, std::string_view one,
                              std::string_view several) const {
  return absl::StrCat(words_[vertex], " ", std::string(is_group_[vertex] ? several : one));
}

std::string VertexWords::of_all(const std::vector<uint32_t>& vertices) const {
  std::vector<std::string> names;
  names.reserve(vertices.size());
  for (const uint32_t vertex : vertices) names.push_back(words_[vertex]);
  return Enumerate(names);
}

std::string VertexWords::of_all_by_name(const std::vector<uint32_t>& vertices) const {
  struct Kind {
    std::string name;
    std::string word;
    uint32_t threads = 0;
    bool several = false;
  };
  std::vector<Kind> kinds;
  for (const uint32_t vertex : vertices) {
    const Threads& own = threads_[vertex];
    const auto alike = std::find_if(kinds.begin(), kinds.end(), [&](const Kind& kind) {
      return !own.name.empty() && kind.name == own.name;
    });
    if (alike == kinds.end()) {
      kinds.push_back({own.name, words_[vertex], own.count});
    } else {
      alike->threads += own.count;
      alike->several = true;
    }
  }
  std::vector<std::string> names;
  names.reserve(kinds.size());
  for (const Kind& kind : kinds) {
    names.push_back(kind.several ? absl::StrCat(kind.name, " (", kind.threads, " threads)")
                                 : kind.word);
  }
  return Enumerate(names);
}

}  // namespace gordian
