// SPDX-License-Identifier: Apache-2.0
// Every vertex has a ladder of labels, each longer and surer than the one before; the last holds
// its id. All begin on the lowest rung. As long as two have the same label, both climb. Each climbs
// at most to the end of its ladder, so this ends, and the labels there differ by their ids.
#include "words/vertex_labels.h"

#include <algorithm>
#include <unordered_map>
#include <utility>

#include "absl/strings/str_cat.h"
#include "words/clean_text.h"
#include "words/quantities.h"

namespace gordian {
namespace {

constexpr size_t kLastRung = 3;

bool HasThreads(const VertexFacts& vertex) {
  return vertex.kind == "thread" || vertex.kind == "group";
}

// A single container needs no name: it would stand with every label.
void ForgetASingleContainer(std::vector<VertexFacts>& vertices) {
  std::string_view only;
  for (const VertexFacts& vertex : vertices) {
    if (vertex.container.empty() || vertex.container == only) continue;
    if (!only.empty()) return;
    only = vertex.container;
  }
  for (VertexFacts& vertex : vertices) vertex.container.clear();
}

std::string PlainName(const VertexFacts& vertex) {
  std::string name = vertex.name;
  if (name.empty())
    name = vertex.tid != 0 ? ThreadLabel("", vertex.tid) : absl::StrCat("#", vertex.id);
  const bool has_process = HasThreads(vertex) && !vertex.process.empty();
  if (!vertex.node.empty())
    return absl::StrCat(vertex.node, "/", has_process ? vertex.process + "/" : "", name);
  if (vertex.container.empty()) return name;
  // In another container the same names may mean another program.
  const bool is_main = !has_process || vertex.process == vertex.name;
  return absl::StrCat(is_main ? "" : vertex.process + "/", name);
}

std::string InContainer(const VertexFacts& vertex) {
  return vertex.container.empty() ? "" : absl::StrCat(" in ", vertex.container);
}

// The words before a name in a sentence: together they tell the kind.
struct KindWords {
  const char* article;
  const char* noun;
};

KindWords WordsOf(const std::string& kind) {
  if (kind == "disk") return {"the ", "disk "};
  if (kind == "nic") return {"the ", "network interface "};
  if (kind == "remote") return {"the ", "remote peer "};
  if (kind == "link") return {"the ", ""};  // their names begin with it
  return {"", ""};
}

// A label that names the kind, too.
std::string FullName(const VertexFacts& vertex, const std::string& plain) {
  const std::string on_node = vertex.node.empty() ? "" : absl::StrCat(" on ", vertex.node);
  if (vertex.kind == "thread") {
    const bool has_tid = vertex.tid != 0 && !vertex.name.empty();
    return (has_tid ? ThreadLabel(plain, vertex.tid) : plain) + InContainer(vertex);
  }
  if (vertex.kind == "group")
    return absl::StrCat(plain, InContainer(vertex), " (", FormatCount(vertex.threads, "thread"),
                        ")");
  if (vertex.kind == "irq") return absl::StrCat("interrupts (", plain, ")");
  if (vertex.kind == "timer") return absl::StrCat("timers", on_node);
  if (vertex.kind == "unknown") return absl::StrCat("unknown waker", on_node);
  return absl::StrCat(WordsOf(vertex.kind).noun, plain);
}

std::string LabelOn(size_t rung, const VertexFacts& vertex, const std::string& plain) {
  if (rung == 0) return plain + InContainer(vertex);
  if (rung == 1) return FullName(vertex, plain);
  const bool is_group = vertex.kind == "group";
  if (rung == 2 && is_group && vertex.node.empty() && vertex.container.empty() &&
      !vertex.process.empty())
    return FullName(vertex, absl::StrCat(vertex.process, "/", plain));
  if (rung == 2) return FullName(vertex, plain);
  // The id is the last but for how many threads a group has.
  if (is_group) return FullName(vertex, absl::StrCat(plain, " #", vertex.id));
  return absl::StrCat(FullName(vertex, plain), " #", vertex.id);
}

std::string PhraseOn(size_t rung, const VertexFacts& vertex, const std::string& plain) {
  if (vertex.kind == "thread") return LabelOn(rung, vertex, plain);
  const char* const article = vertex.kind == "unknown" ? "an " : WordsOf(vertex.kind).article;
  return absl::StrCat(article, LabelOn(std::max<size_t>(rung, 1), vertex, plain));
}

// The vertices that share their label with another.
std::vector<bool> Shared(const std::vector<std::string>& labels,
                         const std::vector<std::string>& phrases) {
  std::unordered_map<std::string_view, size_t> uses;
  for (size_t i = 0; i < labels.size(); ++i) {
    ++uses[labels[i]];
    if (phrases[i] != labels[i]) ++uses[phrases[i]];
  }
  std::vector<bool> shared(labels.size());
  for (size_t i = 0; i < labels.size(); ++i)
    shared[i] = uses[labels[i]] > 1 || uses[phrases[i]] > 1;
  return shared;
}

}  // namespace

std::string ThreadLabel(std::string_view name, int32_t tid) {
  return name.empty() ? absl::StrCat("thread ", tid) : absl::StrCat(CleanText(name), "/", tid);
}

VertexLabels::VertexLabels(std::vector<VertexFacts> vertices)
    : vertices_(std::move(vertices)),
      plain_(vertices_.size()),
      labels_(vertices_.size()),
      phrases_(vertices_.size()) {
  std::vector<size_t> rungs(size());
  const auto call = [&](size_t i) {
    labels_[i] = LabelOn(rungs[i], vertices_[i], plain_[i]);
    phrases_[i] = PhraseOn(rungs[i], vertices_[i], plain_[i]);
  };
  ForgetASingleContainer(vertices_);
  for (size_t i = 0; i < size(); ++i) {
    VertexFacts& vertex = vertices_[i];
    for (std::string* text : {&vertex.name, &vertex.process, &vertex.node, &vertex.container})
      *text = CleanText(*text);
    plain_[i] = PlainName(vertex);
    call(i);
  }
  for (bool climbed = true; climbed;) {
    climbed = false;
    const std::vector<bool> shared = Shared(labels_, phrases_);
    for (size_t i = 0; i < size(); ++i) {
      if (!shared[i] || rungs[i] == kLastRung) continue;
      ++rungs[i];
      call(i);
      climbed = true;
    }
  }
  for (size_t i = 0; i < size(); ++i) plain_[i] += InContainer(vertices_[i]);
}

}  // namespace gordian
