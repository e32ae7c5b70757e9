// SPDX-License-Identifier: Apache-2.0
// Collects the errors of a model file, and reads maps so that no key goes unnoticed.
#pragma once

#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "jobs/models/yaml_tree.h"

namespace gordian {

class ModelErrors {
 public:
  explicit ModelErrors(std::string_view file) : file_(file) {}
  void Add(int line, std::string_view what);
  const std::vector<std::string>& all() const { return errors_; }

 private:
  std::string file_;
  std::vector<std::string> errors_;
};

// ", did you mean 'x'?", or which words there are.
std::string MeantOrKnown(std::string_view word, std::span<const std::string_view> known);

// Complains about keys that are not among `known`, and returns false if `node` is no map at all.
bool CheckKeys(const YamlNode& node, std::string_view what,
               std::initializer_list<std::string_view> known, ModelErrors& errors);

// The word at `key`; empty without one; an error if it is no word.
std::string ScalarAt(const YamlNode& map, std::string_view key, ModelErrors& errors);
// Likewise true or false.
bool FlagAt(const YamlNode& map, std::string_view key, ModelErrors& errors);
// A finite number at least `least`; `fallback` if there is none.
double NumberAt(const YamlNode& map, std::string_view key, double least, double fallback,
                ModelErrors& errors);

// The entry of `words` for the word at `key`; an error naming the choices if there is no such
// entry.
template <typename Value>
Value ChoiceAt(const YamlNode& map, std::string_view key, Value fallback,
               std::initializer_list<std::pair<std::string_view, Value>> words,
               ModelErrors& errors) {
  const std::string word = ScalarAt(map, key, errors);
  if (word.empty()) return fallback;
  std::vector<std::string_view> known;
  for (const auto& [name, value] : words) {
    if (name == word) return value;
    known.push_back(name);
  }
  errors.Add(map.Find(key)->line,
             std::string(key) + ": unknown '" + word + "'" + MeantOrKnown(word, known));
  return fallback;
}

}  // namespace gordian
