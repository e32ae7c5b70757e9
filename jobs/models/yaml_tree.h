// SPDX-License-Identifier: Apache-2.0
// A YAML document as a tree of plain values that know their line.
//
// Models are written by people and read from anywhere. So aliases (which can make a short file an
// endless one), deep nesting, repeated keys and keys that are no words are refused, as are files
// larger than any model. So code that walks the tree may recurse.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"

namespace gordian {

inline constexpr size_t kMaxYamlBytes = 1u << 20;
inline constexpr size_t kMaxYamlNodes = 50'000;
inline constexpr int kMaxYamlDepth = 40;

struct YamlKey {
  std::string text;
  int line = 0;
};

struct YamlNode {
  enum class Kind { kNull, kScalar, kList, kMap };
  Kind kind = Kind::kNull;
  int line = 0;
  std::string text;             // of a scalar
  std::vector<YamlKey> keys;    // of a map: as many as items, each only once
  std::vector<YamlNode> items;  // of a list, or the values of a map

  // Null if this is no map, or has no such key.
  const YamlNode* Find(std::string_view key) const;
};

// "a list", "a map", …, for messages.
std::string_view YamlKindName(const YamlNode& node);

// InvalidArgument, "FILE:LINE: the expected text", if `text` is no YAML or no YAML for models.
absl::StatusOr<YamlNode> ParseYaml(std::string_view text, std::string_view file);

}  // namespace gordian
