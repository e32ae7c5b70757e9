// SPDX-License-Identifier: Apache-2.0
// Chosen fields out of lines of JSON, in one pass and without building the document.
//
// The wanted names are a tree: of "Stage Info.Stage ID" first "Stage Info", then "Stage ID" within
// it. While a line is read, each open object or array stands at a node of that tree, or nowhere:
// then nothing within is wanted, and it is only checked.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "absl/container/flat_hash_map.h"

namespace gordian {

class JsonFields {
 public:
  static constexpr size_t kMaxDepth = 100;
  static constexpr size_t kMaxPathBytes = 4096;
  static constexpr size_t kMaxNameDots = 32;  // those behind are part of the last name

  // Names of fields, those inside others with dots: "Stage Info.Stage ID".
  explicit JsonFields(const std::vector<std::string>& names);

  // False if the line is no JSON object, or is nested absurdly deep.
  bool Read(std::string_view line);

  // Without data if the last line has no such field, or it is null or an object. Numbers are as
  // written; elements of an array are joined by commas. Valid until the next Read, and no longer
  // than that line.
  std::string_view Get(size_t index) const {
    return slots_[index].set ? slots_[index].text : std::string_view();
  }

 private:
  static constexpr uint32_t kNowhere = UINT32_MAX;

  struct Slot {
    std::string_view text;
    std::string own;  // where the text is not in the line as it is
    bool set = false;
  };
  struct Node {
    absl::flat_hash_map<std::string, uint32_t> children;  // by key
    uint32_t slot = kNowhere;
  };
  struct Level {
    uint32_t node;
    size_t path_bytes;
    bool array;
  };
  uint32_t ChildOf(uint32_t node, std::string_view key) const;
  void Take(uint32_t node, bool in_array, std::string_view text);

  std::vector<Node> nodes_;  // the first is the line's object
  std::vector<Slot> slots_;
  std::vector<size_t> touched_;
  std::array<Level, kMaxDepth> levels_;
  std::string scratch_;
};

}  // namespace gordian
