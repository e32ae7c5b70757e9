// SPDX-License-Identifier: Apache-2.0
// Which vertices a text means.
#include <algorithm>
#include <numeric>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "words/clean_text.h"
#include "words/quantities.h"
#include "words/vertex_labels.h"

namespace gordian {
namespace {

// Takes `beginning` off the front of `text` if it stands there.
bool Take(std::string_view beginning, std::string_view& text) {
  if (!text.starts_with(beginning)) return false;
  text.remove_prefix(beginning.size());
  return true;
}

// `text` without the words for a vertex of that kind, as in "the disk vda", "nic eth0", "thread B".
// Others lose nothing.
std::string_view WithoutKind(std::string_view text, const std::string& kind) {
  if (!Take("the ", text)) Take("an ", text);
  if (Take(kind + " ", text)) return text;
  if (kind == "nic") Take("network interface ", text);
  if (kind == "remote") Take("remote peer ", text);
  return text;
}

// `name` alone, or followed by the part that tells a thread or a group from others of that name.
bool IsNameWithNumber(std::string_view text, const std::string& name, const VertexFacts& vertex) {
  if (!Take(name, text)) return false;
  if (text.empty()) return true;
  if (vertex.tid != 0 &&
      (text == absl::StrCat("/", vertex.tid) || text == absl::StrCat(" (thread ", vertex.tid, ")")))
    return true;
  return vertex.kind == "group" &&
         text == absl::StrCat(" (", FormatCount(vertex.threads, "thread"), ")");
}

bool IsAnotherWayToSay(std::string_view text, const VertexFacts& vertex, const std::string& plain,
                       const std::string& label) {
  const std::string_view rest = WithoutKind(text, vertex.kind);
  const bool tells_kind = rest.size() < text.size();
  if (tells_kind && (rest == label || rest == absl::StrCat(vertex.tid))) return true;
  if (vertex.name.empty()) return false;
  std::vector<std::string> names = {vertex.name, plain};
  if (!vertex.process.empty()) names.push_back(absl::StrCat(vertex.process, "/", vertex.name));
  if (!vertex.node.empty()) names.push_back(absl::StrCat(vertex.node, "/", vertex.name));
  return std::any_of(names.begin(), names.end(), [&](const std::string& name) {
    // By its name alone it may be one of several.
    return IsNameWithNumber(rest, name, vertex) && (tells_kind || rest != vertex.name);
  });
}

}  // namespace

std::vector<size_t> VertexLabels::FindLabel(std::string_view text) const {
  const std::string wanted = CleanText(text);
  std::vector<size_t> found;
  for (size_t i = 0; i < size(); ++i) {
    if (labels_[i] == wanted || phrases_[i] == wanted) found.push_back(i);
  }
  return found;
}

std::vector<size_t> VertexLabels::Find(std::string_view text) const {
  std::vector<size_t> found = FindAsItStands(text);
  if (!found.empty()) return found;
  // As in "A -> B".
  const size_t first = text.find_first_not_of(' ');
  if (first == std::string_view::npos) return found;
  return FindAsItStands(text.substr(first, text.find_last_not_of(' ') + 1 - first));
}

std::vector<size_t> VertexLabels::FindAsItStands(std::string_view text) const {
  std::vector<size_t> found = FindLabel(text);
  if (!found.empty()) return found;
  const std::string wanted = CleanText(text);
  for (size_t i = 0; i < size(); ++i) {
    if (IsAnotherWayToSay(wanted, vertices_[i], plain_[i], labels_[i])) found.push_back(i);
  }
  if (!found.empty()) return found;
  int32_t tid = 0;
  const bool is_tid = absl::SimpleAtoi(wanted, &tid) && tid > 0;
  for (size_t i = 0; i < size(); ++i) {
    const VertexFacts& vertex = vertices_[i];
    if ((!vertex.name.empty() && vertex.name == wanted) || (is_tid && vertex.tid == tid))
      found.push_back(i);
  }
  return found;
}

std::vector<std::string> VertexLabels::Nearest(std::string_view text, size_t most) const {
  constexpr size_t kMostBytes = 256;  // of any use; the work grows with them
  const std::string wanted = CleanText(text.substr(0, kMostBytes));
  std::vector<std::pair<size_t, size_t>> by_distance;
  for (size_t i = 0; i < size(); ++i) {
    const size_t distance = std::min(
        {EditDistance(wanted, labels_[i]), EditDistance(wanted, phrases_[i]),
         EditDistance(wanted, vertices_[i].name.empty() ? labels_[i] : vertices_[i].name)});
    by_distance.emplace_back(distance, i);
  }
  std::sort(by_distance.begin(), by_distance.end());
  std::vector<std::string> nearest;
  for (size_t i = 0; i < std::min(most, by_distance.size()); ++i)
    nearest.push_back(labels_[by_distance[i].second]);
  return nearest;
}

// Row by row of the usual table: row[j] is the distance of the signs read of `from` to the first j
// signs of `to`.
size_t EditDistance(std::string_view from, std::string_view to) {
  std::vector<size_t> row(to.size() + 1);
  std::iota(row.begin(), row.end(), 0);
  for (size_t i = 0; i < from.size(); ++i) {
    size_t diagonal = row[0];
    row[0] = i + 1;
    for (size_t j = 0; j < to.size(); ++j) {
      const bool same = absl::ascii_tolower(static_cast<unsigned char>(from[i])) ==
                        absl::ascii_tolower(static_cast<unsigned char>(to[j]));
      const size_t changed = diagonal + (same ? 0 : 1);
      diagonal = row[j + 1];
      row[j + 1] = std::min({changed, diagonal + 1, row[j] + 1});
    }
  }
  return row[to.size()];
}

}  // namespace gordian
