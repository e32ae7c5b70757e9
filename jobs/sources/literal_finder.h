// SPDX-License-Identifier: Apache-2.0
// Which of several texts are in a line, in one pass over the line however many there are.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace gordian {

class LiteralFinder {
 public:
  // Longer texts are found by their first bytes: enough to pass over nearly all other lines, and
  // the table stays small.
  static constexpr size_t kMaxLiteralBytes = 32;

  // None may be empty.
  explicit LiteralFinder(const std::vector<std::string>& literals);

  // The numbers of those that may be in the line, each once, in no order. All of up to
  // kMaxLiteralBytes that are named are there.
  const std::vector<uint32_t>& Find(std::string_view line);

 private:
  static constexpr uint32_t kHit = 1u << 31;
  void AddHits(uint32_t state);

  size_t classes_ = 1;
  std::array<uint8_t, 256> class_of_{};  // bytes that no text has share class 0
  // By state and class: where the next state begins in this table, and whether texts end there.
  std::vector<uint32_t> next_;
  std::vector<std::vector<uint32_t>> hits_;  // by state: the texts that end there
  std::vector<uint64_t> seen_in_;            // by text: the last line it was found in
  uint64_t line_ = 0;
  std::vector<uint32_t> found_;
};

}  // namespace gordian
