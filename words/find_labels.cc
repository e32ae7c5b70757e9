// SPDX-License-Identifier: Apache-2.0
// Which vertices a text means.
#include <algorithm>
#include <array>
#include <numeric>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
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

// "postgres (7 threads)" without its end.
std::string_view WithoutCount(std::string_view text) {
  const size_t open = text.rfind(" (");
  if (open == std::string_view::npos) return text;
  std::string_view count = text.substr(open + 2);
  const size_t digits = std::min(count.find_first_not_of("0123456789,"), count.size());
  if (digits == 0) return text;
  count.remove_prefix(digits);
  return count == " thread)" || count == " threads)" ? text.substr(0, open) : text;
}

// Threads, with their process and, of a recording of many nodes, its node before it.
bool IsOfProcess(std::string_view name, const VertexFacts& vertex) {
  if (vertex.process.empty() || (vertex.kind != "thread" && vertex.kind != "group")) return false;
  return name == vertex.process ||
         (!vertex.node.empty() && name == absl::StrCat(vertex.node, "/", vertex.process));
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
  const std::vector<std::vector<size_t>> meanings = Meanings(text);
  return meanings.empty() ? std::vector<size_t>() : meanings.front();
}

std::vector<std::vector<size_t>> VertexLabels::Meanings(std::string_view text) const {
  std::vector<std::vector<size_t>> meanings = MeaningsAsItStands(text);
  if (!meanings.empty()) return meanings;
  // As in "A -> B".
  const size_t first = text.find_first_not_of(' ');
  if (first == std::string_view::npos) return meanings;
  const std::string_view trimmed = text.substr(first, text.find_last_not_of(' ') + 1 - first);
  meanings = MeaningsAsItStands(trimmed);
  if (!meanings.empty()) return meanings;
  // In upper or lower case: as the first that is spelled so otherwise.
  for (const std::string& spelling : OtherSpellings(trimmed)) {
    meanings = MeaningsAsItStands(spelling);
    if (!meanings.empty()) break;
  }
  return meanings;
}

std::vector<std::string> VertexLabels::OtherSpellings(std::string_view text) const {
  const std::string wanted = CleanText(text);
  std::vector<std::string> spellings;
  for (size_t i = 0; i < size(); ++i) {
    const VertexFacts& vertex = vertices_[i];
    for (const std::string* known :
         {&labels_[i], &phrases_[i], &vertex.name, &plain_[i], &vertex.process})
      if (!known->empty() && absl::EqualsIgnoreCase(*known, wanted)) spellings.push_back(*known);
  }
  return spellings;
}

std::vector<std::vector<size_t>> VertexLabels::MeaningsAsItStands(std::string_view text) const {
  const std::string wanted = CleanText(text);
  const std::string_view name = WithoutCount(wanted);
  int32_t tid = 0;
  const bool is_tid = absl::SimpleAtoi(wanted, &tid) && tid > 0;
  std::vector<size_t> others, named, of_processes;
  for (size_t i = 0; i < size(); ++i) {
    const VertexFacts& vertex = vertices_[i];
    if (IsAnotherWayToSay(wanted, vertex, plain_[i], labels_[i])) others.push_back(i);
    const bool is_named = (!vertex.name.empty() && (vertex.name == name || plain_[i] == name)) ||
                          (is_tid && vertex.tid == tid);
    if (is_named) named.push_back(i);
    if (is_named || IsOfProcess(name, vertex)) of_processes.push_back(i);
  }
  // A title adds groups of one name up, also those of a part of that name only.
  if (name.size() < wanted.size() && named.size() < 2) named = of_processes = {};
  std::vector<std::vector<size_t>> meanings;
  for (std::vector<size_t>& meaning : std::array{FindLabel(text), others, named, of_processes}) {
    if (!meaning.empty() && (meanings.empty() || meanings.back() != meaning))
      meanings.push_back(std::move(meaning));
  }
  return meanings;
}

size_t VertexLabels::Distance(std::string_view text, size_t vertex) const {
  constexpr size_t kMostBytes = 256;  // of any use; the work grows with them
  const std::string wanted = CleanText(text.substr(0, kMostBytes));
  const std::string& name = vertices_[vertex].name;
  return std::min({EditDistance(wanted, labels_[vertex]), EditDistance(wanted, phrases_[vertex]),
                   EditDistance(wanted, name.empty() ? labels_[vertex] : name)});
}

std::vector<std::string> VertexLabels::Nearest(std::string_view text, size_t most) const {
  std::vector<std::pair<size_t, size_t>> by_distance;
  for (size_t i = 0; i < size(); ++i) by_distance.emplace_back(Distance(text, i), i);
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
