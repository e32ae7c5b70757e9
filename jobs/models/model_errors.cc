// SPDX-License-Identifier: Apache-2.0
#include "jobs/models/model_errors.h"

#include <algorithm>
#include <cmath>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "jobs/models/phase_model.h"

namespace gordian {
namespace {

constexpr size_t kMaxErrors = 50;
constexpr size_t kMaxComparedBytes = 64;  // the table below is quadratic

// How many letters must be changed, added or left out to make one word of the other.
size_t EditDistance(std::string_view a, std::string_view b) {
  std::vector<size_t> row(b.size() + 1);
  for (size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (size_t i = 1; i <= a.size(); ++i) {
    size_t diagonal = row[0];
    row[0] = i;
    for (size_t j = 1; j <= b.size(); ++j) {
      const size_t changed = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({changed, row[j] + 1, row[j - 1] + 1});
    }
  }
  return row[b.size()];
}

}  // namespace

std::string_view NearestWord(std::string_view word, std::span<const std::string_view> known) {
  std::string_view nearest;
  size_t nearest_distance = word.size() / 3 + 2;
  if (word.size() > kMaxComparedBytes) return {};
  for (const std::string_view candidate : known) {
    if (candidate.size() > kMaxComparedBytes) continue;
    const size_t distance = EditDistance(word, candidate);
    if (distance < nearest_distance && distance < candidate.size()) {
      nearest_distance = distance;
      nearest = candidate;
    }
  }
  return nearest;
}

void ModelErrors::Add(int line, std::string_view what) {
  if (errors_.size() < kMaxErrors)
    errors_.push_back(absl::StrCat(file_, ":", line, ": ", std::string(what)));
}

std::string MeantOrKnown(std::string_view word, std::span<const std::string_view> known) {
  const std::string_view meant = NearestWord(word, known);
  if (!meant.empty()) return absl::StrCat(", did you mean '", std::string(meant), "'?");
  if (known.empty()) return "; there is none here";
  std::string text = "; there ";
  absl::StrAppend(&text, known.size() == 1 ? "is" : "are");
  constexpr size_t kMostShown = 12;
  for (size_t i = 0; i < std::min(known.size(), kMostShown); ++i)
    absl::StrAppend(&text, i == 0 ? " " : ", ", std::string(known[i]));
  if (known.size() > kMostShown) text += ", …";
  return text;
}

bool CheckKeys(const YamlNode& node, std::string_view what,
               std::initializer_list<std::string_view> known, ModelErrors& errors) {
  if (node.kind != YamlNode::Kind::kMap) {
    errors.Add(node.line, absl::StrCat(std::string(what), " must be a map, not ",
                                       std::string(YamlKindName(node))));
    return false;
  }
  const std::vector<std::string_view> words(known);
  for (const YamlKey& key : node.keys) {
    if (std::find(words.begin(), words.end(), key.text) == words.end())
      errors.Add(key.line, absl::StrCat("unknown key '", key.text, "' in ", std::string(what),
                                        MeantOrKnown(key.text, words)));
  }
  return true;
}

std::string ScalarAt(const YamlNode& map, std::string_view key, ModelErrors& errors) {
  const YamlNode* node = map.Find(key);
  if (node == nullptr) return {};
  if (node->kind == YamlNode::Kind::kScalar && !node->text.empty()) return node->text;
  errors.Add(node->line, absl::StrCat(std::string(key), " must be a word, not ",
                                      node->kind == YamlNode::Kind::kScalar
                                          ? "nothing"
                                          : std::string(YamlKindName(*node))));
  return {};
}

bool FlagAt(const YamlNode& map, std::string_view key, ModelErrors& errors) {
  return ChoiceAt<bool>(map, key, false, {{"true", true}, {"false", false}}, errors);
}

double NumberAt(const YamlNode& map, std::string_view key, double least, double fallback,
                ModelErrors& errors) {
  const std::string text = ScalarAt(map, key, errors);
  if (text.empty()) return fallback;
  double value = 0;
  if (absl::SimpleAtod(text, &value) && std::isfinite(value) && value >= least) return value;
  errors.Add(map.Find(key)->line,
             absl::StrCat(std::string(key), ": '", text, "' is no number of at least ", least));
  return fallback;
}

}  // namespace gordian
